import Foundation
import GRDB
import StepDomain

/// Turns the rows of an export into those of the history.
final class ExportedRows {
    /// Why a row cannot be stored: the end of a sentence that begins with the row.
    struct Refusal: Error {
        let reason: String
    }

    private let database: Database
    private let limits: ExportLimits
    /// Whether users are added by their names alone.
    private let addsUsers: Bool
    /// The numbers of the users, by their names in the export.
    private(set) var people: [String: Int64] = [:]

    init(_ database: Database, _ limits: ExportLimits, addsUsers: Bool) {
        (self.database, self.limits, self.addsUsers) = (database, limits, addsUsers)
    }

    /// The values of a row, in the order of `StoredTable.insertion`.
    ///
    /// - Throws: `Refusal`; `HistoryError` for a name that istep does not accept.
    func stored(_ values: [String?], in table: StoredTable) throws -> [(any DatabaseValueConvertible)?] {
        var (stored, offset): ([(any DatabaseValueConvertible)?], Int?) = ([], nil)
        for (index, column) in table.export.columns.enumerated() {
            let text = values[index] ?? (column.isOptional || column.kind != .text ? nil : "")
            if text == nil, !column.isOptional { throw wrong(column, nil) }
            let value = try text.flatMap { try self.value($0, of: column, in: table, &offset) }
            if table.columns[index].insert != nil { stored.append(value) }
        }
        if table.hasOffset { stored.append(offset) }
        if let name = table.nameColumn { stored.append(try CheckedName(values[name] ?? "").key) }
        try check(stored, of: table.export)
        return stored
    }

    private func wrong(_ column: ExportTable.Column, _ text: String?, _ more: String = "") -> Refusal {
        let shown = text.map { "has \"\($0.prefix(40))\" in" } ?? "has nothing in"
        return Refusal(reason: "\(shown) \(column.name)\(more)")
    }

    // MARK: Values

    private func value(
        _ text: String, of column: ExportTable.Column, in table: StoredTable, _ offset: inout Int?
    ) throws -> (any DatabaseValueConvertible)? {
        if column.name == "user" { return try user(text, of: column, in: table) }
        func checked<T: DatabaseValueConvertible>(_ value: T, _ isInFuture: Bool) throws -> T {
            if isInFuture { throw wrong(column, text, ", which is in the future") }
            return value
        }
        switch column.kind {
        case .integer:
            if let number = Int(text) {
                // A number is a time only where the column says so.
                return try checked(number, limits.exclude(Timestamp(number), in: column))
            }
        case .number: if let number = Double(text), number.isFinite { return number }
        case .boolean: if let number = ["true": 1, "false": 0][text] { return number }
        case .day:
            if let day = Day(text) {
                let isInFuture = limits.exclude(day, in: column)
                return table.export == .importContents
                    ? try checked(day.daysSince1970, isInFuture) : try checked(day.description, isInFuture)
            }
        case .time:
            if let time = ExportValue.parsed(time: text) {
                if offset == nil { offset = time.utcOffset }
                return try checked(time.seconds, limits.exclude(Timestamp(time.seconds), in: column))
            }
        case .text:
            let rule = ColumnRule.all.first { $0.table == table.name && $0.column == column.name }
            if let rule { return try checked(text, limits.exclude(text, of: rule.kind, in: column)) }
            if column.name != "bytes" { return text }
            if let bytes = Data(hexadecimal: text) { return bytes }
        }
        throw wrong(column, text)
    }

    /// The name itself in the table of users, in all others the number of the user.
    private func user(
        _ text: String, of column: ExportTable.Column, in table: StoredTable
    ) throws -> any DatabaseValueConvertible {
        if table.export == .users {
            let name = try CheckedName(text)
            people[text] = Int64(people.count + 1)
            return name.text
        }
        if people[text] == nil, addsUsers {
            let name = try CheckedName(text)
            try database.execute(
                sql: "INSERT INTO person (name, name_key) VALUES (?, ?)", arguments: [name.text, name.key])
            people[text] = database.lastInsertedRowID
        }
        guard let person = people[text] else { throw wrong(column, text) }
        return person
    }

    // MARK: Rows

    /// What the constraints of the schema do not say.
    private func check(_ stored: [(any DatabaseValueConvertible)?], of export: ExportTable) throws {
        switch export {
        case .samples:
            // pedometer, start, length, steps, distance, energy, sync, offset
            guard let start = stored[1] as? Int, let length = stored[2] as? Int, let steps = stored[3] as? Int,
                let offset = stored[7] as? Int, StepSample.starts.contains(start),
                StepSample(start: Timestamp(start), length: length, steps: steps, utcOffset: offset).countsInHistory
            else { throw Refusal(reason: "cannot be right") }
        case .pedometers:
            if let model = stored[3] as? String, !limits.models.contains(model) {
                throw Refusal(reason: "has the model \"\(model.prefix(40))\", which this istep does not know")
            }
        case .importContents:
            guard let day = stored[2] as? Int, let bytes = stored[3] as? Data,
                PackedDay(Array(bytes), of: Day(daysSince1970: day)) != nil
            else { throw Refusal(reason: "cannot be read") }
        default: break
        }
    }
}

extension StoredTable {
    /// The column of the export with a name that is unique by `CheckedName.key`.
    fileprivate var nameColumn: Int? { [.users: 0, .pedometers: 2][export] }

    /// The statement that stores a row.
    var insertion: String {
        var names = columns.compactMap(\.insert)
        if export == .users { names = ["name"] }
        if hasOffset { names.append("utc_offset") }
        if nameColumn != nil { names.append("name_key") }
        let marks = names.map { _ in "?" }.joined(separator: ", ")
        return "INSERT INTO \(name) (\(names.joined(separator: ", "))) VALUES (\(marks))"
    }
}

extension Data {
    /// Pairs of hexadecimal digits; nil for any other text.
    fileprivate init?(hexadecimal text: String) {
        let digits = Array(text.utf8).map { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index], let low = digits[index + 1] else { return nil }
            bytes.append(UInt8(high << 4 | low))
        }
        self.init(bytes)
    }
}
