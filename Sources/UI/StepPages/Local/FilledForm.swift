internal import StepDomain
internal import StepViews

/// A form with what was typed, and what is wrong with it, by the name of the field.
struct FilledForm: Hashable, Sendable {
    var values: [String: String] = [:]
    var errors: [String: String] = [:]
    /// What the fields had when the page was made: what the user has not changed must not be stored as of another day,
    /// or rounded as it is shown. The form sends it, so that a page compares with what it showed, whatever has changed
    /// since.
    var originals: [String: String] = [:]

    /// The choices of when a plan or a profile begins to hold.
    static let beginning = "beginning"
    static let today = "today"

    /// The name of the hidden field with the original of a field.
    static func nameOfOriginal(_ name: String) -> String { "was-\(name)" }

    /// Whether the user has entered something else than the page had. To empty a field changes nothing.
    func isChanged(_ name: String) -> Bool { values[name].map { $0 != originals[name] } ?? false }

    /// The value of a field as a whole number of a range; nil if it is empty or wrong, which is then noted.
    mutating func integer(_ name: String, _ range: ClosedRange<Int>, _ hint: String) -> Int? {
        guard let text = values[name] else { return nil }
        if let value = WholeNumber.value(text), range.contains(value) { return value }
        errors[name] =
            "Enter a whole number from \(Words.grouped(range.lowerBound)) to \(Words.grouped(range.upperBound)); \(hint)."
        return nil
    }

    /// The same of a length or a weight, in metres or kilograms; nil also where the user has not changed it.
    mutating func measure(
        _ name: String, _ quantity: Measure.Quantity, _ range: ClosedRange<Double>, _ units: UnitSystem
    ) -> Double? {
        guard isChanged(name) else { return nil }
        guard let value = values[name].flatMap({ Measure($0, quantity) })?.value(units), range.contains(value) else {
            errors[name] = "\(units.words(range, quantity))."
            return nil
        }
        return value
    }

    /// The same as `number` of a day.
    ///
    /// - Parameter words: for a day outside the range. What is no day at all shows how one is typed, because the field
    ///   is one for text then.
    mutating func day(_ name: String, _ range: ClosedRange<Day>, _ words: String) -> Day? {
        guard isChanged(name), let text = values[name] else { return nil }
        let day = try? DateInput.day(text)
        if let day, range.contains(day) { return day }
        errors[name] = day == nil ? "Enter a date as year, month and day, such as 2026-11-01." : words
        return nil
    }

    /// The day from which a plan or a profile holds; nil if the form does not say it.
    mutating func validFrom(today: Day) -> Day? {
        // A date says more than the choice above it.
        if values["valid"] == Self.beginning, values["valid-from"] == nil { return Validity.beginning }
        let days = Validity.firstDays
        let other = day(
            "valid-from", days, "Enter a date from \(DateForm.short.day(days.lowerBound, today: today)) on.")
        return other ?? (values["valid"] == Self.today ? today : nil)
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
        values["valid"] = fields["valid"]
    }
}
