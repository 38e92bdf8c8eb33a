internal import StepDomain
internal import StepServices
internal import StepViews

/// A form with what was typed, and what is wrong with it, by the name of the field.
struct FilledForm: Hashable, Sendable {
    var values: [String: String] = [:]
    var errors: [String: String] = [:]
    /// What the fields had when the page was made: what the user has not changed must not be stored as of another day,
    /// or rounded as it is shown. The form sends it, so that a page compares with what it showed, whatever has changed
    /// since.
    var originals: [String: String] = [:]

    /// The name of the hidden field with the original of a field.
    static func nameOfOriginal(_ name: String) -> String { "was-\(name)" }

    /// Whether the user has entered something else than the page had. To empty a field changes nothing.
    func isChanged(_ name: String) -> Bool { values[name].map { $0 != originals[name] } ?? false }

    /// The value of a field as a whole number of a range; nil if it is empty or wrong, which is then noted.
    mutating func integer(_ name: String, _ range: ClosedRange<Int>, _ hint: String) -> Int? {
        guard let text = values[name] else { return nil }
        if let value = Int(text), range.contains(value) { return value }
        errors[name] =
            "Enter a whole number from \(Words.grouped(range.lowerBound)) to \(Words.grouped(range.upperBound)); \(hint)."
        return nil
    }

    /// The same of a number with decimals, which may be written with a comma; nil also where the user has not changed
    /// it.
    mutating func number(_ name: String, _ range: ClosedRange<Double>, _ unit: String) -> Double? {
        guard isChanged(name) else { return nil }
        guard let plain = values[name]?.replacing(",", with: "."),
            plain.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2e }),
            let value = Double(plain), range.contains(value)
        else {
            errors[name] = "\(Words.short(range.lowerBound)) to \(Words.short(range.upperBound)) \(unit)."
            return nil
        }
        return value
    }

    /// The same as `number` of a day.
    mutating func day(_ name: String, _ range: ClosedRange<Day>, _ words: String) -> Day? {
        guard isChanged(name), let text = values[name] else { return nil }
        if let day = Day(text), range.contains(day) { return day }
        errors[name] = words
        return nil
    }

    /// The day from which a plan or a profile holds.
    mutating func validFrom() -> Day? {
        let days = Validity.firstDays
        return day("valid-from", days, "Enter a date from \(days.lowerBound) on, such as 2026-11-01.")
    }
}

extension FilledForm {
    /// - Parameter names: of the fields that have an original.
    init(_ fields: FormFields, _ names: [String]) {
        self.init()
        for name in names {
            values[name] = fields[name]
            originals[name] = fields[Self.nameOfOriginal(name)]
        }
        values["valid-from"] = fields["valid-from"]
    }
}

/// The sport plan as a form: a goal for each weekday, and the day from which it holds.
struct PlanForm: Sendable {
    private(set) var form: FilledForm

    /// As the plan in force is.
    init(_ plan: SportPlan?) {
        form = FilledForm()
        for weekday in Weekday.allCases { form.values[weekday.name] = plan.map { "\($0[weekday])" } }
        form.originals = form.values
    }

    init(_ fields: FormFields) { form = FilledForm(fields, Weekday.allCases.map(\.name)) }

    /// What it asks for; nil if something is wrong, which `form.errors` then has.
    ///
    /// - Returns: all goals, those of them that the user has changed, and the day from which they hold.
    mutating func checked() -> (goals: [Weekday: Int], changed: [Weekday: Int], from: Day?)? {
        var goals: [Weekday: Int] = [:]
        for weekday in Weekday.allCases {
            let goal = form.integer(weekday.name, SportPlan.goalRange, "0 is a rest day")
            if goal == nil, form.errors[weekday.name] == nil {
                form.errors[weekday.name] = "Enter the steps of this day; 0 is a rest day."
            }
            goals[weekday] = goal
        }
        let from = form.validFrom()
        let changed = goals.filter { form.isChanged($0.key.name) }
        return form.errors.isEmpty ? (goals, changed, from) : nil
    }
}

/// The profile as a form.
struct ProfileForm: Sendable {
    private(set) var form: FilledForm

    /// As the profile in force is.
    init(_ profile: Profile?) {
        form = FilledForm()
        form.values["height"] = profile?.height.map { Words.short($0 * 100) }
        form.values["weight"] = profile?.weight.map { Words.short($0) }
        form.values["sex"] = (profile?.sex ?? .unspecified).rawValue
        form.values["birth"] = profile?.birthDate.map { "\($0)" }
        form.values["step"] = profile?.stepLength.map { Words.short($0 * 100) }
        form.originals = form.values
    }

    private static let names = ["height", "weight", "sex", "birth", "step"]

    init(_ fields: FormFields) { form = FilledForm(fields, Self.names) }

    /// The request in the form; nil if something is wrong, which `form.errors` then has.
    ///
    /// - Returns: the values that the user has changed, and the day from which they hold.
    mutating func checked(today: Day) -> (changed: Planning.ProfileChange, from: Day?)? {
        var change = Planning.ProfileChange()
        change.height = form.number("height", Self.hundredfold(Profile.heights), "cm").map { $0 / 100 }
        change.weight = form.number("weight", Profile.weights, "kg")
        change.stepLength = form.number("step", Self.hundredfold(Profile.stepLengths), "cm").map { $0 / 100 }
        if form.isChanged("sex") {
            change.sex = form.values["sex"].flatMap(Sex.init(rawValue:))
            if change.sex == nil { form.errors["sex"] = "Choose one of the three." }
        }
        change.birthDate = form.day(
            "birth", Profile.birthDates(today: today), "Enter a date in the past, such as 1980-04-20.")
        let from = form.validFrom()
        return form.errors.isEmpty ? (change, from) : nil
    }

    private static func hundredfold(_ range: ClosedRange<Double>) -> ClosedRange<Double> {
        range.lowerBound * 100...range.upperBound * 100
    }
}
