import DBus
import Glibc
import Testing

/// Whatever is at the other end, opening ends with a clear error, and in time.
@Suite(.timeLimit(.minutes(5))) struct OpeningTests {
    /// The reason why the connection was refused; nil if it was not.
    private func reason(_ address: String, timeout: Duration = .seconds(20)) async -> String? {
        let error = await failure { _ = try await DBusConnection.open(.address(address), timeout: timeout) }
        guard case .cannotConnect(_, let reason) = error else { return nil }
        return reason
    }

    @Test func `a missing socket is reported as the reason`() async {
        let reason = await reason("unix:path=/nonexistent/bus")
        #expect(reason?.contains("No such file or directory") == true)
    }

    @Test(arguments: [
        "", "nonsense", "unix:", "unix:path", "no-such-transport:path=/a", "unix:path=/a%zz", "unix:path=/a\0", ";",
        "\u{1b}[2J",
    ])
    func `an invalid address is reported without control characters`(_ address: String) async throws {
        let error = await failure { _ = try await DBusConnection.open(.address(address)) }
        guard case .cannotConnect(let shown, let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(!reason.isEmpty)
        #expect(!(shown + reason).unicodeScalars.contains { $0.properties.generalCategory == .control })
    }

    @Test func `opening times out if the server is silent`() async throws {
        let bus = try FakeBus { $0.readAll() }
        let reason = await reason(bus.address, timeout: .milliseconds(100))
        #expect(reason == "no answer within 0.1 s; is it a D-Bus socket, and is the bus running?")
    }

    @Test func `opening times out if the server is silent after authentication`() async throws {
        let bus = try FakeBus { peer in
            peer.authenticate()
            peer.readAll()
        }
        let reason = await reason(bus.address, timeout: .milliseconds(100))
        #expect(reason?.hasPrefix("no answer within 0.1 s") == true)
    }

    /// The kernel itself delays `connect`.
    @Test func `opening times out if the connection is never accepted`() async throws {
        let bus = try FakeBus(backlog: 0, nil)
        let others = bus.fillBacklog()
        let reason = await reason(bus.address, timeout: .milliseconds(100))
        #expect(reason?.hasPrefix("no answer within 0.1 s") == true)
        for other in others { close(other) }
    }

    @Test func `opening fails if the server closes the connection`() async throws {
        let bus = try FakeBus { _ in }
        #expect(await reason(bus.address)?.hasPrefix("the connection was ended during the greeting") == true)
    }

    @Test func `opening fails if authentication is rejected`() async throws {
        let bus = try FakeBus { peer in
            peer.write("REJECTED DBUS_COOKIE_SHA9")
            peer.readAll()
        }
        #expect(await reason(bus.address)?.hasPrefix("the connection was ended during the greeting") == true)
    }

    @Test func `opening fails on endless garbage`() async throws {
        let bus = try FakeBus { peer in
            while peer.write([UInt8](repeating: 0xA5, count: 4096)) {}
        }
        #expect(await reason(bus.address) != nil)
    }

    @Test func `opening fails on endless authentication lines`() async throws {
        let bus = try FakeBus { peer in
            while peer.write(Array("DATA 00\r\nWHAT\r\n".utf8)) {}
        }
        #expect(await reason(bus.address, timeout: .seconds(1)) != nil)
    }

    @Test func `an error reply to Hello is reported as the reason`() async throws {
        let bus = try FakeBus { peer in
            peer.authenticate()
            guard let serial = peer.readMessage()?.serial else { return }
            peer.write(
                WireMessage.error(to: serial, "org.freedesktop.DBus.Error.LimitsExceeded", "too many\u{1b}").bytes)
            peer.readAll()
        }
        #expect(await reason(bus.address) == #"org.freedesktop.DBus.Error.LimitsExceeded: too many\u{1b}"#)
    }

    @Test func `a reply to Hello without a name is rejected`() async throws {
        let bus = try FakeBus { peer in
            peer.authenticate()
            guard let serial = peer.readMessage()?.serial else { return }
            peer.write(WireMessage.reply(to: serial, signature: "u", body: Wire.number(1)).bytes)
            peer.readAll()
        }
        #expect(await reason(bus.address) == "the answer to Hello holds no name")
    }

    @Test func `opening fails if garbage arrives instead of the Hello reply`() async throws {
        let bus = try FakeBus { peer in
            peer.authenticate()
            peer.write([UInt8](repeating: 0xFF, count: 64))
            peer.readAll()
        }
        #expect(await reason(bus.address)?.hasPrefix("the connection was ended during the greeting") == true)
    }

    @Test func `cancellation ends the opening`() async throws {
        let (connected, connect) = AsyncStream.makeStream(of: Void.self)
        let bus = try FakeBus { peer in
            connect.yield()
            peer.readAll()
        }
        let task = Task {
            await failure { _ = try await DBusConnection.open(.address(bus.address), timeout: .seconds(50)) }
        }
        for await _ in connected { break }
        task.cancel()
        #expect(await task.value == .cancelled(call: "connecting to \(bus.address)", wasSent: false))
    }

    @Test func `opening in a cancelled task fails as cancelled`() async throws {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await failure { _ = try await DBusConnection.open(.address("unix:path=/nonexistent/bus")) }
        }
        #expect(await task.value == .cancelled(call: "connecting to unix:path=/nonexistent/bus", wasSent: false))
    }
}
