import ArgumentParser
import StepDomain
import StepViews

struct ProfileCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profile",
        abstract: "Show or set your height and weight, which distance and calories are reckoned with.",
        discussion: """
            What you set holds from today on (the first time: for all days); earlier days keep the profile of their time.

              istep profile --height 178 --weight 72 --sex male
              istep profile --step-length 74      measured: metres walked, divided by steps
            """)

    @Option(help: ArgumentHelp("In centimetres.", valueName: "cm"), transform: Words.number)
    var height: Double?

    @Option(help: ArgumentHelp("In kilograms.", valueName: "kg"), transform: Words.number)
    var weight: Double?

    @Option(help: "female, male or unspecified.")
    var sex: Sex?

    @Option(help: ArgumentHelp("Your date of birth.", valueName: "date"))
    var birth: Day?

    @Option(help: ArgumentHelp("One walking step, measured, in centimetres.", valueName: "cm"), transform: Words.number)
    var stepLength: Double?

    @Option(help: ArgumentHelp("The first day that it holds for.", valueName: "day"))
    var from: DayArgument?

    @OptionGroup var common: CommonOptions

    private var isSetting: Bool { [height, weight, stepLength].contains { $0 != nil } || sex != nil || birth != nil }

    func validate() throws {
        if from != nil, !isSetting { throw ValidationError("--from needs what holds from then on, such as --weight 72.") }
        try check("height", height.map { $0 / 100 }, Profile.heights, unit: "cm", scale: 100)
        try check("weight", weight, Profile.weights, unit: "kg", scale: 1)
        try check("step-length", stepLength.map { $0 / 100 }, Profile.stepLengths, unit: "cm", scale: 100)
    }

    private func check(
        _ name: String, _ value: Double?, _ range: ClosedRange<Double>, unit: String, scale: Double
    ) throws {
        guard let value, !range.contains(value) else { return }
        throw ValidationError(
            "--\(name) takes \(Int(range.lowerBound * scale)) to \(Int(range.upperBound * scale)) \(unit).")
    }

    func run() async throws {
        let wiring = try Wiring(common)
        try checkBirth(today: wiring.localTime.day(of: wiring.now()))
        let history = try wiring.history(for: isSetting ? .creating : .reading)
        var user = try wiring.user(in: history, allowing: isSetting ? .first : .nobody)
        if isSetting {
            user = try wiring.stored(user, in: history)
            try set(history, user, wiring)
        }
        try wiring.show(ProfileView(user: user, profiles: history.profiles(of: user.id)))
    }

    /// The longest life known is one of 122 years.
    private func checkBirth(today: Day) throws {
        guard let birth else { return }
        if birth >= today { throw CommandFailure(.usage, "--birth \(birth) is not in the past.") }
        if today.components.year - birth.components.year > 130 {
            throw CommandFailure(.usage, "--birth \(birth) is more than 130 years ago.")
        }
    }

    private func set(_ history: any StepHistory, _ user: User, _ wiring: Wiring) throws {
        let profiles = try history.profiles(of: user.id)
        let validFrom = wiring.validFrom(from, isFirst: profiles.isEmpty)
        // What is not said stays as it was on that day.
        var profile = profiles.last { $0.validFrom <= validFrom } ?? Profile(validFrom: validFrom)
        profile.validFrom = validFrom
        profile.height = height.map { $0 / 100 } ?? profile.height
        profile.weight = weight ?? profile.weight
        profile.sex = sex ?? profile.sex
        profile.birthDate = birth ?? profile.birthDate
        profile.stepLength = stepLength.map { $0 / 100 } ?? profile.stepLength
        try history.setProfile(profile, of: user.id)
    }
}
