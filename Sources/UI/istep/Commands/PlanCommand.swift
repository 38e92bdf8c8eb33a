import ArgumentParser
import StepDomain
import StepServices
import StepViews

struct PlanCommand: ParsableCommand, TakesDays {
    static let dayOptions: Set = ["--from", "--remove"]
    static let takesDayAsArgument = false
    static let documents = [JSONUse(.plan)]

    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Show or set your plan: a step goal for each weekday.",
        discussion: """
            Your first plan applies to all days. A later plan applies from today on; earlier days keep their goals.

              istep plan 8000                        every day
              istep plan 9000 --on sun=rest          Sundays are rest days
              istep plan --on sat=12000,sun=12000    change two days
              istep plan --remove 2014-04-20         the plan before it goes on
            """)

    @Argument(help: ArgumentHelp("Steps for every day.", valueName: "steps"), transform: ArgumentRules.steps)
    var goal: Int?

    @Option(
        help: ArgumentHelp(
            "Goals of single weekdays, separated by commas; rest or 0 is a rest day; may be given more than once.",
            valueName: "weekday=steps"), transform: WeekdayGoals.init(words:))
    var on: [WeekdayGoals] = []

    @OptionGroup var validity: ValidityOptions

    @OptionGroup var common: CommonOptions

    private var isSetting: Bool { goal != nil || !on.isEmpty }

    func validate() throws {
        try validity.check(isSetting: isSetting, values: "goals", example: "a goal, such as 8000")
        for steps in [goal].compactMap(\.self) + on.flatMap({ $0.goals.values })
        where !SportPlan.goalRange.contains(steps) {
            throw ValidationError("A goal must be 0 to \(SportPlan.goalRange.upperBound) steps.")
        }
    }

    func run() throws {
        let wiring = try Wiring(common)
        let weekdays = Dictionary(on.flatMap(\.goals).map { ($0.key, $0.value) }) { $1 }
        let set = { (planning: Planning, from: Day?, user: User) in
            try planning.setPlan(everyDay: goal, weekdays: weekdays, from: from, of: user)
        }
        let (history, user, isUnchanged) = try validity.apply(wiring, set: isSetting ? set : nil) {
            try $0.removePlan(from: $1, of: $2)
        }
        try wiring.show(PlanView(user: user, plans: history.plans(of: user.id), isUnchanged: isUnchanged))
    }
}

/// `sat=12000,sun=rest`.
struct WeekdayGoals {
    let goals: [Weekday: Int]

    /// - Throws: `ValidationError` with the form that is expected.
    init(words: String) throws {
        var goals: [Weekday: Int] = [:]
        for part in words.lowercased().split(separator: ",", omittingEmptySubsequences: false) {
            let pair = part.split(separator: "=", omittingEmptySubsequences: false)
            guard pair.count == 2 else {
                throw ValidationError("goals of weekdays are written like sat=12000,sun=rest")
            }
            guard let weekday = Weekday(word: pair[0]) else {
                throw ValidationError("'\(pair[0])' is not a weekday: mon, tue, wed, thu, fri, sat or sun")
            }
            guard goals[weekday] == nil else { throw ValidationError("'\(pair[0])' is there twice") }
            goals[weekday] = pair[1] == "rest" ? 0 : try ArgumentRules.steps(pair[1])
        }
        self.goals = goals
    }
}
