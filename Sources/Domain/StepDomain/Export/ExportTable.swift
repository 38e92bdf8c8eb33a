/// A table of `istep export`. The list of its columns is what the files have, what an import of them expects, and the
/// documentation.
public struct ExportTable: Hashable, Sendable {
    public struct Column: Hashable, Sendable {
        /// How a value is written.
        public enum Kind: String, Hashable, Sendable {
            /// A whole number.
            case integer
            case number
            case text
            /// `true` or `false`.
            case boolean
            /// ISO 8601: `2014-04-20`.
            case day
            /// ISO 8601 with a UTC offset: `2014-04-20T07:30:00+02:00`.
            case time
        }

        /// How late a time or a day can be. An export can be made by anybody, and what is said of the future can keep
        /// later data from counting.
        public enum Latest: Hashable, Sendable, CaseIterable {
            /// It has happened.
            case now
            /// Something waits for it, at most a few days.
            case soon
            /// The user decides it.
            case any
        }

        public var name: String
        public var kind: Kind
        /// Of a time or a day, or of a text that has some; nil for all others.
        public var latest: Latest?
        /// Whether it can be empty: the value is not known, or there is none.
        public var isOptional: Bool
        /// What it means, with its unit, in one sentence.
        public var text: String

        /// - Parameter latest: nil for `now` of a time or a day.
        init(_ name: String, _ kind: Kind, isOptional: Bool = false, latest: Latest? = nil, _ text: String) {
            self.name = name
            self.kind = kind
            self.latest = latest ?? ([.day, .time].contains(kind) ? .now : nil)
            self.isOptional = isOptional
            self.text = text
        }
    }

    public var name: String
    /// What a row is, in one sentence.
    public var text: String
    public var columns: [Column]
    /// Whether istep calculates it from the others: an import ignores it.
    public var isCalculated: Bool

    init(_ name: String, isCalculated: Bool = false, _ text: String, _ columns: [Column]) {
        self.name = name
        self.text = text
        self.columns = columns
        self.isCalculated = isCalculated
    }

    /// The tables that its rows refer to by a number or a name. Users can be added by their names alone.
    public var references: [ExportTable] {
        let targets: [String: ExportTable] = [
            "pedometer": .pedometers, "sync": .syncs, "destination": .destinations, "import": .imports,
            "content": .importContents,
        ]
        return columns.compactMap { targets[$0.name] }.filter { $0 != self }
    }

    /// The table of a name.
    public static func named(_ name: some StringProtocol) -> ExportTable? { all.first { $0.name == name } }
}

/// A value in a row of an export.
public enum ExportValue: Hashable, Sendable {
    case null
    case integer(Int)
    case number(Double)
    case text(String)
    case boolean(Bool)

    public init(_ value: Int?) { self = value.map(Self.integer) ?? .null }
    public init(_ value: Double?) { self = value.map(Self.number) ?? .null }
    public init(_ value: String?) { self = value.map(Self.text) ?? .null }

    /// As CSV and JSON write it, without quotes; nil for no value.
    public var text: String? {
        switch self {
        case .null: nil
        case .integer(let value): String(value)
        case .number(let value): "\(value)"
        case .text(let value): value
        case .boolean(let value): value ? "true" : "false"
        }
    }
}

/// What an export has.
public struct ExportSelection: Sendable {
    /// In the order of `ExportTable.all`.
    public var tables: [ExportTable]
    /// Nil for all users.
    public var user: User?
    /// Nil for all days. Tables without days are then whole.
    public var days: ClosedRange<Day>?

    /// - Parameter names: nil for all tables; of some days all but those of imports, which belong to whole files.
    public init(_ names: [String]?, user: User?, days: ClosedRange<Day>?) {
        let tables = ExportTable.all.filter { table in
            table == .tables
                || names.map { $0.contains(table.name) }
                    ?? (days == nil || !(ExportTable.ofImports + ExportTable.ofImportedDecisions).contains(table))
        }
        (self.tables, self.user, self.days) = (tables, user, days)
    }
}

/// Receives the rows of an export, table by table.
public protocol ExportWriter: AnyObject {
    func begin(_ table: ExportTable) throws
    /// - Parameter values: in the order of the columns.
    func row(_ values: [ExportValue]) throws
    /// After the last table: what was written becomes visible.
    func finish() throws
}

extension ExportValue {
    /// A time with its offset. One that no calendar has, from a clock that was far off, is written as seconds since
    /// 1970 and the offset in seconds, such as `@-99999999999+3600`.
    public static func time(_ seconds: Int, utcOffset: Int) -> ExportValue {
        let offset = StepSample.utcOffsets.contains(utcOffset) ? utcOffset : 0
        let calendar = 0...Timestamp.last.seconds
        guard calendar.contains(seconds), calendar.contains(seconds + offset) else {
            return .text("@\(seconds)\(offset < 0 ? "-" : "+")\(abs(offset))")
        }
        return .text(Timestamp(seconds).iso8601(utcOffset: offset))
    }

    /// What `time` has written; nil for any other text.
    public static func parsed(time text: String) -> (seconds: Int, utcOffset: Int)? {
        if let written = Timestamp.parsed(iso8601: text) { return (written.moment.seconds, written.utcOffset) }
        guard text.first == "@", let sign = text.dropFirst(2).lastIndex(where: { "+-".contains($0) }),
            let seconds = Int(text[text.index(after: text.startIndex)..<sign]), let offset = Int(text[sign...])
        else { return nil }
        return (seconds, offset)
    }
}
