import ArgumentParser
import StepDomain
import StepServices
import StepViews

struct ProfileCommand: ParsableCommand, TakesDays {
    static let dayOptions: Set = ["--from", "--remove"]
    static let takesDayAsArgument = false

    static let configuration = CommandConfiguration(
        commandName: "profile",
        abstract: "Show or set your height, weight, sex and step length, used to calculate distance and calories.",
        discussion: """
            Your first profile applies to all days. A later profile applies from today on; earlier days keep theirs.

              istep profile --height 178 --weight 72 --sex male
              istep profile --step-length 74      in cm: 74 m walked in 100 steps
              istep profile --running-step-length 110
              istep profile --step-length none    by the height again, from today on
              istep profile --remove 2014-04-20   the profile before it goes on
            """)

    @Option(
        help: ArgumentHelp("In centimetres, or none.", valueName: "cm"),
        transform: { try GivenValue($0, ArgumentRules.number) })
    var height: GivenValue<Double>?

    @Option(
        help: ArgumentHelp("In kilograms, or none.", valueName: "kg"),
        transform: { try GivenValue($0, ArgumentRules.number) })
    var weight: GivenValue<Double>?

    @Option(help: "Your sex, used for the step length.")
    var sex: Sex?

    @Option(
        help: ArgumentHelp(
            "Your date of birth, or none. It is stored and shown, and not used in any calculation.", valueName: "date"),
        transform: { try GivenValue($0) { try DayArgument.date($0) } })
    var birth: GivenValue<Day>?

    @Option(
        help: ArgumentHelp(
            "The measured length of your walking steps in centimetres, or none. Running steps are scaled by it.",
            valueName: "cm"),
        transform: { try GivenValue($0, ArgumentRules.number) })
    var stepLength: GivenValue<Double>?

    @Option(
        help: ArgumentHelp("The measured length of your running steps in centimetres, or none.", valueName: "cm"),
        transform: { try GivenValue($0, ArgumentRules.number) })
    var runningStepLength: GivenValue<Double>?

    @Option(
        help: ArgumentHelp("The first day to which the profile applies; beginning for all days.", valueName: "day"),
        completion: .list(FirstDayArgument.words),
        transform: FirstDayArgument.init(word:))
    var from: FirstDayArgument?

    @Option(
        help: ArgumentHelp(
            "Remove the profile that begins on this day; the word beginning removes the first one.", valueName: "day"),
        completion: .list(FirstDayArgument.words),
        transform: FirstDayArgument.init(word:))
    var remove: FirstDayArgument?

    @OptionGroup var common: CommonOptions

    private var isSetting: Bool {
        [height, weight, stepLength, runningStepLength].contains { $0 != nil } || sex != nil || birth != nil
    }

    func validate() throws {
        if remove != nil, isSetting || from != nil {
            throw ValidationError("--remove cannot be combined with values or --from.")
        }
        if from != nil, !isSetting { throw ValidationError("--from needs a value to set, such as --weight 72.") }
        try check("height", height?.value.map { $0 / 100 }, Profile.heights, unit: "cm", scale: 100)
        try check("weight", weight?.value, Profile.weights, unit: "kg", scale: 1)
        try check("step-length", stepLength?.value.map { $0 / 100 }, Profile.stepLengths, unit: "cm", scale: 100)
        try check(
            "running-step-length", runningStepLength?.value.map { $0 / 100 }, Profile.runningStepLengths, unit: "cm",
            scale: 100)
    }

    private func check(
        _ name: String, _ value: Double?, _ range: ClosedRange<Double>, unit: String, scale: Double
    ) throws {
        guard let value, !range.contains(value) else { return }
        throw ValidationError(
            "--\(name) must be \(Int(range.lowerBound * scale)) to \(Int(range.upperBound * scale)) \(unit).")
    }

    func run() throws {
        let wiring = try Wiring(common)
        let today = wiring.localTime.day(of: wiring.now())
        let from = from?.day(today: today)
        if let birth = birth?.value { try Planning.check(birthDate: birth, today: today) }
        if let from { try Planning.check(firstDay: from) }
        let history = try wiring.history(for: isSetting ? .creating : remove == nil ? .reading : .updating)
        var user = try isSetting ? wiring.userToSet(in: history) : wiring.user(in: history)
        if isSetting {
            user = try wiring.people(of: history).stored(user)
            try Planning(history, today: today).setProfile(change, from: from, of: user)
        }
        if let remove { try Planning(history, today: today).removeProfile(from: remove.day(today: today), of: user) }
        try wiring.show(ProfileView(user: user, profiles: history.profiles(of: user.id)))
    }

    private var change: Planning.ProfileChange {
        var change = Planning.ProfileChange(
            height: height?.value.map { $0 / 100 }, weight: weight?.value, sex: sex, birthDate: birth?.value,
            stepLength: stepLength?.value.map { $0 / 100 },
            runningStepLength: runningStepLength?.value.map { $0 / 100 })
        if height == .removed { change.removed.insert(.height) }
        if weight == .removed { change.removed.insert(.weight) }
        if birth == .removed { change.removed.insert(.birthDate) }
        if stepLength == .removed { change.removed.insert(.stepLength) }
        if runningStepLength == .removed { change.removed.insert(.runningStepLength) }
        return change
    }
}
