import MQTT
import MQTTTestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CancellationTests {
    /// A broker that reports when a packet of this type has arrived, and then sends nothing more.
    private func broker(accepting: Bool, until type: UInt8) throws -> (FakeBroker, AsyncStream<Void>) {
        let (came, continuation) = AsyncStream.makeStream(of: Void.self)
        let broker = try FakeBroker { wire, _ in
            if accepting { wire.accept() }
            if wire.readPacket()?.type == type { continuation.yield() }
            wire.readAll()
            continuation.finish()
        }
        return (broker, came)
    }

    private func cancelled(_ broker: FakeBroker, after came: AsyncStream<Void>) async throws -> MQTTError? {
        let address = try broker.address(), message = try MQTTMessage.text("a", "1")
        let task = Task { await failure([message], address, timeout: .seconds(200)) }
        for await _ in came { break }
        let clock = ContinuousClock()
        let began = clock.now
        task.cancel()
        let error = await task.value
        // The call did not end by its time limit.
        #expect(began.duration(to: clock.now) < .seconds(100))
        return error
    }

    @Test func `cancellation before the broker answers is reported as not sent`() async throws {
        let (broker, came) = try broker(accepting: false, until: 1)
        #expect(try await cancelled(broker, after: came) == .cancelled(wasSent: false))
    }

    @Test func `cancellation after a message was sent is reported as sent`() async throws {
        let (broker, came) = try broker(accepting: true, until: 3)
        #expect(try await cancelled(broker, after: came) == .cancelled(wasSent: true))
    }

    @Test func `a cancelled call closes its connection`() async throws {
        let (broker, came) = try broker(accepting: true, until: 3)
        var ends = came.makeAsyncIterator()
        let address = try broker.address(), message = try MQTTMessage.text("a", "1")
        let task = Task { await failure([message], address, timeout: .seconds(200)) }
        _ = await ends.next()
        task.cancel()
        _ = await task.value
        // Finishes when the client has closed the connection.
        #expect(await ends.next() == nil)
    }

    /// The library blocks for minutes while it connects, and nothing can interrupt it.
    @Test func `timeout and cancellation end a call that cannot connect`() async throws {
        let silent = SilentPort()
        let address = try MQTTBroker(host: "127.0.0.1", port: silent.port, tls: false),
            message = try MQTTMessage.text("a", "1")
        let clock = ContinuousClock(), began = clock.now
        let limit = await failure([message], address, timeout: .milliseconds(300))
        #expect(limit == .notSent(reason: "127.0.0.1:\(silent.port): could not connect to the broker within 0.3 s"))
        let task = Task { await failure([message], address, timeout: .seconds(200)) }
        task.cancel()
        #expect(await task.value == .cancelled(wasSent: false))
        #expect(began.duration(to: clock.now) < .seconds(100))
    }

    @Test func `a call in a cancelled task does not connect`() async throws {
        let (broker, _) = try broker(accepting: true, until: 3)
        let address = try broker.address(), message = try MQTTMessage.text("a", "1")
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await failure([message], address)
        }
        #expect(await task.value == .cancelled(wasSent: false))
        #expect(broker.connections == 0)
    }
}
