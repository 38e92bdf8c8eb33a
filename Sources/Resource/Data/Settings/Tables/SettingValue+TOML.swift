import TOMLKit

extension SettingValue {
    /// Tables and arrays as deep as this are taken for empty: nobody reads them, and a document of one line can hold
    /// tables that are thousands deep.
    private static let deepest = 8

    static func entries(_ table: TOMLTable, _ places: KeyPlaces) -> [String: SettingEntry] {
        entries(table, places, .root, depth: 1)
    }

    private static func entries(
        _ table: TOMLTable, _ places: KeyPlaces, _ parent: KeyPlaces.Key?, depth: Int
    ) -> [String: SettingEntry] {
        var entries: [String: SettingEntry] = [:]
        for name in table.keys {
            let key = parent.flatMap { places.key(name, in: $0) }
            guard let value = table[name].flatMap({ SettingValue($0, places, key, depth: depth) }) else { continue }
            entries[name] = SettingEntry(value: value, line: key.flatMap(places.line))
        }
        return entries
    }

    private init?(_ value: any TOMLValueConvertible, _ places: KeyPlaces, _ key: KeyPlaces.Key?, depth: Int) {
        let isDeepest = depth >= Self.deepest
        switch value.type {
        case .string: self = .text(value.string ?? "")
        case .int: self = .integer(value.int ?? 0)
        case .double: self = .number(value.double ?? 0)
        case .bool: self = .flag(value.bool ?? false)
        case .date:
            guard let date = value.date else { return nil }
            self = .date([(date.year, 4), (date.month, 2), (date.day, 2)].map(padded).joined(separator: "-"))
        case .time: self = .time
        case .dateTime: self = .dateTime
        case .array:
            guard let array = value.array else { return nil }
            self = .array(isDeepest ? [] : array.compactMap { SettingValue($0, places, nil, depth: depth + 1) })
        case .table:
            guard let table = value.table else { return nil }
            self = .table(isDeepest ? [:] : Self.entries(table, places, key, depth: depth + 1))
        }
    }
}

private func padded(_ number: Int, to width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
}
