public import ArgumentParser
import StepDomain
import StepServices
public import StepViews
import Support

struct HistoryCommand: AsyncParsableCommand, TakesDays {
    static let dayOptions = DayRangeOptions.names.union(["--on"])
    static let takesDayAsArgument = false
    static let documents = [JSONUse(.history)]

    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Show a week, month, year or any range of days: bars, totals, streaks, comparison.",
        discussion: """
            Reads the history only: no Bluetooth, no network. Without a period it shows the last \(PeriodRequest.standardDays) days.

              istep history week                        this week; also: last week
              istep history 2014-04                     a month
              istep history 2014                        a year, by month, with a calendar
              istep history week --on 2014-04-20        the week of that day
              istep history all --by weekday
              istep history --from 2014-04-01 --to yesterday --csv

            A mark in each bar shows the goal of the day, or the mean goal of the days in the bar. Bars of weeks, months, years and \
            weekdays show the mean steps per day. Unknown days never count as 0, and means do not include today; the last line shows how \
            many days are complete, partial and unknown. A streak ends on a day that missed its goal, is unknown, or is partial and below \
            its goal. A rest day does not count and does not end it. Streaks are those of the whole history, whatever period is shown. The \
            current period is compared with the same number of days of the previous period.

            In CSV and JSON, "running" is true for a day that is not over. The steps that were run are "running_steps" (JSON: \
            "runningSteps").

            'week-start' in the configuration sets the first day of a week. The default is that of your locale, or Monday.
            """)

    @Argument(
        help: ArgumentHelp(
            "week, month or year: the one that contains today or, with --on, another day; last week, 2014, 2014-04; all: the whole history.",
            valueName: "period"), completion: .list(["week", "month", "year", "all", "last"]))
    var period: [String] = []

    @Option(
        help: ArgumentHelp(
            "Show the week, month or year of this day; or the month 2014-04, or the year 2014.", valueName: "day"),
        completion: .list(DayArgument.words))
    var on: String?

    @OptionGroup var range: DayRangeOptions

    @Option(help: ArgumentHelp("The unit of a bar.", valueName: "unit"))
    var by: HistoryView.Grouping?

    @Flag(help: "Print the numbers of the bars as CSV.")
    var csv = false

    @OptionGroup var common: CommonOptions

    /// What `period` and `--on` mean together; nil for neither.
    private func request(today: Day) throws -> PeriodRequest? {
        let chosen = try period.isEmpty ? nil : PeriodArgument(words: period)
        guard let on else { return chosen?.request(today: today) }
        switch (chosen, try PeriodArgument(words: [on])) {
        case (.named(let named, nil), .day(let day)) where named != .all:
            return PeriodRequest(named: named, day: day.day(today: today))
        // `--on 2014-04` alone says which period it means.
        case (nil, .isoWeek(let monday)), (.named(.week, nil), .isoWeek(let monday)):
            return PeriodArgument.isoWeek(monday).request(today: today)
        case (nil, .named(let named, let day?)): return PeriodRequest(named: named, day: day)
        case (.named(let named, nil), .named(let other, let day?)) where named == other:
            return PeriodRequest(named: named, day: day)
        case (_, .day): throw ValidationError("--on needs a period: week, month or year.")
        default: throw ValidationError("--on takes a day, such as 2014-04-20, or the month 2014-04, or the year 2014.")
        }
    }

    func validate() throws {
        _ = try request(today: Day(daysSince1970: 20_000))  // whatever today is: only the words are checked
        if !period.isEmpty || on != nil, !range.isEmpty {
            throw ValidationError("A period cannot be combined with --from or --to.")
        }
        if csv, common.json { throw ValidationError("--csv cannot be combined with --json.") }
    }

    func run() async throws {
        let wiring = try Wiring(common)
        if csv || common.json, try await blocking({ try wiring.isBeforeHistory() }) {
            // For a program, days of which nothing is known are no error.
            let figures = DaySeries(
                user: wiring.firstUser, today: wiring.localTime.day(of: wiring.now()), days: [])
            return try show(figures, hasPedometers: false, wiring)
        }
        let (history, user, figures) = try await wiring.figuresOfUser()
        let hasPedometers = try await blocking { try !history.pedometers(of: user.id).isEmpty }
        try show(figures, hasPedometers: hasPedometers, wiring)
    }

    private func show(_ figures: DaySeries, hasPedometers: Bool, _ wiring: Wiring) throws {
        let today = figures.today
        let (first, last) = range.days(today: today)
        let request = try request(today: today) ?? PeriodRequest(first: first, last: last)
        let chosen = try request.period(in: figures.known, today: today, weekStart: wiring.weekStart)
        let view = HistoryView(figures, chosen, by: by, hasPedometers: hasPedometers)
        guard csv else { return try wiring.show(view) }
        wiring.noteUnknownZone()
        for line in view.csv { try Output.standard.result(line) }
    }
}

extension HistoryView.Grouping: ExpressibleByArgument {}
