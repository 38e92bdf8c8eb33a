internal import StepDomain
internal import StepServices
internal import StepViews

/// Plan and profile, as they are and as entered.
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
            if let message { NoticeBox.markup(.plain, message, isStatus: true) }
            Element.div(.css("grid")) {
                goals
                body
                if !plans.isEmpty { history }
            }
        }
    }

    private var goals: Markup {
        Card.section("Goals", "s6") {
            plan.form.invalid
            Element.p(.css("muted small")) {
                "Steps for each day of the week. Earlier days keep their earlier goals. Only the goals that you change are saved."
            }
            context.form("plan", style: "stack") {
                Element.div(.css("fields")) {
                    Weekday.allCases.map { weekday in
                        plan.form.field(weekday.name, weekday.title, [Attribute(.inputmode, "numeric")])
                    }
                    plan.form.field(
                        "valid-from", "Valid from (empty: today)", [Attribute(.type, "date")], id: "plan-from")
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
                    profile.form.field("height", "Height in cm", [Attribute(.inputmode, "decimal")])
                    profile.form.field("weight", "Weight in kg", [Attribute(.inputmode, "decimal")])
                    profile.form.field("step", "Measured walking step in cm", [Attribute(.inputmode, "decimal")])
                    profile.form.field(
                        "running-step", "Measured running step in cm", [Attribute(.inputmode, "decimal")])
                    profile.form.field("birth", "Date of birth", [Attribute(.type, "date")])
                    sex
                    profile.form.field(
                        "valid-from", "Valid from (empty: today)", [Attribute(.type, "date")], id: "profile-from")
                }
                FilledForm.save("Save the profile")
            }
        }
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

    private var history: Markup {
        let table = Table(
            caption: "goals by weekday, the newest plan first",
            columns: [.words("From")] + Weekday.allCases.map { .number($0.shortName) },
            rows: plans.map { plan in
                // An earlier istep could store two plans from before the first day; only the oldest is shown as 'the
                // beginning'.
                let isFirst = plan.validFrom <= Validity.beginning && plan == plans.last
                return Table.Row(
                    isFirst ? "the beginning" : context.date(plan.validFrom),
                    Weekday.allCases.map { plan[$0] == 0 ? "rest" : Words.grouped(plan[$0]) })
            }, isCards: true)
        return Card.section("Plans so far") { table.markup }
    }
}
