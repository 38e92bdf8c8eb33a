import DBus
import Dispatch
import Testing

@Suite(.timeLimit(.minutes(5))) struct CallTests {
    @Test func `an error reply is thrown with its name and message`() async throws {
        try await withBus { _, client, server in
            let inbox = Inbox()
            await server.export(inbox, at: "/a")
            async let error = failure { _ = try await client.callTest(server, "/a") }
            await inbox.next()?.fail("org.bluez.Error.NotReady", "Resource Not Ready")
            #expect(await error == .remote(name: "org.bluez.Error.NotReady", message: "Resource Not Ready"))
        }
    }

    @Test func `a call to an unknown destination fails`() async throws {
        try await withBus { _, client, _ in
            let error = await failure { _ = try await client.call("org.bluez", "/", "a.B", "C") }
            #expect(error?.remoteName == "org.freedesktop.DBus.Error.ServiceUnknown")
        }
    }

    @Test func `a call without an answer times out`() async throws {
        try await withBus { _, client, server in
            let inbox = Inbox()
            await server.export(inbox, at: "/a")
            let error = await failure {
                _ = try await client.callTest(server, "/a", timeout: .milliseconds(20))
            }
            #expect(error == .timedOut(call: "test.Interface.Method on /a", seconds: 0.02))
        }
    }

    /// The short calls time out, each once, while the long one still waits.
    @Test func `calls time out independently of each other`() async throws {
        try await withBus { _, client, server in
            let inbox = Inbox()
            await server.export(inbox, at: "/a")
            async let long = client.callTest(server, "/a", [.string("long")])
            let kept = await inbox.next()
            for milliseconds in [30, 10, 0, -5] {
                let error = await failure {
                    _ = try await client.callTest(server, "/a", timeout: .milliseconds(milliseconds))
                }
                #expect(error == .timedOut(call: "test.Interface.Method on /a", seconds: Double(milliseconds) / 1000))
            }
            await kept?.reply([.byte(1)])
            let answer = try await long
            #expect(answer == [.byte(1)])
        }
    }

    /// In such a task every call of an `async` function of an actor is a suspension.
    @Test func `no reply is lost to a task that prefers an executor`() async throws {
        try await withBus { _, client, server in
            await server.export(Echo(), at: Echo.path)
            try await withTaskExecutorPreference(OneThread()) {
                for number: UInt32 in 0..<2000 {
                    let answer = try await client.callTest(server, Echo.path, [.uint32(number)], timeout: .seconds(200))
                    #expect(answer == [.uint32(number)])
                }
            }
        }
    }

    @Test func `a late reply is dropped`() async throws {
        try await withBus { _, client, server in
            let inbox = Inbox()
            await server.export(inbox, at: "/a")
            let error = await failure {
                _ = try await client.callTest(server, "/a", timeout: .milliseconds(10))
            }
            #expect(error == .timedOut(call: "test.Interface.Method on /a", seconds: 0.01))
            let late = await inbox.next()
            async let second = client.callTest(server, "/a")
            let next = await inbox.next()
            await late?.reply([.string("late")])
            await next?.reply([.string("in time")])
            let answer = try await second
            #expect(answer == [.string("in time")])
        }
    }

    @Test func `cancellation is not reported as a timeout`() async throws {
        try await withBus { _, client, server in
            let inbox = Inbox()
            await server.export(inbox, at: "/a")
            let task = Task { await failure { _ = try await client.callTest(server, "/a") } }
            let kept = await inbox.next()
            task.cancel()
            #expect(await task.value == .cancelled(call: "test.Interface.Method on /a", wasSent: true))
            await kept?.reply()
            let answer = try await client.callBus("GetId")
            #expect(answer.count == 1)
        }
    }

    @Test func `a call that is cancelled beforehand is not sent`() async throws {
        try await withBus { _, client, server in
            let inbox = Inbox()
            await server.export(inbox, at: "/a")
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return await failure { _ = try await client.callTest(server, "/a", [.string("never")]) }
            }
            #expect(await task.value == .cancelled(call: "test.Interface.Method on /a", wasSent: false))
            async let second = client.callTest(server, "/a", [.string("second")])
            let call = await inbox.next()
            #expect(call?.message.body == [.string("second")])
            await call?.reply()
            let answer = try await second
            #expect(answer == [])
        }
    }

    @Test func `the answer to a call without reply is discarded`() async throws {
        try await withBus { _, client, server in
            let inbox = Inbox()
            await server.export(inbox, at: "/a")
            try await client.send(server.uniqueName, "/a", "test.Interface", "Method", [.byte(1)])
            let call = try #require(await inbox.next())
            #expect(call.message.noReplyExpected)
            #expect(call.message.body == [.byte(1)])
            // The answer is discarded. If it were sent, the next message would not be the answer to the next call.
            await call.reply([.string("unwanted")])
            async let wanted = client.callTest(server, "/a")
            let next = await inbox.next()
            #expect(next?.message.noReplyExpected == false)
            await next?.reply([.string("wanted")])
            #expect(try await wanted == [.string("wanted")])
        }
    }

    @Test func `concurrent calls get their own answers`() async throws {
        try await withBus { _, client, server in
            await server.export(Echo(), at: Echo.path)
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<500 {
                    group.addTask {
                        try await client.callTest(server, Echo.path, [.int32(Int32(number))]) == [.int32(Int32(number))]
                    }
                }
                for try await isOwn in group { #expect(isOwn) }
            }
        }
    }

    /// More than a socket accepts at once, so that writing has to wait for space, in both directions.
    @Test func `large messages wait for space in the socket`() async throws {
        let block = DBusValue.bytes([UInt8](repeating: 7, count: 4_000_000))
        try await withBus { _, client, server in
            await server.export(Echo(), at: Echo.path)
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<4 {
                    group.addTask { try await client.callTest(server, Echo.path, [block]) == [block] }
                }
                for try await isOwn in group { #expect(isOwn) }
            }
        }
    }

    @Test func `closing a connection fails its pending and later calls`() async throws {
        try await withBus { _, client, server in
            let inbox = Inbox()
            await server.export(inbox, at: "/a")
            async let waiting = failure { _ = try await client.callTest(server, "/a") }
            let kept = await inbox.next()
            await client.close()
            #expect(await waiting == .disconnected)
            #expect(await client.isOpen == false)
            await client.close()
            #expect(await failure { _ = try await client.callBus("GetId") } == .disconnected)
            #expect(await failure { try await client.emit("/", "a.B", "C") } == .disconnected)
            #expect(await failure { _ = try await client.signals(MatchRule()) } == .disconnected)
            await kept?.reply()
        }
    }
}

private final class OneThread: TaskExecutor {
    private let queue = DispatchQueue(label: "a task's own executor")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
