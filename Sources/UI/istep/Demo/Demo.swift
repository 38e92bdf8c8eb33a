import Foundation
import StepDomain
import StepViews
import Support

/// The walk-through: the real commands, in an environment that directs them to a simulated stack and a separate
/// history.
struct Demo {
    let folder: DemoFolder
    let bus: String
    let pedometers: [DemoPedometer]

    /// The pedometers in range, in the order of the table, so that the ring is the one that is shown.
    ///
    /// - Parameter keys: of the models, or `all`; a ring and a watch if empty.
    static func pedometers(_ keys: [String]) -> [DemoPedometer] {
        let keys = keys.isEmpty ? ["colmi", "infinitime"] : keys
        return DemoPedometer.all.filter { keys.contains("all") || keys.contains($0.key) }
    }

    /// The demo that ends with this command and leaves nothing.
    static func runOnce(_ pedometers: [DemoPedometer]) async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("istep-demo-\(UUID().uuidString)").path
        let folder = DemoFolder(path: path, isTemporary: true)
        try folder.makeFolder()
        try await cleaningUp({
            // Removal ends at a file that has gone in between, such as the log of a history that is just closed.
            await Wiring.untilClosed()
            try? FileManager.default.removeItem(atPath: path)
        }) {
            let bluetooth = try await SimulatedBluetooth.start(pedometers)
            try await cleaningUp({ await bluetooth.stop() }) {
                try await Demo(folder: folder, bus: bluetooth.address, pedometers: pedometers).run()
            }
        }
        let out = Output.standard
        try out.result("")
        try out.result("This is the end of the demo. To leave one running: istep demo --keep. With your own pedometer:")
        try out.result("  istep scan                which pedometers are in range")
        try out.result("  istep add                 register your pedometer")
        try out.result("  istep sync                read its steps")
        try out.result("  istep show                today; istep show yesterday, istep show monday")
    }

    /// - Parameter registered: called once the pedometer is in the history, before its first sync.
    func run(registered: (Wiring, DemoPedometer) async throws -> Void = { _, _ in }) async throws {
        try folder.configure()
        let first = pedometers[0], names = pedometers.map(\.name)
        try Output.standard.result(
            "istep demo: a simulated \(names.count == 1 ? names[0] : "\(names.dropLast().joined(separator: ", ")) and \(names[names.count - 1])")"
                + " on a private D-Bus. The commands are the real ones. Days are shared with 'diary', a file of the demo."
        )
        try await run("scan --timeout 3")
        try await run("add \(first.registration) --name \(first.name)")
        try await registered(try wiring(), first)
        // A pedometer that holds only today's count has no yesterday to show.
        let day = first.daysHeld > 0 ? "yesterday" : "today"
        for words in [
            "profile --height 178 --weight 72 --sex male", "plan 8000 --on sun=rest", "sync", "show \(day)", "status",
            "share \(day) --dry-run",
            "share \(day)",
        ] {
            try await run(words)
        }
    }

    private var environment: [String: String] {
        ProcessEnvironment.current.merging(folder.environment(bus: bus)) { $1 }
    }

    private func wiring() throws -> Wiring {
        try ProcessEnvironment.$current.withValue(environment) { try Wiring(GlobalOptions()) }
    }

    private func run(_ words: String) async throws {
        try Task.checkCancellation()
        try Output.standard.result("")
        try Output.standard.result("$ istep \(words)")
        let status = await ProcessEnvironment.$current.withValue(environment) {
            await Main.run(words.split(separator: " ").map(String.init))
        }
        // The command has reported its own error.
        guard status == 0 else {
            throw AlreadyReported(FailureCategory.allCases.first { $0.exitCode == status } ?? .unforeseen)
        }
    }
}
