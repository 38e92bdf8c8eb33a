import Foundation
import SimulatedBlueZ

/// The walk through: the real commands, with an environment that points them to a simulated stack and a history of its own.
struct Demo {
    private let stack: SimulatedBlueZ
    private let folder: URL
    private let isKept: Bool

    static func start(folder path: String?) async throws -> Demo {
        let folder = path.map { URL(fileURLWithPath: $0) }
            ?? FileManager.default.temporaryDirectory.appendingPathComponent("istep-demo-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let stack = try await SimulatedBlueZ.start(peripherals: [SimulatedRing(), SimulatedPedometer.infiniTime()])
        return Demo(stack: stack, folder: folder, isKept: path != nil)
    }

    func run() async throws {
        let out = Output.standard
        out.line("istep demo: a simulated ring on a D-Bus of its own. The commands are the real ones.")
        let environment = Wiring.environment.merging(
            [
                "DBUS_SYSTEM_BUS_ADDRESS": stack.address, "ISTEP_DB": folder.appendingPathComponent("history.sqlite").path,
                "ISTEP_CONFIG": "", "XDG_CONFIG_HOME": folder.path, "XDG_RUNTIME_DIR": folder.path,
            ]) { $1 }
        for words in Self.commands {
            out.line("")
            out.line("$ istep \(words)")
            let status = await Wiring.$environment.withValue(environment) {
                await Main.run(words.split(separator: " ").map(String.init))
            }
            guard status == 0 else { throw DemoFailure(command: words, status: status) }
        }
        out.line("")
        out.line("That was all of it. With your own pedometer:")
        out.line("  istep scan                which pedometers are in range")
        out.line("  istep add                 take yours on")
        out.line("  istep sync                read its steps")
        out.line("  istep show                today; istep show yesterday, istep show monday")
        if isKept { out.line("The demo's history is kept: istep show --db \(folder.appendingPathComponent("history.sqlite").path)") }
    }

    func stop() async {
        await stack.stop()
        if !isKept { try? FileManager.default.removeItem(at: folder) }
    }

    private static let commands = [
        "scan --timeout 3", "add --name ring", "profile --height 178 --weight 72 --sex male", "plan 8000 --on sun=rest",
        "sync", "show yesterday", "status",
    ]
}

/// A step of the demo did not succeed; its own error has been told.
struct DemoFailure: Error {
    let command: String
    let status: Int32
}
