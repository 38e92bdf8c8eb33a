internal import StepDomain
internal import StepServices
internal import StepViews

/// The sport plan as a form: a goal for each weekday, and the day from which it holds.
struct PlanForm: Sendable {
    private(set) var form: FilledForm

    /// As the effective plan is.
    init(_ plan: SportPlan?) {
        form = FilledForm()
        for weekday in Weekday.allCases { form.values[weekday.name] = plan.map { "\($0[weekday])" } }
        form.originals = form.values
    }

    init(_ fields: FormFields) {
        form = FilledForm(fields, Weekday.allCases.map(\.name))
        // As the command and the table of plans have it.
        for (name, value) in form.values where value.lowercased() == "rest" { form.values[name] = "0" }
    }

    /// What it asks for; nil if something is wrong, which `form.errors` then has.
    ///
    /// - Returns: all goals, those of them that the user has changed, and the day from which they hold.
    mutating func checked(today: Day) -> (goals: [Weekday: Int], changed: [Weekday: Int], from: Day?)? {
        var goals: [Weekday: Int] = [:]
        for weekday in Weekday.allCases {
            let goal = form.integer(weekday.name, SportPlan.goalRange, "0 is a rest day")
            if goal == nil, form.errors[weekday.name] == nil {
                form.errors[weekday.name] = "Enter the steps of this day; 0 is a rest day."
            }
            goals[weekday] = goal
        }
        let from = form.validFrom(today: today)
        let changed = goals.filter { form.isChanged($0.key.name) }
        return form.errors.isEmpty ? (goals, changed, from) : nil
    }
}

/// The profile as a form.
struct ProfileForm: Sendable {
    private(set) var form: FilledForm

    /// As the effective profile is.
    init(_ profile: Profile?, _ units: UnitSystem) {
        form = FilledForm()
        form.values["height"] = profile?.height.map { Self.text($0, .height, units) }
        form.values["weight"] = profile?.weight.map { Self.text($0, .weight, units) }
        form.values["sex"] = (profile?.sex ?? .unspecified).rawValue
        form.values["birth"] = profile?.birthDate.map { "\($0)" }
        form.values["step"] = profile?.stepLength.map { Self.text($0, .stepLength, units) }
        form.values["running-step"] = profile?.runningStepLength.map { Self.text($0, .stepLength, units) }
        form.originals = form.values
    }

    private static let names = ["height", "weight", "sex", "birth", "step", "running-step"]

    init(_ fields: FormFields) { form = FilledForm(fields, Self.names) }

    /// The request in the form; nil if something is wrong, which `form.errors` then has.
    ///
    /// - Returns: the values that the user has changed, and the day from which they hold.
    mutating func checked(today: Day, _ units: UnitSystem) -> (changed: Planning.ProfileChange, from: Day?)? {
        var change = Planning.ProfileChange()
        change.height = form.measure("height", .height, Profile.heights, units)
        change.weight = form.measure("weight", .weight, Profile.weights, units)
        change.stepLength = form.measure("step", .stepLength, Profile.stepLengths, units)
        change.runningStepLength = form.measure("running-step", .stepLength, Profile.runningStepLengths, units)
        if form.isChanged("sex") {
            change.sex = form.values["sex"].flatMap(Sex.init(rawValue:))
            if change.sex == nil { form.errors["sex"] = "Choose one of the three." }
        }
        change.birthDate = form.day(
            "birth", Profile.birthDates(today: today),
            "Enter a date in the past, at most \(Profile.maximumLife) years ago.")
        let from = form.validFrom(today: today)
        return form.errors.isEmpty ? (change, from) : nil
    }

    /// A number of centimetres or kilograms, whose unit the label has, or a number with its unit.
    private static func text(_ value: Double, _ quantity: Measure.Quantity, _ units: UnitSystem) -> String {
        let words = units.words(value, quantity)
        return units == .metric ? String(words.prefix { $0 != " " }) : words
    }
}
