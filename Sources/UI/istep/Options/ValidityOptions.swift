import ArgumentParser
import StepDomain
import StepServices

/// From which day on something applies that is valid from a day: a plan, a profile.
struct ValidityOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The first day to which it applies; beginning for all days.", valueName: "day"),
        completion: .list(FirstDayArgument.words), transform: FirstDayArgument.init(word:))
    var from: FirstDayArgument?

    @Option(
        help: ArgumentHelp(
            "Remove what begins on this day; the word beginning removes what applies from the beginning.",
            valueName: "day"),
        completion: .list(FirstDayArgument.words), transform: FirstDayArgument.init(word:))
    var remove: FirstDayArgument?

    /// - Parameters:
    ///   - isSetting: whether values are given.
    ///   - example: a value: `a goal, such as 8000`.
    func check(isSetting: Bool, values: String, example: String) throws {
        if remove != nil, isSetting || from != nil {
            throw ValidationError("--remove cannot be combined with \(values) or --from.")
        }
        if from != nil, !isSetting { throw ValidationError("--from needs \(example).") }
    }

    /// Sets values or removes them; does neither where nothing is given.
    ///
    /// - Parameter set: nil where no values are given. It returns whether something changed.
    /// - Returns: the history and the user to show, and whether values were given that were there already.
    func apply(
        _ wiring: Wiring, set: ((Planning, _ from: Day?, User) throws -> Bool)?,
        remove removing: (Planning, Day, User) throws -> Void
    ) throws -> (history: EditableHistory, user: User, isUnchanged: Bool) {
        let today = wiring.localTime.day(of: wiring.now())
        let from = from?.day(today: today)
        if let from { try Planning.check(firstDay: from) }
        let history = try wiring.history(for: set != nil ? .creating : remove == nil ? .reading : .updating)
        let planning = Planning(history, today: today)
        guard let set else {
            let user = try wiring.user(in: history)
            if let remove { try removing(planning, remove.day(today: today), user) }
            return (history, user, false)
        }
        let user = try wiring.stored(wiring.people(of: history).userToSet(), in: history)
        return (history, user, try !set(planning, from, user))
    }
}
