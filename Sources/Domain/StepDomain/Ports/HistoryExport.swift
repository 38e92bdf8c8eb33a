/// An export that can be read, such as a folder of CSV files.
public protocol ExportedHistory: Sendable {
    /// The absolute path of the file or folder.
    var path: String { get }
    /// The stored tables that it does not have: empty for a whole history. Without `tables` itself it cannot be told
    /// whether a part was lost.
    var missing: [ExportTable] { get }

    /// Reads the stored tables in the order of `ExportTable.stored`, row by row. Values are nil where there is none.
    ///
    /// - Throws: `ImportError`; what `row` throws.
    func rows(_ row: (ExportTable, [String?]) throws -> Void) throws

    /// The steps of days as the source has calculated them, to compare with those of its rows; empty if it has none.
    ///
    /// - Throws: `ShareFailure`.
    func steps() throws -> [Day: Int]
}

extension ExportedHistory {
    public func steps() throws -> [Day: Int] { [:] }
}

/// What was taken in: the rows of each table.
public struct ExportCounts: Hashable, Sendable {
    public struct Table: Hashable, Sendable {
        public var name: String
        public var rows: Int
        /// Rows that no clock can have timed.
        public var leftOut = 0
    }

    /// In the order of the export; also those without rows.
    public private(set) var tables: [Table] = []
    /// The days that have fewer steps than the source has calculated (`ExportedHistory.steps`), the first one first.
    public var incompleteDays: [Day] = []

    public init() {}

    public mutating func begin(_ table: ExportTable) { tables.append(Table(name: table.name, rows: 0)) }
    public mutating func count() { tables[tables.count - 1].rows += 1 }

    public mutating func leaveOut() { tables[tables.count - 1].leftOut += 1 }

    /// Rows that no clock can have timed.
    public var leftOut: Int { tables.reduce(0) { $0 + $1.leftOut } }
    public func leftOut(of table: String) -> Int { tables.first { $0.name == table }?.leftOut ?? 0 }
    public func rows(of table: String) -> Int { tables.first { $0.name == table }?.rows ?? 0 }
}
