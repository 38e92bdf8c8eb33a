import DBus
import Foundation
import PrivateBus
import Testing
import TestSupport

/// The same values as two other programs see them: `busctl`, which shares no code with libdbus, and `dbus-send`.
@Suite(.timeLimit(.minutes(5))) struct InteroperationTests {
    private static let busctl = "/usr/bin/busctl"
    private static let dbusSend = "/usr/bin/dbus-send"

    private func run(_ program: String, _ arguments: [String]) async throws -> (status: Int32, output: String) {
        let process = ChildProcess()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        let pipe = Pipe()
        process.pipe = pipe
        process.isErrorInPipe = true
        let (ends, end) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { end.yield($0.terminationStatus) }
        try process.run()
        for await status in ends {
            return (status, String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self))
        }
        return (-1, "")
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: busctl)))
    func `busctl calls an exported object`() async throws {
        try await withBus { bus, _, server in
            await server.export(Echo(), at: Echo.path)
            let arguments = [
                "ybnqiuxtdsogayasa{sv}(sq)av", "1", "true", "-2", "3", "-4", "5", "-6", "7", "0.5", "text", "/a/b",
                "a{sv}",
                "2", "1", "2", "1", "a", "1", "k", "ay", "1", "9", "s", "1", "1", "v", "u", "1",
            ]
            let (status, output) = try await run(
                Self.busctl,
                ["--address=\(bus.address)", "--", "call", server.uniqueName, "/echo", "test.Interface", "Method"]
                    + arguments)
            #expect(
                output
                    == #"ybnqiuxtdsogayasa{sv}(sq)av 1 true -2 3 -4 5 -6 7 0.5 "text" "/a/b" "a{sv}" 2 1 2 1 "a" 1 "k" ay 1 9 "s" 1 1 v u 1"#
                    + "\n")
            #expect(status == 0)
        }
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: busctl)))
    func `busctl shows the error for an unknown object`() async throws {
        try await withBus { bus, _, server in
            let (status, output) = try await run(
                Self.busctl,
                ["--address=\(bus.address)", "--", "call", server.uniqueName, "/nowhere", "test.Interface", "Method"])
            #expect(status != 0)
            #expect(output.contains("no object at /nowhere"))
        }
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: dbusSend)))
    func `a signal from dbus-send arrives with its values`() async throws {
        try await withBus { bus, client, _ in
            let signals = try await client.signals(MatchRule(interface: "test.Interface"))
            let (status, output) = try await run(
                Self.dbusSend,
                [
                    "--bus=\(bus.address)", "--type=signal", "/a", "test.Interface.Signal", "string:text", "int32:-4",
                    "array:byte:1,2",
                    "dict:string:int16:a,1", "variant:double:0.5", "objpath:/a/b", "boolean:true",
                ])
            #expect(status == 0, "\(output)")
            #expect(
                await signals.first()?.body == [
                    .string("text"), .int32(-4), .bytes([1, 2]),
                    .dictionary(key: "s", value: "n", [.string("a"): .int16(1)]),
                    .variant(.double(0.5)), .objectPath("/a/b"), .boolean(true),
                ])
        }
    }
}
