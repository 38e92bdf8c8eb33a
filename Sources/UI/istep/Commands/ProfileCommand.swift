import ArgumentParser
import StepDomain
import StepServices
import StepViews

struct ProfileCommand: ParsableCommand, TakesDays {
    static let dayOptions: Set = ["--from", "--remove"]
    static let takesDayAsArgument = false
    static let documents = [JSONUse(.profile)]

    static let configuration = CommandConfiguration(
        commandName: "profile",
        abstract: "Show or set your height, weight, sex and step length, used to calculate distance and calories.",
        discussion: """
            Numbers without a unit are centimetres and kilograms, whatever units are shown. Your first profile applies to all days. A later profile applies from today on; earlier days keep theirs.

              istep profile --height 178 --weight 72 --sex male
              istep profile --height 5ft10in --weight 160lb
              istep profile --step-length 74      in cm: 74 m walked in 100 steps
              istep profile --running-step-length 110
              istep profile --step-length none    by the height again, from today on
              istep profile --remove 2014-04-20   the profile before it goes on
            """)

    @Option(
        help: ArgumentHelp("In centimetres, or with its unit: 1.78m, 5ft10in; or none.", valueName: "cm"),
        transform: { try GivenValue($0) { try ArgumentRules.measure($0, .height) } })
    var height: GivenValue<Measure>?

    @Option(
        help: ArgumentHelp("In kilograms, or with its unit: 160lb; or none.", valueName: "kg"),
        transform: { try GivenValue($0) { try ArgumentRules.measure($0, .weight) } })
    var weight: GivenValue<Measure>?

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
        transform: { try GivenValue($0) { try ArgumentRules.measure($0, .stepLength) } })
    var stepLength: GivenValue<Measure>?

    @Option(
        help: ArgumentHelp("The measured length of your running steps in centimetres, or none.", valueName: "cm"),
        transform: { try GivenValue($0) { try ArgumentRules.measure($0, .stepLength) } })
    var runningStepLength: GivenValue<Measure>?

    @OptionGroup var validity: ValidityOptions

    @OptionGroup var common: CommonOptions

    private var isSetting: Bool {
        [height, weight, stepLength, runningStepLength].contains { $0 != nil } || sex != nil || birth != nil
    }

    func validate() throws {
        try validity.check(isSetting: isSetting, values: "values", example: "a value to set, such as --weight 72")
    }

    /// A length in metres, or a weight in kilograms.
    ///
    /// - Throws: `CommandFailure` if it is not one of a person.
    private func value(
        _ name: String, _ given: GivenValue<Measure>?, _ quantity: Measure.Quantity, _ range: ClosedRange<Double>,
        _ units: UnitSystem
    ) throws -> Double? {
        guard let value = given?.value?.value(.metric) else { return nil }
        guard range.contains(value) else {
            // 1.72 centimetres.
            let areMetres = quantity != .weight && range.contains(value * 100)
            throw CommandFailure(
                .usage, "--\(name) must be \(units.words(range, quantity)).",
                advice: areMetres ? "Write metres with their unit: 1.72m." : nil)
        }
        return value
    }

    func run() throws {
        let wiring = try Wiring(common)
        let change = try change(wiring.units)
        if let birth = birth?.value {
            try Planning.check(birthDate: birth, today: wiring.localTime.day(of: wiring.now()))
        }
        let set = { (planning: Planning, from: Day?, user: User) in
            try planning.setProfile(change, from: from, of: user)
        }
        let (history, user, isUnchanged) = try validity.apply(wiring, set: isSetting ? set : nil) {
            try $0.removeProfile(from: $1, of: $2)
        }
        try wiring.show(ProfileView(user: user, profiles: history.profiles(of: user.id), isUnchanged: isUnchanged))
    }

    private func change(_ units: UnitSystem) throws -> Planning.ProfileChange {
        var change = Planning.ProfileChange(
            height: try value("height", height, .height, Profile.heights, units),
            weight: try value("weight", weight, .weight, Profile.weights, units), sex: sex, birthDate: birth?.value,
            stepLength: try value("step-length", stepLength, .stepLength, Profile.stepLengths, units),
            runningStepLength: try value(
                "running-step-length", runningStepLength, .stepLength, Profile.runningStepLengths, units))
        if height == .removed { change.removed.insert(.height) }
        if weight == .removed { change.removed.insert(.weight) }
        if birth == .removed { change.removed.insert(.birthDate) }
        if stepLength == .removed { change.removed.insert(.stepLength) }
        if runningStepLength == .removed { change.removed.insert(.runningStepLength) }
        return change
    }
}
