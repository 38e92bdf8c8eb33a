import DBus
import Glibc
import Testing

/// Values go out, through the bus to an object that echoes them, and come back the same.
@Suite(.timeLimit(.minutes(5))) struct RoundTripTests {
    private static let values: [DBusValue] = [
        .byte(0), .byte(255), .boolean(true), .boolean(false), .int16(.min), .int16(.max), .uint16(.max), .int32(.min),
        .int32(.max),
        .uint32(.max), .int64(.min), .int64(.max), .uint64(.max), .double(0.1), .double(-.infinity),
        .double(.leastNonzeroMagnitude),
        .string(""), .string("häl\u{1F600}lo\n"), .string(String(repeating: "x", count: 100_000)),
        .objectPath("/"), .objectPath("/org/bluez/hci0"), .signature(""), .signature("a{sv}(ii)"),
        .bytes([]), .bytes(Array(0...255)), .bytes([UInt8](repeating: 7, count: 1_000_000)),
        .array(element: "n", []), .array(element: "n", [.int16(1), .int16(-1)]), .strings(["a", "", "c"]),
        .array(element: "x", [.int64(1)]), .array(element: "d", [.double(1)]),
        .array(element: "b", [.boolean(true), .boolean(false)]),
        .array(element: "as", [.strings(["a"]), .strings([])]), .array(element: "ay", [.bytes([1]), .bytes([])]),
        .array(
            element: "(yv)",
            [.structure([.byte(1), .variant(.string("a"))]), .structure([.byte(2), .variant(.bytes([3]))])]),
        .array(element: "a{sv}", [.properties([:]), .properties(["a": .int32(1)])]),
        .array(element: "v", [.variant(.byte(1))]),
        .properties([:]), .properties(["a": .byte(1), "b": .strings(["c"]), "d": .properties(["e": .double(1)])]),
        .dictionary(key: "y", value: "s", [.byte(1): .string("a"), .byte(2): .string("b")]),
        .dictionary(
            key: "o", value: "a{sa{sv}}",
            [
                .objectPath("/a"): .dictionary(
                    key: "s", value: "a{sv}",
                    [.string("b"): .properties(["c": .uint16(1)]), .string("d"): .properties([:])]),
                .objectPath("/e"): .dictionary(key: "s", value: "a{sv}", [:]),
            ]),
        .structure([.byte(1)]), .structure([.byte(1), .int64(2), .structure([.string("a"), .strings([])])]),
        .variant(.byte(1)), .variant(.variant(.structure([.variant(.bytes([1]))]))),
    ]

    @Test func `a value of each type is echoed unchanged`() async throws {
        try await withBus { _, client, server in
            await server.export(Echo(), at: Echo.path)
            for value in Self.values {
                let answer = try await client.callTest(server, Echo.path, [value])
                #expect(answer == [value])
            }
        }
    }

    /// The byte before the values changes their alignment.
    @Test func `all values in one message are echoed unchanged`() async throws {
        try await withBus { _, client, server in
            await server.export(Echo(), at: Echo.path)
            let values = [DBusValue.byte(9)] + Self.values
            let answer = try await client.callTest(server, Echo.path, values)
            #expect(answer == values)
            let nothing = try await client.callTest(server, Echo.path, [])
            #expect(nothing == [])
        }
    }

    @Test func `values nested to the allowed depth are echoed unchanged`() async throws {
        var value = DBusValue.byte(1)
        for _ in 0..<64 { value = .variant(value) }
        var arrays = DBusValue.strings([])
        for _ in 0..<31 { arrays = .array(element: arrays.signature, [arrays]) }
        let values = [value, arrays]
        try await withBus { _, client, server in
            await server.export(Echo(), at: Echo.path)
            let answer = try await client.callTest(server, Echo.path, values)
            #expect(answer == values)
        }
    }

    /// The descriptor that the object sends back belongs to the same socket: what is written to it arrives at our end.
    @Test func `an echoed file descriptor refers to the same socket`() async throws {
        var pair: [Int32] = [-1, -1]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair) == 0)
        let (ours, theirs) = (pair[0], DBusFileDescriptor(owning: pair[1]))
        defer { close(ours) }
        try await withBus { _, client, server in
            await server.export(Echo(), at: Echo.path)
            let reply = try await client.callTest(
                server, Echo.path, [.structure([.fileDescriptor(theirs), .uint16(23)])])
            #expect(reply.first?.signature == "(hq)")
            #expect(theirs.isOpen)
            let back = try #require(reply.first?.structureValue?.first?.fileDescriptorValue?.take())
            defer { close(back) }
            #expect(write(back, "x", 1) == 1)
            var byte: UInt8 = 0
            #expect(read(ours, &byte, 1) == 1)
            #expect(byte == UInt8(ascii: "x"))
        }
    }
}
