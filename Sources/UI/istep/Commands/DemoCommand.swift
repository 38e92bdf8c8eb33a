import ArgumentParser
import Foundation
import SimulatedBlueZ

struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Try everything with a simulated pedometer: no hardware, no root, nothing of yours touched.",
        discussion: """
            Puts BlueZ and a ring on a D-Bus of its own and runs the real commands on them: scan, add, sync of a week, show. \
            The history of the demo is thrown away at its end, unless you say --keep.
            """)

    @Option(help: ArgumentHelp("Keep the demo's history in this folder.", valueName: "folder"))
    var keep: String?

    func run() async throws {
        let demo = try await Demo.start(folder: keep)
        do {
            try await demo.run()
            await demo.stop()
        } catch {
            await demo.stop()
            throw error
        }
    }
}
