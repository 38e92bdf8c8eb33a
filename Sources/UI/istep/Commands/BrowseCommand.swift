import ArgumentParser
import StepDomain
import StepViews

struct BrowseCommand: AsyncParsableCommand, Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "browse",
        abstract: "Browse days, weeks, months and years in a full-screen view; sync and share.",
        discussion: """
              ← →       the period before and after
              d w m y   day, week, month, year
              ↑ ↓       scroll; in a week, month or year mark a day or month
              Enter     open the marked day or month
              Home End  the first day, today
              g         go to a date
              t         today
              s         sync
              S         outbox: S or Enter shares, r retries a day, x x drops it
              u         the next user
              ?         help
              q         quit

            The terminal needs at least \(BrowseState.smallest.columns) columns and \(BrowseState.smallest.lines) lines.
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var bluetooth: BluetoothOptions

    func validate() throws {
        if common.json {
            throw ValidationError("browse has no --json: use 'istep show --json' or 'istep history --json'.")
        }
    }

    func run() async throws {
        guard TerminalScreen.isThere else {
            throw CommandFailure(
                .usage, "istep browse needs a terminal.", advice: "Show days as text: `istep show`, `istep history`")
        }
        var browser = try await BrowseSession(try Wiring(common, bluetooth))
        try await browser.run()
    }
}
