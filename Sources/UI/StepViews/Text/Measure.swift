public import StepDomain

/// A length of a body or of a step, or a weight, as people type it: `178`, `72,5`, `178cm`, `1.78 m`, `5'10"`,
/// `5ft 10in`, `160 lb`, `11st 6lb`.
public struct Measure: Hashable, Sendable {
    public enum Quantity: Sendable {
        case height, stepLength, weight
    }

    private enum Unit {
        case centimetre, metre, foot, inch
        case kilogram, pound, stone

        /// Metres or kilograms.
        func value(_ number: Double) -> Double {
            switch self {
            case .metre, .kilogram: number
            // Divided, so that 178 is 1.78 exactly.
            case .centimetre: number / 100
            case .foot: number * UnitSystem.metresPerFoot
            case .inch: number * UnitSystem.metresPerInch
            case .pound: number * UnitSystem.kilogramsPerPound
            case .stone: number * 14 * UnitSystem.kilogramsPerPound
            }
        }
    }

    /// A number without a unit has that of the reader.
    private let parts: [(number: Double, unit: Unit?)]
    private let quantity: Quantity

    public static func == (a: Measure, b: Measure) -> Bool { a.text == b.text && a.quantity == b.quantity }
    public func hash(into hasher: inout Hasher) { hasher.combine(text) }

    /// As it was typed.
    private let text: String

    /// Nil if it is not written like one.
    public init?(_ text: String, _ quantity: Quantity) {
        self.text = text
        self.quantity = quantity
        var rest = text.lowercased()[...]
        var parts: [(number: Double, unit: Unit?)] = []
        while let match = rest.prefixMatch(of: /\ *([0-9]{1,4}(?:[.,][0-9]{1,3})?) *([a-z]+|['′"″])?\ */) {
            guard let number = Double(match.1.replacing(",", with: ".")) else { return nil }
            let unit = match.2.map { Self.unit(String($0), quantity) }
            if case .some(.none) = unit { return nil }
            parts.append((number, unit ?? nil))
            rest = rest[match.range.upperBound...]
        }
        guard rest.isEmpty, Self.isOne(parts.map(\.unit), quantity) else { return nil }
        self.parts = parts
    }

    private static func unit(_ name: String, _ quantity: Quantity) -> Unit? {
        switch (quantity == .weight, name) {
        case (false, "cm"): .centimetre
        case (false, "m"): .metre
        case (false, "ft"), (false, "foot"), (false, "feet"), (false, "'"), (false, "′"): .foot
        case (false, "in"), (false, "inch"), (false, "inches"), (false, "\""), (false, "″"): .inch
        case (true, "kg"): .kilogram
        case (true, "lb"), (true, "lbs"): .pound
        case (true, "st"): .stone
        default: nil
        }
    }

    /// One number, or feet and inches, or stones and pounds; the smaller unit may be left out.
    private static func isOne(_ units: [Unit?], _ quantity: Quantity) -> Bool {
        if units.count == 1 { return true }
        let (large, small) = quantity == .weight ? (Unit.stone, Unit.pound) : (.foot, .inch)
        return units.count == 2 && units[0] == large && [nil, small].contains(units[1])
    }

    /// Metres or kilograms.
    ///
    /// - Parameter units: of a number without a unit: centimetres and kilograms, or inches and pounds.
    public func value(_ units: UnitSystem) -> Double {
        let small = quantity == .weight ? Unit.pound : .inch
        let plain = units == .imperial ? small : quantity == .weight ? .kilogram : .centimetre
        return parts.enumerated().reduce(0) { sum, part in
            sum + (part.element.unit ?? (part.offset == 0 ? plain : small)).value(part.element.number)
        }
    }
}

extension UnitSystem {
    /// A distance: `6.18 km`, `3.84 mi`; from 100 on whole ones, `2,319 km`. The only rounding of distances: a figure
    /// is the same wherever it is shown.
    package func words(distance metres: Double) -> String { "\(number(distance: metres)) \(distanceUnit)" }

    /// The same without the unit.
    package func number(distance metres: Double) -> String {
        let number = distance(metres)
        // 99.995 has no third digit before the point, but is written as 100.
        return (abs(number) * 100).rounded() < 10_000 ? Words.fixed(number, 2) : Words.grouped(number)
    }

    /// The height of a person: `178 cm`, `5 ft 10 in`.
    package func words(height metres: Double) -> String {
        guard self == .imperial else { return words(length: metres) }
        let inches = (metres / Self.metresPerInch).rounded()
        guard inches.isFinite, (0..<1000).contains(inches) else { return "?" }
        return "\(Int(inches) / 12) ft \(Int(inches) % 12) in"
    }

    /// The length of a step: `74 cm`, `29.1 in`.
    package func words(length metres: Double) -> String {
        self == .metric ? "\(Words.short(metres * 100)) cm" : "\(Words.short(metres / Self.metresPerInch)) in"
    }

    /// `72.5 kg`, `160 lb`.
    package func words(weight kilograms: Double) -> String {
        self == .metric
            ? "\(Words.short(kilograms)) kg" : "\(Words.short(kilograms / Self.kilogramsPerPound)) lb"
    }

    package func words(_ value: Double, _ quantity: Measure.Quantity) -> String {
        switch quantity {
        case .height: words(height: value)
        case .stepLength: words(length: value)
        case .weight: words(weight: value)
        }
    }

    /// Values that a person may type: `50 to 250 cm`, `1 ft 8 in to 8 ft 2 in`. They are rounded into the range.
    package func words(_ range: ClosedRange<Double>, _ quantity: Measure.Quantity) -> String {
        let unit: Double =
            switch (self, quantity) {
            case (.metric, _): 0
            case (.imperial, .height): Self.metresPerInch
            case (.imperial, .weight): Self.kilogramsPerPound / 10
            case (.imperial, .stepLength): Self.metresPerInch / 10
            }
        let first = words(range.lowerBound + 0.499 * unit, quantity)
        let last = words(range.upperBound - 0.499 * unit, quantity)
        let isShort = first.split(separator: " ").count == 2
        return "\(isShort ? first.prefix { $0 != " " } : first[...]) to \(last)"
    }
}
