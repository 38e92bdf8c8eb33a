import ArgumentParser
import StepDomain
import StepPages
import StepServices
import StepViews

struct ShowCommand: ParsableCommand, TakesDays {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show a day: steps, distance, calories, percentage of goal.",
        discussion: """
            Reads the history only: no Bluetooth, no network.

              istep today                       the same as istep show
              istep show yesterday
              istep show -3 --explain           each sample, and why it counts or not
              istep show --svg > today.svg      a card of the day as a picture
            """,
        aliases: ["today"])
    static let documents = [JSONUse(.show), JSONUse(.explanation, "--explain")]

    @Argument(
        help: ArgumentHelp(
            "today, yesterday, 2014-04-20, -3 (days ago) or a weekday; today if none is given.", valueName: "day"),
        completion: .list(DayArgument.words), transform: DayArgument.init(word:))
    var day = DayArgument(.daysAgo(0))

    @Flag(help: "Print the day as a picture (SVG).")
    var svg = false

    @Flag(help: "Print the day as CSV: a line of 'istep history --csv'.")
    var csv = false

    @Flag(help: "Show what is behind the figures: samples, sources, syncs and rules.")
    var explain = false

    @OptionGroup var common: CommonOptions

    func validate() throws {
        if [svg, csv, common.json].count(where: \.self) > 1 {
            throw ValidationError("Only one of --svg, --csv and --json can be given.")
        }
        if explain, svg || csv { throw ValidationError("--explain cannot be combined with --svg or --csv.") }
    }

    func run() throws {
        let wiring = try Wiring(common)
        let today = wiring.localTime.day(of: wiring.now())
        let day = day.day(today: today)
        try ServiceError.checkBegun(day, today: today)
        if csv, try wiring.isBeforeHistory() {
            // As 'istep history --csv'.
            for line in DayCSV.lines([]) { try Output.standard.result(line) }
            return
        }
        let history = try wiring.history(for: .reading)
        let user = try wiring.user(in: history)
        if csv || svg { wiring.noteUnknownZone() }
        if csv {
            let statistics = StepStatistics(history, localTime: wiring.localTime, now: wiring.now)
            let figures = try [statistics.figures(of: user, on: day)].compactMap(\.self)
            for line in DayCSV.lines(figures) { try Output.standard.result(line) }
            return
        }
        let view = try DayView(DayReport(of: user, on: day, in: wiring.services(history)))
        if explain {
            let data = try history.dayData(of: user, on: day)
            return try wiring.show(
                DayExplanationView(view, try DayProvenance(of: data, in: history, localTime: wiring.localTime)))
        }
        if svg { return try Output.standard.result(DayCard(view, units: wiring.units).document.source) }
        try wiring.show(view)
    }
}
