internal import StepDomain
internal import StepServices
internal import StepViews

/// The correction of a day as a form, with the rules and the messages of `istep correct`.
struct CorrectionForm: Sendable {
    private(set) var form: FilledForm

    /// As the day is corrected now; empty if it is not.
    init(_ summary: DaySummary) {
        form = FilledForm()
        guard summary.isCorrected else { return }
        form.values["steps"] = summary.steps.map { "\($0)" }
        form.values["reason"] = summary.correctionReason
    }

    init(_ fields: FormFields) {
        form = FilledForm()
        for name in ["steps", "reason"] { form.values[name] = fields[name] }
    }

    /// The correction in the form; nil if something is wrong, which `form.errors` then has.
    mutating func checked(on day: Day, today: Day) -> StepCorrection? {
        guard let text = form.values["steps"] else {
            form.errors["steps"] = "Enter the steps of the day."
            return nil
        }
        guard let steps = WholeNumber.value(text) else {
            form.errors["steps"] = "A number of steps is written like 8000."
            return nil
        }
        let correction = StepCorrection(steps: steps, reason: form.values["reason"])
        do throws(ServiceError) {
            try Corrections.check(correction, on: day, today: today)
            return correction
        } catch {
            form.errors[error == .unusableReason ? "reason" : "steps"] =
                ErrorText(error).line
            return nil
        }
    }

    /// Whether steps can be entered for a day: the forms of others would only be refused.
    static func isOffered(on day: Day) -> Bool { Validity.firstDays.contains(day) }
}
