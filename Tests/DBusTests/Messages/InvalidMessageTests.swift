import DBus
import Testing

/// Messages for which libdbus or the bus would end the process or the connection are refused before anything is sent.
@Suite(.timeLimit(.minutes(5))) struct InvalidMessageTests {
    private static func nested(_ depth: Int) -> DBusValue {
        (0..<depth).reduce(DBusValue.byte(1)) { value, _ in .variant(value) }
    }

    private static func structures(_ depth: Int) -> DBusValue {
        (0..<depth).reduce(DBusValue.byte(1)) { value, _ in .structure([value]) }
    }

    private static let values: [DBusValue] = [
        .string("a\0b"), .signature("a"), .signature("{sv}"), .signature("s\0"),
        .signature(String(repeating: "s", count: 256)),
        .structure([]), .variant(.structure([])), .array(element: "", []), .array(element: "ss", []),
        .array(element: "{sv}", []),
        .array(element: "s", [.byte(1)]), .array(element: "v", [.byte(1)]), .array(element: "s\0", []),
        .array(element: "(s)", [.structure([.string("a"), .string("b")])]),
        .dictionary(key: "v", value: "s", [:]), .dictionary(key: "as", value: "s", [:]),
        .dictionary(key: "s", value: "", [:]),
        .dictionary(key: "s", value: "ss", [:]), .dictionary(key: "s", value: "v", [.byte(1): .variant(.byte(1))]),
        .dictionary(key: "s", value: "v", [.string("a"): .byte(1)]),
        .dictionary(key: "s", value: "s", [.string("a\0"): .string("a")]),
        nested(65), structures(33), .variant(.array(element: "s", [.int32(1)])),
        .array(element: "h", [DBusValue](repeating: .fileDescriptor(DBusFileDescriptor(owning: -1)), count: 17)),
    ]

    @Test func `invalid values are rejected before sending`() async throws {
        try await withBus { _, client, server in
            await server.export(Echo(), at: Echo.path)
            for value in Self.values {
                let error = await failure { _ = try await client.callTest(server, Echo.path, [value]) }
                guard case .invalidMessage = error else {
                    Issue.record("\(value.signature): \(String(describing: error))")
                    continue
                }
            }
            let answer = try await client.callTest(server, Echo.path, [.byte(1)])
            #expect(answer == [.byte(1)])
        }
    }

    @Test func `a file descriptor that was already taken is rejected`() async throws {
        let descriptor = DBusFileDescriptor(owning: -1)
        _ = descriptor.take()
        try await withBus { _, client, server in
            let error = await failure {
                _ = try await client.callTest(server, Echo.path, [.fileDescriptor(descriptor)])
            }
            #expect(error == .invalidMessage("a file descriptor was taken away"))
        }
    }

    @Test func `invalid bus, interface and member names are rejected`() async throws {
        try await withBus { _, client, _ in
            for (destination, interface, member) in [
                ("", "a.B", "C"), ("org bluez", "a.B", "C"), ("org.bluez\0", "a.B", "C"), ("nodots", "a.B", "C"),
                ("org.bluez", "", "C"), ("org.bluez", "a", "C"), ("org.bluez", "a.B\0", "C"), ("org.bluez", "a.1", "C"),
                ("org.bluez", "a.B", ""), ("org.bluez", "a.B", "C.D"), ("org.bluez", "a.B", "C\0"),
                ("org.bluez", "a.B", "é"),
                ("org.bluez", "a.B", String(repeating: "C", count: 256)),
            ] {
                let error = await failure { _ = try await client.call(destination, "/", interface, member) }
                guard case .invalidMessage = error else {
                    Issue.record("\(destination) \(interface) \(member): \(String(describing: error))")
                    continue
                }
            }
            #expect(
                await failure { try await client.emit("/", "a", "B") }
                    == .invalidMessage("'a' is not a valid interface name"))
            #expect(
                await failure { try await client.requestName("a\u{1b}") }
                    == .invalidMessage(#"'a\u{1b}' is not a valid bus name"#))
        }
    }

    /// 64 MiB is the specification's limit for an array.
    @Test func `an array of more than 64 MiB is rejected`() async throws {
        try await withBus { _, client, server in
            let error = await failure {
                _ = try await client.callTest(server, Echo.path, [.bytes([UInt8](repeating: 0, count: (1 << 26) + 1))])
            }
            #expect(error == .invalidMessage("an array of more than 64 MiB"))
            let answer = try await client.callBus("GetId")
            #expect(answer.count == 1)
        }
    }

    @Test func `a message of more than 128 MiB is rejected`() async throws {
        let block = DBusValue.bytes([UInt8](repeating: 0, count: 1 << 26))
        try await withBus { _, client, server in
            let error = await failure { _ = try await client.callTest(server, Echo.path, [block, block]) }
            #expect(error == .invalidMessage("a message of more than 128 MiB"))
        }
    }
}
