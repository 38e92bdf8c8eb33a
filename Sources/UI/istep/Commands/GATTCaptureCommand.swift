import ArgumentParser
import Foundation
import StepDomain
import StepServices
import StepViews
import Support

extension GATTCommand {
    struct Capture: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "capture", abstract: "Sync a pedometer, and write its raw frames to a text file for a report.",
            discussion: """
                The sync is a real one: its steps are stored. The address and the name of the pedometer are masked in the file; its steps and \
                their times are not.
                """)

        @Argument(
            help: ArgumentHelp("Its name or address.", valueName: "pedometer"), completion: CompletionNames.pedometers)
        var pedometer: String

        @Option(
            help: ArgumentHelp(
                "The file (default: istep-MODEL.txt in the current directory). An existing file is not replaced.",
                valueName: "file"))
        var output: String?

        @Option(help: ArgumentHelp("Request at most this many days, including today.", valueName: "days"))
        var days: Int?

        @OptionGroup var common: CommonOptions
        @OptionGroup var bluetooth: BluetoothOptions

        func validate() throws {
            if let days, !(1...366).contains(days) { throw ValidationError("--days must be 1 to 366.") }
            if output == "-" { throw ValidationError("--output must be the name of a file.") }
        }

        private static let advice = "Choose another file: --output FILE"

        /// Before the sync: what it receives is not sent again.
        private static func checkIsFree(_ path: String) throws {
            guard !FileManager.default.fileExists(atPath: path) else {
                throw CommandFailure(.usage, "'\(path)' exists already.", advice: advice)
            }
            let folder = directoryName(path)
            guard !path.isEmpty, access(folder.isEmpty ? "." : folder, W_OK | X_OK) == 0 else {
                throw PrivateFile.failure(path.isEmpty ? ENOENT : errno, path, advice)
            }
        }

        func run() async throws {
            let wiring = try Wiring(common, bluetooth)
            let (services, model) = try await blocking {
                let services = wiring.services(try wiring.history(for: .updating))
                return (
                    services,
                    try PedometerSelection(services.history, ofUserNamed: common.user).pedometer(pedometer).model
                )
            }
            let path = output ?? "istep-\(model).txt"
            try Self.checkIsFree(path)
            let progress = wiring.progress()
            defer { progress.end() }
            let (outcome, capture) = try await CapturedSync(services).run(pedometer, days: days) {
                progress.step(ProgressWords.line($0, wiring.localTime))
            }
            progress.end()
            // The sync has taken some time: there may be a file by now.
            try PrivateFile.write(capture.text, to: path, advice: Self.advice, replaces: false)
            let failure = outcome.reports.compactMap(\.failure).first
            try wiring.show(CaptureView(path: path, frames: capture.frames.count, isComplete: failure == nil))
            if let failure { throw failure }
        }
    }
}
