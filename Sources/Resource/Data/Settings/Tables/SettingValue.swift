/// A value of a configuration file, as it stands there.
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

    /// For errors, which tell what was found.
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

/// A value and the line of its key, where it can be told.
struct SettingEntry: Hashable, Sendable {
    let value: SettingValue
    let line: Int?
}

extension [String: SettingEntry] {
    /// From the first line to the last.
    var byLine: [(key: String, value: SettingEntry)] {
        sorted { ($0.value.line ?? .max, $0.key) < ($1.value.line ?? .max, $1.key) }
    }
}
