import ArgumentParser
import StepDomain
import StepServices
import StepViews

struct CorrectCommand: ParsableCommand, TakesDays {
    static let configuration = CommandConfiguration(
        commandName: "correct",
        abstract: "Correct the steps of a day by hand, or exclude a block of time.",
        discussion: """
            Your figure replaces the counted steps of that day, even after later syncs. Distance and calories are scaled with it. The counted \
            steps are kept: 'istep show DAY' shows both, and --remove restores them. Destinations that can replace a day receive the \
            corrected figure with the next sync.

              istep correct yesterday --steps 9000
              istep correct 2014-04-20 --steps 12500 --reason "left the ring at home"
              istep correct yesterday --remove

            With --from and --to, the steps of a block of time do not count: a drive on a cobbled street, a massage. It stays so after later \
            syncs and imports, and the day shows it. --remove lets them count again. Times are those where the day was walked, as its hours \
            are. If clocks show a time twice on that day, the first one is meant; with its offset, such as 02:15+01:00, either.

              istep correct yesterday --from 10:00 --to 10:30 --steps 0
              istep correct yesterday --from 10:00 --to 10:30 --remove
            """)
    static let documents = [JSONUse(.show)]

    @Argument(
        help: ArgumentHelp("today, yesterday, 2014-04-20, -3 (days ago) or a weekday.", valueName: "day"),
        completion: .list(DayArgument.words),
        transform: DayArgument.init(word:))
    var day: DayArgument

    @Option(
        help: ArgumentHelp("The steps of the day, 0 to \(StepCorrection.stepRange.upperBound).", valueName: "number"),
        transform: ArgumentRules.steps)
    var steps: Int?

    @Option(
        help: ArgumentHelp("The beginning of a block whose steps do not count, such as 10:00.", valueName: "time"),
        transform: ArgumentRules.blockTime)
    var from: BlockTime?

    @Option(
        help: ArgumentHelp("The end of the block; 24:00 is the end of the day.", valueName: "time"),
        transform: ArgumentRules.blockTime)
    var to: BlockTime?

    @Option(help: ArgumentHelp("The reason, as free text; it is shown with the day and not shared.", valueName: "text"))
    var reason: String?

    @Flag(help: "Remove the correction or the exclusion, and restore the counted steps.")
    var remove = false

    @OptionGroup var common: CommonOptions

    func validate() throws {
        if remove, steps != nil || reason != nil {
            throw ValidationError("--remove cannot be combined with --steps or --reason.")
        }
        if from != nil || to != nil {
            guard let from, let to else { throw ValidationError("A block needs both --from and --to.") }
            guard from.utcOffset != to.utcOffset || from.seconds < to.seconds else {
                throw ValidationError("--to must be later than --from, on the same day.")
            }
            if !remove, steps != 0 {
                throw ValidationError("The steps of a block can only be left out: --steps 0, or --remove.")
            }
        }
    }

    func run() throws {
        // Not earlier: an option with a typing error is reported first.
        if !remove, steps == nil { throw ValidationError("Give the steps with --steps, or --remove.") }
        let wiring = try Wiring(common)
        let today = wiring.localTime.day(of: wiring.now())
        let day = day.day(today: today)
        if let from, let to { return try exclude(day, from, to, wiring) }
        let correction = steps.map { StepCorrection(steps: $0, reason: reason) }
        if let correction { try Corrections.check(correction, on: day, today: today) }
        let history = try wiring.history(for: remove ? .updating : .creating)
        var user = try wiring.user(in: history, creating: remove ? .never : .first)
        let corrections = Corrections(history, localTime: wiring.localTime, now: wiring.now)
        if let correction {
            user = try wiring.stored(user, in: history)
            try corrections.set(correction, on: day, of: user)
        } else {
            try corrections.remove(on: day, of: user)
        }
        try wiring.show(DayView(DayReport(of: user, on: day, in: wiring.services(history)), isChanged: true))
    }

    private func exclude(_ day: Day, _ from: BlockTime, _ to: BlockTime, _ wiring: Wiring) throws {
        let store = try wiring.history(for: .updating)
        let user = try wiring.user(in: store)
        let exclusions = Exclusions(store, localTime: wiring.localTime, now: wiring.now)
        if remove {
            try exclusions.include(day, from: from, to: to, of: user)
        } else {
            try exclusions.exclude(day, from: from, to: to, reason: reason, of: user)
        }
        try wiring.show(DayView(DayReport(of: user, on: day, in: wiring.services(store)), isChanged: true))
    }
}
