import ArgumentParser
import StepDomain
import StepServices
import StepViews

struct ProfileCommand: ParsableCommand, TakesDays {
    static let dayOptions: Set = ["--from"]
    static let takesDayAsArgument = false

    static let configuration = CommandConfiguration(
        commandName: "profile",
        abstract: "Show or set your height, weight, sex and step length, used to calculate distance and calories.",
        discussion: """
            Your first profile applies to all days. A later profile applies from today on; earlier days keep theirs.

              istep profile --height 178 --weight 72 --sex male
              istep profile --step-length 74      in cm: 74 m walked in 100 steps
            """)

    @Option(help: ArgumentHelp("In centimetres.", valueName: "cm"), transform: ArgumentRules.number)
    var height: Double?

    @Option(help: ArgumentHelp("In kilograms.", valueName: "kg"), transform: ArgumentRules.number)
    var weight: Double?

    @Option(help: "Your sex, used for the step length.")
    var sex: Sex?

    @Option(
        help: ArgumentHelp(
            "Your date of birth. It is stored and shown, and not used in any calculation.", valueName: "date"),
        transform: { try DayArgument.date($0) })
    var birth: Day?

    @Option(
        help: ArgumentHelp("Your measured step length in centimetres.", valueName: "cm"),
        transform: ArgumentRules.number)
    var stepLength: Double?

    @Option(
        help: ArgumentHelp("The first day to which the profile applies.", valueName: "day"),
        completion: .list(DayArgument.words),
        transform: DayArgument.init(word:))
    var from: DayArgument?

    @OptionGroup var common: CommonOptions

    private var isSetting: Bool { [height, weight, stepLength].contains { $0 != nil } || sex != nil || birth != nil }

    func validate() throws {
        if from != nil, !isSetting { throw ValidationError("--from needs a value to set, such as --weight 72.") }
        try check("height", height.map { $0 / 100 }, Profile.heights, unit: "cm", scale: 100)
        try check("weight", weight, Profile.weights, unit: "kg", scale: 1)
        try check("step-length", stepLength.map { $0 / 100 }, Profile.stepLengths, unit: "cm", scale: 100)
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
        if let birth { try Planning.check(birthDate: birth, today: today) }
        if let from { try Planning.check(firstDay: from) }
        let history = try wiring.history(for: isSetting ? .creating : .reading)
        var user = try wiring.user(in: history, creating: isSetting ? .first : .never)
        if isSetting {
            user = try wiring.people(of: history).stored(user)
            let change = Planning.ProfileChange(
                height: height.map { $0 / 100 }, weight: weight, sex: sex, birthDate: birth,
                stepLength: stepLength.map { $0 / 100 })
            try Planning(history, today: today).setProfile(change, from: from, of: user)
        }
        try wiring.show(ProfileView(user: user, profiles: history.profiles(of: user.id)))
    }
}
