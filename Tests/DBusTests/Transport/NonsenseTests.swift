import DBus
import Testing

/// A bus that greets correctly and then sends invalid or unexpected data.
@Suite(.timeLimit(.minutes(5))) struct NonsenseTests {
    private static func nestedVariants(_ depth: Int) -> WireMessage {
        let body = (0..<depth - 1).flatMap { _ in Wire.signature("v") } + Wire.signature("y") + [1]
        return .signal(signature: "v", body: body)
    }

    static let messages: [(String, [UInt8])] = [
        ("garbage", [UInt8](repeating: 0xFF, count: 64)),
        ("zeroes", [UInt8](repeating: 0, count: 64)),
        ("text", Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)),
        ("serial 0", WireMessage(type: 4, serial: 0, fields: []).bytes),
        ("signal without fields", WireMessage(type: 4, fields: []).bytes),
        ("reply without a serial", WireMessage(type: 2, fields: []).bytes),
        ("message of type 0", WireMessage(type: 0, fields: []).bytes),
        ("body of 129 MiB", WireMessage(type: 4, fields: [], claimedLength: 129 << 20).bytes),
        ("body of 4 GiB", WireMessage(type: 4, fields: [], claimedLength: .max).bytes),
        ("bad path", WireMessage.signal(path: "a").bytes),
        ("bad interface", WireMessage.signal(interface: "a").bytes),
        (
            "reserved interface",
            WireMessage.signal(interface: "org.freedesktop.DBus.Local", member: "Disconnected").bytes
        ),
        ("bad member", WireMessage.signal(member: "a.b").bytes),
        ("body without a signature", WireMessage.signal(body: [1]).bytes),
        ("body shorter than its signature", WireMessage.signal(signature: "uu", body: Wire.number(1)).bytes),
        ("body longer than its signature", WireMessage.signal(signature: "y", body: [1, 2]).bytes),
        ("bad signature", WireMessage.signal(signature: "a", body: [0]).bytes),
        (
            "signature of 40 nested arrays",
            WireMessage.signal(signature: String(repeating: "a", count: 40) + "y", body: Wire.number(0)).bytes
        ),
        ("text that is no UTF-8", WireMessage.signal(signature: "s", body: Wire.number(1) + [0xFF, 0]).bytes),
        ("text longer than the message", WireMessage.signal(signature: "s", body: Wire.number(.max) + [0]).bytes),
        ("array longer than the message", WireMessage.signal(signature: "ay", body: Wire.number(1 << 30)).bytes),
        ("boolean 2", WireMessage.signal(signature: "b", body: Wire.number(2)).bytes),
        ("variants nested 70 deep", nestedVariants(70).bytes),
        ("variant of two types", WireMessage.signal(signature: "v", body: Wire.signature("yy") + [1, 1]).bytes),
        ("descriptor that did not come", WireMessage(type: 4, fields: [WireMessage.descriptors(1)]).bytes),
    ]

    @Test(arguments: messages)
    func `an invalid message ends the connection`(_ name: String, _ bytes: [UInt8]) async throws {
        let bus = try FakeBus { peer in
            peer.greet()
            // AddMatch, then the call.
            guard let serial = peer.readMessage()?.serial else { return }
            peer.write(WireMessage.reply(to: serial).bytes)
            _ = peer.readMessage()
            peer.write(bytes)
            peer.readAll()
        }
        let connection = try await DBusConnection.open(.address(bus.address))
        let signals = try await connection.signals(MatchRule())
        let error = await failure { _ = try await connection.callBus("GetId") }
        #expect(error == .disconnected, "\(name)")
        #expect(await signals.first() == nil, "\(name)")
        #expect(await connection.isOpen == false)
    }

    /// The specification says to ignore unknown messages, and no call waits for the others.
    @Test func `unexpected but well-formed messages are ignored`() async throws {
        let bus = try FakeBus { peer in
            peer.greet()
            guard let serial = peer.readMessage()?.serial else { return }
            peer.write(WireMessage(type: 77, fields: []).bytes)
            peer.write(WireMessage.reply(to: serial + 1000, signature: "s", body: Wire.string("unasked")).bytes)
            peer.write(WireMessage.signal(interface: "org.freedesktop.DBus", member: "NameOwnerChanged").bytes)
            peer.write(Self.nestedVariants(64).bytes)
            peer.write(WireMessage.reply(to: serial, signature: "s", body: Wire.string("asked")).bytes)
            peer.write(WireMessage.reply(to: serial, signature: "s", body: Wire.string("asked")).bytes)
            guard let next = peer.readMessage()?.serial else { return }
            peer.write(WireMessage.reply(to: next, signature: "s", body: Wire.string("once more")).bytes)
            peer.readAll()
        }
        let connection = try await DBusConnection.open(.address(bus.address))
        #expect(connection.uniqueName == ":1.99")
        let first = try await connection.callBus("GetId")
        #expect(first == [.string("asked")])
        let second = try await connection.callBus("GetId")
        #expect(second == [.string("once more")])
        await connection.close()
    }

    /// A large body is announced and never arrives.
    @Test func `a call times out while its reply is incomplete`() async throws {
        let bus = try FakeBus { peer in
            peer.greet()
            _ = peer.readMessage()
            peer.write(WireMessage(type: 2, fields: [WireMessage.replySerial(2)], claimedLength: 16 << 20).bytes)
            peer.readAll()
        }
        let connection = try await DBusConnection.open(.address(bus.address))
        let error = await failure {
            _ = try await connection.call("a.b", "/", "a.B", "C", timeout: .milliseconds(100))
        }
        #expect(error == .timedOut(call: "a.B.C on /", seconds: 0.1))
        await connection.close()
    }

    /// The reply arrives byte by byte, and the read source fires for each.
    @Test func `a reply that arrives byte by byte is read`() async throws {
        let bus = try FakeBus { peer in
            peer.greet()
            guard let serial = peer.readMessage()?.serial else { return }
            for byte in WireMessage.reply(to: serial, signature: "s", body: Wire.string("slowly")).bytes {
                peer.write([byte])
            }
            peer.readAll()
        }
        let connection = try await DBusConnection.open(.address(bus.address))
        let answer = try await connection.callBus("GetId")
        #expect(answer == [.string("slowly")])
        await connection.close()
    }
}
