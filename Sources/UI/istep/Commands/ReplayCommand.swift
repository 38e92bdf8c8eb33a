import ArgumentParser
import StepDomain
import StepServices
import StepViews
import Support

struct ReplayCommand: AsyncParsableCommand, Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Decode stored raw frames again.",
        discussion: """
            After a new version of istep has corrected how a pedometer is decoded, this corrects what is stored: it decodes the raw frames of \
            all syncs again, shows which days would change, asks, and makes a backup. No pedometer is needed.

              istep replay ring -n      only shows what would change

            Samples of a sync are replaced only if all of its frames are understood as they were asked for; all others stay, and so do \
            corrections, excluded time and imports. Days that were shared are sent again if their figures change. Frames are kept for two years \
            ('frames' in the configuration); a pedometer that is read from advertisements, and one that had another owner, stay as they are.
            """)
    static let documents = [JSONUse(.replay)]

    @OptionGroup var only: PedometerArguments

    @OptionGroup var confirmation: ConfirmationOptions

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let wiring = try Wiring(common)
        let (store, chosen) = try await blocking {
            let store = try wiring.history(for: .updating)
            return (store, try PedometerSelection(store, ofUserNamed: common.user).pedometers(named: only.pedometers))
        }
        let replaying = wiring.replaying(store)
        let preview = try await replaying.preview(chosen)
        let view = ReplayView(preview, .preview)
        if preview.allSatisfy({ $0.samples == 0 }) { return try wiring.show(view) }
        let question = Question(
            text: "Replace the samples? A backup is made before.", refusal: "Nothing was replaced.",
            purpose: "To replace them", command: ShellCommand("istep replay --yes", only.pedometers))
        guard try await wiring.confirm(question, showing: view, confirmation) else { return }
        let outcome = try await replaying.store(chosen)
        try wiring.show(ReplayView(outcome.changes, .stored(backup: outcome.backup)))
    }
}
