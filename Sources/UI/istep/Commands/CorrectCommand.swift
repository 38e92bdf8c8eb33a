import ArgumentParser
import StepDomain
import StepServices
import StepViews

struct CorrectCommand: ParsableCommand, TakesDays {
    static let configuration = CommandConfiguration(
        commandName: "correct",
        abstract: "Correct the steps of a day by hand.",
        discussion: """
            Your figure replaces the counted steps of that day, even after later syncs. Distance and calories are scaled with it. The counted \
            steps are kept: 'istep show DAY' shows both, and --remove restores them. Destinations that can replace a day receive the \
            corrected figure with the next sync.

              istep correct yesterday --steps 9000
              istep correct 2014-04-20 --steps 12500 --reason "left the ring at home"
              istep correct yesterday --remove
            """)

    @Argument(
        help: ArgumentHelp("today, yesterday, 2014-04-20, -3 (days ago) or a weekday.", valueName: "day"),
        completion: .list(DayArgument.words),
        transform: DayArgument.init(word:))
    var day: DayArgument

    @Option(
        help: ArgumentHelp("The steps of the day, 0 to \(StepCorrection.stepRange.upperBound).", valueName: "number"),
        transform: ArgumentRules.steps)
    var steps: Int?

    @Option(help: ArgumentHelp("The reason, as free text; it is shown with the day and not shared.", valueName: "text"))
    var reason: String?

    @Flag(help: "Remove the correction and restore the counted steps.")
    var remove = false

    @OptionGroup var common: CommonOptions

    func validate() throws {
        if remove, steps != nil || reason != nil {
            throw ValidationError("--remove cannot be combined with --steps or --reason.")
        }
        if !remove, steps == nil { throw ValidationError("Give the steps with --steps, or --remove.") }
    }

    func run() throws {
        let wiring = try Wiring(common)
        let today = wiring.localTime.day(of: wiring.now())
        let day = day.day(today: today)
        let correction = steps.map { StepCorrection(steps: $0, reason: reason) }
        if let correction { try Corrections.check(correction, on: day, today: today) }
        let history = try wiring.history(for: remove ? .updating : .creating)
        var user = try wiring.user(in: history, creating: remove ? .never : .first)
        let corrections = Corrections(history, localTime: wiring.localTime, now: wiring.now)
        if let correction {
            user = try wiring.people(of: history).stored(user)
            try corrections.set(correction, on: day, of: user)
        } else {
            try corrections.remove(on: day, of: user)
        }
        let summary = try StepStatistics(history, localTime: wiring.localTime, now: wiring.now).summary(
            of: user, on: day)
        try wiring.show(DayView(summary, today: today, now: wiring.now(), localTime: wiring.localTime))
    }
}
