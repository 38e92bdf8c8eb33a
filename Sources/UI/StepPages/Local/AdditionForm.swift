internal import StepDomain
internal import StepViews
internal import Support

/// The pedometer to add, as a form.
struct AdditionForm: Sendable {
    private(set) var form = FilledForm()

    init() {}

    init(_ fields: FormFields) {
        for name in ["device", "name"] { form.values[name] = fields[name] }
    }

    /// The address or name to search for, and the name to give; nil if something is wrong, which `form.errors` then
    /// has.
    mutating func checked(_ catalog: any PedometerCatalog) -> (device: String, name: String?)? {
        if let device = form.values["device"] {
            form.errors["device"] = RegistrationWords.problem(
                ofDevice: device, isAddress: { catalog.address($0) != nil })
        } else {
            form.errors["device"] = "Enter its address, or the beginning of the name that it advertises."
        }
        let name = form.values["name"]
        form.errors["name"] = name.flatMap { NameRule.problem(of: $0) }.map { "The name is not valid: \($0)." }
        guard form.errors.isEmpty, let device = form.values["device"] else { return nil }
        return (device, name)
    }
}
