import Quoting

extension SettingValue {
    /// A single value as errors tell it; nil for what is longer than a line.
    var inTOML: String? {
        switch self {
        case .text(let text), .date(let text): text
        case .integer(let number): String(number)
        case .number(let number): brief(number)
        case .flag(let flag): String(flag)
        case .time, .dateTime, .array, .table: nil
        }
    }
}

/// A number without a fraction that is zero.
func brief(_ number: Double) -> String {
    Int(exactly: number).map(String.init) ?? "\(number)"
}

extension String {
    /// Whether there are characters that a terminal or a protocol of lines would obey.
    func hasControls(except allowed: String = "") -> Bool {
        unicodeScalars.contains { scalar in
            let isControl = switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: true
            default: false
            }
            return isControl && !allowed.unicodeScalars.contains(scalar)
        }
    }
}
