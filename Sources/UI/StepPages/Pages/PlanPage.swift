internal import StepDomain
internal import StepViews

/// Plan and profile, as they are and as entered.
struct PlanPage: Sendable {
    let context: PageContext
    let plan: PlanForm
    let profile: ProfileForm
    /// Newest first.
    let plans: [SportPlan]
    /// Newest first.
    let profiles: [Profile]
    var message: String?

    var document: Markup {
        PageFrame(title: "Plan and profile", context: context, section: .plan).document {
            Element.h1 { "Plan and profile" }
            if let message { NoticeBox.markup(.plain, message, isStatus: true) }
            Element.div(.css("grid")) {
                goals
                body
                if !plans.isEmpty { earlierPlans }
                if !profiles.isEmpty { earlierProfiles }
            }
        }
    }

    private var goals: Markup {
        Card.section("Goals", "s6") {
            plan.form.invalid
            Element.p(.css("muted small")) {
                "Steps for each day of the week; 0 is a rest day. Earlier days keep their earlier goals. Only the goals that you change are saved."
            }
            context.form("plan", style: "stack") {
                Element.div(.css("fields")) {
                    Weekday.allCases.map { weekday in
                        plan.form.field(weekday.name, weekday.title, [Attribute(.inputmode, "numeric")])
                    }
                    plan.form.validity("plan", isFirst: plans.isEmpty)
                }
                FilledForm.save("Save the goals")
            }
        }
    }

    private var body: Markup {
        Card.section("Profile", "s6") {
            profile.form.invalid
            Element.p(.css("muted small")) {
                """
                Height, weight, sex and step length are used to calculate distance and calories. Only the values that you change are saved; an \
                empty field does not change the value. If the date is before your first profile, today's other values are saved as well.
                """
            }
            context.form("profile", style: "stack") {
                Element.div(.css("fields")) {
                    measure("height", "Height", .height)
                    measure("weight", "Weight", .weight)
                    measure("step", "Measured walking step", .stepLength)
                    measure("running-step", "Measured running step", .stepLength)
                    profile.form.field("birth", "Date of birth", [Attribute(.type, "date")])
                    sex
                    profile.form.validity("profile", isFirst: profiles.isEmpty)
                }
                FilledForm.save("Save the profile")
            }
        }
    }

    private func measure(_ name: String, _ title: String, _ quantity: Measure.Quantity) -> Markup {
        let unit =
            switch (context.units, quantity) {
            case (.metric, .weight): "in kg"
            case (.metric, _): "in cm"
            case (.imperial, .weight): "in pounds"
            case (.imperial, .height): "such as 5 ft 10 in"
            case (.imperial, .stepLength): "in inches"
            }
        // A keyboard for numbers has no letters.
        return profile.form.field(
            name, "\(title)\(unit.hasPrefix("such") ? "," : "") \(unit)",
            context.units == .metric ? [Attribute(.inputmode, "decimal")] : [])
    }

    private var sex: Markup {
        Element.div {
            Element.label(Attribute(.for, "sex")) { "Sex" }
            Element.select(Attribute(.id, "sex"), Attribute(.name, "sex")) {
                Sex.allCases.map { sex in
                    Element.option(
                        Attribute(.value, sex.rawValue),
                        Attribute(.selected, (profile.form.values["sex"] ?? "unspecified") == sex.rawValue)
                    ) { sex.rawValue }
                }
            }
            profile.form.original("sex")
            profile.form.error("sex", "sex")
        }
    }

    private var earlierPlans: Markup {
        let table = Table(
            caption: "goals by weekday, the newest plan first",
            columns: [.words("From")] + Weekday.allCases.map { .number($0.shortName) } + [.number("Change")],
            rows: plans.map { plan in
                Table.Row(
                    .text(first(plan, plans)),
                    Weekday.allCases.map { .text(plan[$0] == 0 ? "rest" : Words.grouped(plan[$0])) }
                        + [removal("plan", plan, plans, "Its days have the plan before it, or no goals.")])
            }, isCards: true)
        return Card.section("Plans so far") { table.markup }
    }

    private var earlierProfiles: Markup {
        let units = context.units
        let table = Table(
            caption: "profiles, the newest first",
            columns: [
                .words("From"), .number("Height"), .number("Weight"), .number("Sex"), .number("Born"),
                .number("Walking step"), .number("Running step"), .number("Change"),
            ],
            rows: profiles.map { profile in
                let values = [
                    profile.height.map(units.words(height:)) ?? "", profile.weight.map(units.words(weight:)) ?? "",
                    profile.sex == .unspecified ? "" : profile.sex.rawValue,
                    profile.birthDate.map(context.date) ?? "", profile.stepLength.map(units.words(length:)) ?? "",
                    profile.runningStepLength.map(units.words(length:)) ?? "",
                ]
                return Table.Row(
                    .text(first(profile, profiles)),
                    values.map { .text($0) }
                        + [removal("profile", profile, profiles, "Its days have the profile before it, or none.")])
            }, isCards: true)
        return Card.section("Profiles so far") { table.markup }
    }

    /// An earlier istep could store two entries from before the first day; only the oldest is shown as 'the beginning'.
    private func first<Entry: ValidFrom & Equatable>(_ entry: Entry, _ entries: [Entry]) -> String {
        entry.validFrom <= Validity.beginning && entry == entries.last
            ? "the beginning" : context.date(entry.validFrom)
    }

    /// Two steps, so that no entry is removed by a slip.
    private func removal<Entry: ValidFrom & Equatable>(
        _ what: String, _ entry: Entry, _ entries: [Entry], _ effect: String
    ) -> Markup {
        let name = "the \(what) from \(first(entry, entries))"
        return Element.details(.css("menu")) {
            Element.summary(.css("button small"), Attribute(.ariaLabel, "Remove \(name)")) { "Remove…" }
            Element.div {
                context.form(what, "remove", style: "stack") {
                    Element.hidden("from", "\(entry.validFrom)")
                    Element.p(.css("small")) { effect }
                    Element.button(Attribute(.type, "submit"), .css("danger")) { "Remove this \(what)" }
                }
            }
        }
    }
}
