import Foundation
import SimulatedBlueZ
import TestSupport
import Testing

/// The example of the documentation: the program runs, and the article shows this very program.
@Suite(.timeLimit(.minutes(5)))
struct ReadBatteryTests {
    private struct Outcome: Equatable {
        var status: Int32
        var output: String
    }

    /// Beside the test bundle, where the package manager puts it.
    private var program: URL {
        get throws {
            let me = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            return URL(fileURLWithPath: me).deletingLastPathComponent().appendingPathComponent("ReadBattery")
        }
    }

    private func run(_ arguments: [String], bus: String) async throws -> Outcome {
        let process = ChildProcess()
        process.executableURL = try program
        process.arguments = arguments
        process.environment = ["DBUS_SYSTEM_BUS_ADDRESS": bus]
        let pipe = Pipe()
        process.pipe = pipe
        let (ended, signal) = AsyncStream.makeStream(of: Void.self)
        process.terminationHandler = { _ in signal.finish() }
        try process.run()
        for await _ in ended {}
        let output = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        return Outcome(status: process.terminationStatus, output: output)
    }

    @Test(arguments: [[], ["Pedo"]])
    func `the example finds a peripheral and prints its battery level`(arguments: [String]) async throws {
        let pedometer = SimulatedGeneric(
            address: "C0:DE:00:00:00:01", name: "Pedometer", advertisedServices: ["180f"],
            steps: CharacteristicID("8f1d0001-7e57-4c0b-9b1d-000000000000", "8f1d0002-7e57-4c0b-9b1d-000000000000"),
            source: .manual(4711), battery: 61)
        let stack = try await SimulatedBlueZ.start(peripherals: [pedometer], timing: .immediate)
        let outcome = try await run(arguments, bus: stack.address)
        #expect(outcome == Outcome(status: 0, output: "Found C0:DE:00:00:00:01.\nBattery: 61 %\n"))
        #expect(await stack.snapshot.connected == [])
        await stack.stop()
    }

    @Test func `the example prints what failed and what to do`() async throws {
        let outcome = try await run([], bus: "unix:path=/nonexistent/bus")
        #expect(outcome.status == 1)
        #expect(outcome.output.hasPrefix("Failed: no connection to the system bus: "))
        #expect(outcome.output.contains("DBUS_SYSTEM_BUS_ADDRESS"))
    }

    /// libbluetooth is under the GPL. The names of the libraries that a program needs are in its file.
    @Test func `a program that uses the library does not need libbluetooth`() throws {
        let file = try Data(contentsOf: program)
        #expect(file.range(of: Data("libdbus-1.so".utf8)) != nil)
        #expect(file.range(of: Data("libbluetooth.so".utf8)) == nil)
    }

    @Test func `the article shows the program`() throws {
        let catalog = URL(fileURLWithPath: #filePath).appending(
            path: "../../../../Sources/Resource/Communication/BlueZ/BlueZ.docc"
        ).standardized
        func text(_ name: String) throws -> String {
            String(decoding: try Data(contentsOf: catalog.appending(path: name)), as: UTF8.self)
        }
        let program = try text("ReadBattery/ReadBattery.swift")
        let start = try #require(program.range(of: "import BlueZ"))
        #expect(try text("GettingStarted.md").contains("```swift\n" + program[start.lowerBound...] + "```\n"))
    }
}
