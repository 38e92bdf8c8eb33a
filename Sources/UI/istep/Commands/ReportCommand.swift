import ArgumentParser
import StepDomain
import StepPages
import StepServices
import StepViews
import Support

struct ReportCommand: AsyncParsableCommand, TakesDays {
    static let dayOptions = DayRangeOptions.names
    static let takesDayAsArgument = false
    static let documents = [JSONUse(.report, "-o FILE")]

    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Write days, weeks, months and years with charts into one HTML file.",
        discussion: """
            The file is self-contained: no scripts, no external resources. It has a table for every chart, and can be printed. Reads the history \
            only: no Bluetooth, no network.

              istep report steps.html
              istep report spring.html --from 2026-03-01 --to 2026-05-31
            """)

    @Argument(help: ArgumentHelp("The same as --output.", valueName: "file"), completion: .file())
    var name: String?

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp(
            "The output file, readable by you only (default, and -: standard output). Only an istep report or an empty file is replaced.",
            valueName: "file"))
    var output: String?

    @OptionGroup var range: DayRangeOptions

    @OptionGroup var common: CommonOptions

    /// Nil for standard output.
    private var file: String? {
        let named = output ?? name
        return named == "-" ? nil : named
    }

    func validate() throws {
        if output != nil, name != nil { throw ValidationError("Name the file once, with --output or without.") }
        if (output ?? name)?.isEmpty == true { throw ValidationError("--output needs the name of a file.") }
        if file == nil, common.json {
            throw ValidationError("--json needs the name of a file: the report itself is HTML.")
        }
    }

    func run() async throws {
        if file == nil, Output.standard.isTerminal {
            throw CommandFailure(
                .usage, "A report is not printed to a terminal.",
                advice: "Write it to a file: `istep report -o steps.html`")
        }
        if let file, let beginning = PrivateFile.beginning(of: file), !ReportPage.isReport(beginning: beginning) {
            throw CommandFailure(
                .usage, "'\(file)' exists and is not an istep report.",
                advice: "Name another file: `istep report -o FILE`")
        }
        let wiring = try Wiring(common)
        let (history, user, figures) = try await wiring.figuresOfUser()
        let period = try period(figures, wiring.weekStart)
        let page = ReportPage(
            figures, period: period, sources: try await blocking { try Self.sources(of: user, in: history, wiring) },
            context: PageContext(
                user: user, users: [user], now: wiring.now(), localTime: wiring.localTime, weekStart: wiring.weekStart,
                units: wiring.units,
                audience: .file))
        let document = page.document.source
        guard let file else { return try Output.standard.result(document) }
        try PrivateFile.write(
            document, to: file,
            advice: "Name another file: `istep report -o FILE`, or redirect the output: `istep report > FILE`")
        try wiring.show(ReportView(file: file, bytes: document.utf8.count, days: figures[period.days].count))
    }

    private func period(_ figures: DaySeries, _ weekStart: Weekday) throws -> Period {
        let today = figures.today
        let (first, last) = range.days(today: today)
        let request = PeriodRequest(named: range.isEmpty ? .all : nil, first: first, last: last)
        return try request.period(in: figures.known, today: today, weekStart: weekStart)
    }

    private static func sources(of user: User, in history: History, _ wiring: Wiring) throws -> [ReportPage.Source] {
        let imported = try history.importSources().filter { $0.user == user.id }
        return try (history.pedometers(of: user.id) + imported).map { pedometer in
            let last = try history.lastCompleteSync(of: pedometer.id, until: wiring.now())
            return ReportPage.Source(
                name: pedometer.name, model: wiring.models.title(pedometer.model),
                isImported: imported.contains { $0.id == pedometer.id }, readThrough: pedometer.cursor.readThrough,
                lastSync: last.flatMap { $0.end ?? $0.start })
        }
    }
}
