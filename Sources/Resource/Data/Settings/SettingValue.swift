import Support
import TOMLKit

/// A value of a configuration file, unconverted.
enum SettingValue: Hashable, Sendable {
    case text(String)
    case integer(Int)
    case number(Double)
    case flag(Bool)
    /// YYYY-MM-DD; the year is one of 0 to 9999.
    case date(String)
    case time
    case dateTime
    case array([SettingValue])
    case table([String: SettingEntry])

    /// For errors, which name the value that was found.
    var inWords: String {
        switch self {
        case .table: "a table"
        case .array: "an array"
        case .text: "a text"
        case .integer, .number: "a number"
        case .flag: "true or false"
        case .date: "a date"
        case .time: "a time"
        case .dateTime: "a date with time"
        }
    }
}

/// A value and the line of its key, if it is known.
struct SettingEntry: Hashable, Sendable {
    let value: SettingValue
    let line: Int?
}

extension [String: SettingEntry] {
    /// The entries from the first line to the last.
    var byLine: [(key: String, value: SettingEntry)] {
        sorted { ($0.value.line ?? .max, $0.key) < ($1.value.line ?? .max, $1.key) }
    }
}

extension SettingValue {
    /// Tables and arrays at this depth count as empty: no setting is that deep, and a document of one line can contain
    /// tables that are nested thousands deep.
    private static let deepest = 8

    static func entries(_ table: TOMLTable, _ positions: KeyPositions) -> [String: SettingEntry] {
        entries(table, positions, .root, depth: 1)
    }

    private static func entries(
        _ table: TOMLTable, _ positions: KeyPositions, _ parent: KeyPositions.Key?, depth: Int
    ) -> [String: SettingEntry] {
        var entries: [String: SettingEntry] = [:]
        for name in table.keys {
            let key = parent.flatMap { positions.key(name, in: $0) }
            guard let value = table[name].flatMap({ SettingValue($0, positions, key, depth: depth) }) else { continue }
            entries[name] = SettingEntry(value: value, line: key.flatMap(positions.line))
        }
        return entries
    }

    private init?(_ value: any TOMLValueConvertible, _ positions: KeyPositions, _ key: KeyPositions.Key?, depth: Int) {
        let isDeepest = depth >= Self.deepest
        switch value.type {
        case .string: self = .text(value.string ?? "")
        case .int: self = .integer(value.int ?? 0)
        case .double: self = .number(value.double ?? 0)
        case .bool: self = .flag(value.bool ?? false)
        case .date:
            guard let date = value.date else { return nil }
            self = .date("\(date.year.digits(width: 4))-\(date.month.digits(width: 2))-\(date.day.digits(width: 2))")
        case .time: self = .time
        case .dateTime: self = .dateTime
        case .array:
            guard let array = value.array else { return nil }
            self = .array(isDeepest ? [] : array.compactMap { SettingValue($0, positions, nil, depth: depth + 1) })
        case .table:
            guard let table = value.table else { return nil }
            self = .table(isDeepest ? [:] : Self.entries(table, positions, key, depth: depth + 1))
        }
    }
}

extension SettingValue {
    /// A single value as errors show it; nil for a value longer than a line.
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

extension String {
    /// Whether there are characters that a terminal or a line-based protocol would interpret.
    func hasControls(except allowed: String = "") -> Bool {
        unicodeScalars.contains { scalar in
            let isControl =
                switch scalar.properties.generalCategory {
                case .control, .lineSeparator, .paragraphSeparator: true
                default: false
                }
            return isControl && !allowed.unicodeScalars.contains(scalar)
        }
    }
}

/// An age in its usual notation: `2 years`, `18 months`, `6 weeks`, `90 days`, or `forever`.
struct Age: Equatable {
    /// Nil means forever. A month has 31 and a year 366 days here: nothing is deleted a day too early.
    let days: Int?

    /// Nil if the text is none of these, or more than a hundred years.
    init?(_ text: String) {
        let words = text.lowercased().split(separator: " ")
        if words == ["forever"] {
            days = nil
            return
        }
        guard words.count == 2, words[0].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let count = Int(words[0]),
            (1...36_600).contains(count)
        else { return nil }
        let unit: Int
        switch words[1] {
        case "day", "days": unit = 1
        case "week", "weeks": unit = 7
        case "month", "months": unit = 31
        case "year", "years": unit = 366
        default: return nil
        }
        guard count * unit <= 36_600 else { return nil }
        days = count * unit
    }
}
