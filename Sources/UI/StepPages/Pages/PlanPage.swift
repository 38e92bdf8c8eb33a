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
            invalid(plan.form)
            Element.p(.css("muted small")) {
                "Steps for each day of the week. Earlier days keep their earlier goals. Only the goals that you change are saved."
            }
            context.form("plan", style: "stack") {
                Element.div(.css("fields")) {
                    Weekday.allCases.map { weekday in
                        field(plan.form, weekday.name, weekday.title, [Attribute(.inputmode, "numeric")])
                    }
                    field(
                        plan.form, "valid-from", "Valid from (empty: today)", [Attribute(.type, "date")],
                        id: "plan-from")
                }
                save("Save the goals")
            }
        }
    }

    private var body: Markup {
        Card.section("Profile", "s6") {
            invalid(profile.form)
            Element.p(.css("muted small")) {
                """
                Height, weight, sex and step length are used to calculate distance and calories. Only the values that you change are saved; an \
                empty field does not change the value. If the date is before your first profile, today's other values are saved as well.
                """
            }
            context.form("profile", style: "stack") {
                Element.div(.css("fields")) {
                    field(profile.form, "height", "Height in cm", [Attribute(.inputmode, "decimal")])
                    field(profile.form, "weight", "Weight in kg", [Attribute(.inputmode, "decimal")])
                    field(profile.form, "step", "Measured step length in cm", [Attribute(.inputmode, "decimal")])
                    field(profile.form, "birth", "Date of birth", [Attribute(.type, "date")])
                    sex
                    field(
                        profile.form, "valid-from", "Valid from (empty: today)", [Attribute(.type, "date")],
                        id: "profile-from")
                }
                save("Save the profile")
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
            original(profile.form, "sex")
            error(profile.form, "sex", "sex")
        }
    }

    /// A field with its label, what was typed, and what is wrong with that.
    private func field(
        _ form: FilledForm, _ name: String, _ label: String, _ attributes: [Attribute], id: String? = nil
    ) -> Markup {
        let id = id ?? name
        let isWrong = form.errors[name] != nil
        // A date field would drop what is no date: a wrong value stays as it was typed.
        let shown = isWrong ? [] : attributes
        return Element.div {
            Element.label(Attribute(.for, id)) { label }
            Element.input(
                shown + [
                    Attribute(.id, id), Attribute(.name, name), Attribute(.value, form.values[name] ?? ""),
                    Attribute(.autocomplete, "off"),
                ] + (isWrong ? [Attribute(.ariaInvalid, "true"), Attribute(.ariaDescribedby, "\(id)-error")] : []))
            original(form, name)
            error(form, name, id)
        }
    }

    /// What the field had when the page was made.
    @MarkupBuilder private func original(_ form: FilledForm, _ name: String) -> Markup {
        if let original = form.originals[name] {
            Element.input(
                Attribute(.type, "hidden"), Attribute(.name, FilledForm.nameOfOriginal(name)),
                Attribute(.value, original))
        }
    }

    @MarkupBuilder private func error(_ form: FilledForm, _ name: String, _ id: String) -> Markup {
        if let error = form.errors[name] { Element.p(.css("error"), Attribute(.id, "\(id)-error")) { error } }
    }

    private func save(_ words: String) -> Markup {
        Element.div(.css("actions")) { Element.button(Attribute(.type, "submit")) { words } }
    }

    /// Above a form with values that are wrong; each is named at its field.
    @MarkupBuilder private func invalid(_ form: FilledForm) -> Markup {
        if !form.errors.isEmpty {
            NoticeBox.markup(.bad, "Nothing was saved") {
                Element.p(.css("small")) {
                    form.errors.count == 1 ? "One value is not valid." : "\(form.errors.count) values are not valid."
                }
            }
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
