internal import StepDomain
internal import StepServices
internal import StepViews

/// A form with what was typed, and what is wrong with it, by the name of the field.
struct FilledForm: Hashable, Sendable {
    var values: [String: String] = [:]
    var errors: [String: String] = [:]

    /// The value of a field as a whole number of a range; nil where it is empty or wrong, which is then noted.
    mutating func integer(_ name: String, _ range: ClosedRange<Int>, _ hint: String) -> Int? {
        guard let text = values[name] else { return nil }
        if let value = Int(text), range.contains(value) { return value }
        errors[name] = "Enter a whole number from \(Words.grouped(range.lowerBound)) to \(Words.grouped(range.upperBound)); \(hint)."
        return nil
    }

    /// The same of a number with decimals, which may be written with a comma.
    mutating func number(_ name: String, _ range: ClosedRange<Double>, _ unit: String) -> Double? {
        guard let text = values[name] else { return nil }
        let plain = text.replacing(",", with: ".")
        if plain.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2e }), let value = Double(plain), range.contains(value) { return value }
        errors[name] = "\(Words.short(range.lowerBound)) to \(Words.short(range.upperBound)) \(unit)."
        return nil
    }

    mutating func day(_ name: String, _ range: ClosedRange<Day>, _ words: String) -> Day? {
        guard let text = values[name] else { return nil }
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

/// The sport plan as a form: a goal for each weekday, and the day from which it holds.
struct PlanForm: Sendable {
    private(set) var form: FilledForm

    /// As the plan in force is.
    init(_ plan: SportPlan?) {
        form = FilledForm()
        for weekday in Weekday.allCases { form.values[weekday.name] = plan.map { "\($0[weekday])" } }
    }

    init(_ fields: FormFields) {
        form = FilledForm()
        for name in Weekday.allCases.map(\.name) + ["valid-from"] { form.values[name] = fields[name] }
    }

    /// What it asks for; nil where something is wrong, which `form.errors` then has.
    mutating func checked() -> (goals: [Weekday: Int], from: Day?)? {
        var goals: [Weekday: Int] = [:]
        for weekday in Weekday.allCases {
            let goal = form.integer(weekday.name, SportPlan.goalRange, "0 is a rest day")
            if goal == nil, form.errors[weekday.name] == nil { form.errors[weekday.name] = "Enter the steps of this day; 0 is a rest day." }
            goals[weekday] = goal
        }
        let from = form.validFrom()
        return form.errors.isEmpty ? (goals, from) : nil
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
        form.values["sex"] = profile?.sex.rawValue
        form.values["birth"] = profile?.birthDate.map { "\($0)" }
        form.values["step"] = profile?.stepLength.map { Words.short($0 * 100) }
    }

    init(_ fields: FormFields) {
        form = FilledForm()
        for name in ["height", "weight", "sex", "birth", "step", "valid-from"] { form.values[name] = fields[name] }
    }

    mutating func checked(today: Day) -> (change: Planning.ProfileChange, from: Day?)? {
        var change = Planning.ProfileChange()
        change.height = form.number("height", Self.hundredfold(Profile.heights), "cm").map { $0 / 100 }
        change.weight = form.number("weight", Profile.weights, "kg")
        change.stepLength = form.number("step", Self.hundredfold(Profile.stepLengths), "cm").map { $0 / 100 }
        change.sex = form.values["sex"].flatMap(Sex.init(rawValue:))
        if form.values["sex"] != nil, change.sex == nil { form.errors["sex"] = "Choose one of the three." }
        // The longest known life lasted 122 years.
        change.birthDate = form.day(
            "birth", today.advanced(by: -130 * 366)...today.advanced(by: -1), "Enter a date in the past, such as 1980-04-20.")
        let from = form.validFrom()
        return form.errors.isEmpty ? (change, from) : nil
    }

    private static func hundredfold(_ range: ClosedRange<Double>) -> ClosedRange<Double> { range.lowerBound * 100...range.upperBound * 100 }
}

/// Plan and profile, as they are and as they shall be.
struct PlanPage: Sendable {
    let context: PageContext
    let plan: PlanForm
    let profile: ProfileForm
    /// Newest first.
    let plans: [SportPlan]
    var message: String?

    var document: Markup {
        PageFrame(title: "Plan and profile", context: context, section: .plan).document {
            Element.h1 { "Plan and profile" }
            if let message { Element.section(.css("notice good"), Attribute(.role, "status")) { Element.p { message } } }
            goals
            body
            if !plans.isEmpty { history }
        }
    }

    private var goals: Markup {
        Element.section {
            Element.h2 { "Goals" }
            Element.p { "Steps for each day of the week. Earlier days keep their earlier goals." }
            context.form("plan") {
                Element.div(.css("fields")) {
                    Weekday.allCases.map { weekday in
                        field(plan.form, weekday.name, Words.weekday(weekday), [Attribute(.inputmode, "numeric")])
                    }
                    field(plan.form, "valid-from", "Valid from (empty: today)", [Attribute(.type, "date")], id: "plan-from")
                }
                Element.button(Attribute(.type, "submit")) { "Save the goals" }
            }
        }
    }

    private var body: Markup {
        Element.section {
            Element.h2 { "Profile" }
            Element.p { "Used to calculate distance and calories. An empty field does not change the value." }
            context.form("profile") {
                Element.div(.css("fields")) {
                    field(profile.form, "height", "Height in cm", [Attribute(.inputmode, "decimal")])
                    field(profile.form, "weight", "Weight in kg", [Attribute(.inputmode, "decimal")])
                    field(profile.form, "step", "Measured step length in cm", [Attribute(.inputmode, "decimal")])
                    field(profile.form, "birth", "Date of birth", [Attribute(.type, "date")])
                    sex
                    field(profile.form, "valid-from", "Valid from (empty: today)", [Attribute(.type, "date")], id: "profile-from")
                }
                Element.button(Attribute(.type, "submit")) { "Save the profile" }
            }
        }
    }

    private var sex: Markup {
        Element.div {
            Element.label(Attribute(.for, "sex")) { "Sex" }
            Element.select(Attribute(.id, "sex"), Attribute(.name, "sex")) {
                Sex.allCases.map { sex in
                    Element.option(
                        Attribute(.value, sex.rawValue), Attribute(.selected, (profile.form.values["sex"] ?? "unspecified") == sex.rawValue)
                    ) { sex.rawValue }
                }
            }
            error(profile.form, "sex", "sex")
        }
    }

    /// A field with its label, what was typed, and what is wrong with that.
    private func field(_ form: FilledForm, _ name: String, _ label: String, _ attributes: [Attribute], id: String? = nil) -> Markup {
        let id = id ?? name
        let isWrong = form.errors[name] != nil
        // A date field would drop what is no date: a wrong value stays as it was typed.
        let shown = isWrong ? [] : attributes
        return Element.div {
            Element.label(Attribute(.for, id)) { label }
            Element.input(
                shown + [
                    Attribute(.id, id), Attribute(.name, name), Attribute(.value, form.values[name] ?? ""), Attribute(.autocomplete, "off"),
                ] + (isWrong ? [Attribute(.ariaInvalid, "true"), Attribute(.ariaDescribedby, "\(id)-error")] : []))
            error(form, name, id)
        }
    }

    @MarkupBuilder private func error(_ form: FilledForm, _ name: String, _ id: String) -> Markup {
        if let error = form.errors[name] { Element.p(.css("error"), Attribute(.id, "\(id)-error")) { error } }
    }

    private var history: Markup {
        Element.section {
            Element.h2 { "Plans so far" }
            Element.div(.css("wide")) {
                Element.table {
                    Element.caption { "Goals by weekday, the newest plan first" }
                    Charts(context: context).head(["From"] + Weekday.allCases.map { String(Words.weekday($0).prefix(3)) })
                    Element.tbody {
                        plans.map { plan in
                            Element.tr {
                                Element.th(Attribute(.scope, "row")) {
                                    // Of two that old, stored by an earlier version of istep, only one is the beginning.
                                    plan.validFrom <= Validity.beginning && plan == plans.last ? "the beginning" : "\(plan.validFrom)"
                                }
                                Weekday.allCases.map { day in Element.td { plan[day] == 0 ? "rest" : Words.grouped(plan[day]) } }
                            }
                        }
                    }
                }
            }
        }
    }
}
