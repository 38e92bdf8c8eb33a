import GRDB

/// How a table of a history is stored in the file, determined from an empty history of the same version.
struct TableShape {
    struct Index {
        let name: String
        /// Numbers of columns in the order of an entry; -1 is the row's own number.
        let columns: [Int]
        let root: Int
    }

    struct Reference {
        let column: String
        let parent: String
    }

    let name: String
    let columns: [String]
    /// Stored as an index, by its primary key.
    let isWithoutRowID: Bool
    /// The column that is the row's own number.
    let numberColumn: Int?
    /// For tables without row numbers: the column of each value of a record.
    let order: [Int]
    /// How strictly the schema restricts a row's values: the stricter, the more certain it is that a row belongs to this table.
    let strictness: Int
    let root: Int
    let indexes: [Index]
    let references: [Reference]
    /// The same, with the numbers of the columns.
    let parents: [(column: Int, parent: String)]

    /// The tables of a version of the schema.
    static func all(_ schema: Schema, version: Int) throws -> [TableShape] {
        try schema.example(ofVersion: version).read { database in
            let roots = try Row.fetchAll(database, sql: "SELECT name, rootpage FROM sqlite_schema WHERE rootpage > 0")
                .reduce(into: [String: Int]()) { $0[$1[0]] = $1[1] }
            let tables = try Row.fetchAll(
                database,
                sql: """
                    SELECT s.name, s.sql, l.wr FROM sqlite_schema AS s JOIN pragma_table_list AS l ON l.name = s.name AND l.schema = 'main'
                    WHERE s.type = 'table' ORDER BY s.rootpage
                    """)
            return try tables.map { try TableShape($0[0], sql: $0[1], isWithoutRowID: $0[2], roots, database) }
        }
    }

    private init(_ name: String, sql: String, isWithoutRowID: Bool, _ roots: [String: Int], _ database: Database) throws {
        let info = try Row.fetchAll(database, sql: "SELECT name, type, pk FROM pragma_table_info(?) ORDER BY cid", arguments: [name])
        self.name = name
        self.isWithoutRowID = isWithoutRowID
        columns = info.map { $0[0] }
        numberColumn = isWithoutRowID ? nil : info.firstIndex { $0[1] == "INTEGER" && $0[2] == 1 }
        strictness = sql.split(separator: "CHECK").count
        root = roots[name] ?? 0
        var order: [Int] = [], indexes: [Index] = []
        for row in try Row.fetchAll(database, sql: "SELECT name, origin FROM pragma_index_list(?)", arguments: [name]) {
            let columns = try Int.fetchAll(database, sql: "SELECT cid FROM pragma_index_xinfo(?) ORDER BY seqno", arguments: [row[0] as String])
            if isWithoutRowID, row[1] == "pk" {
                order = columns
            } else {
                indexes.append(Index(name: row[0], columns: columns, root: roots[row[0]] ?? 0))
            }
        }
        self.order = order
        self.indexes = indexes
        references = try Row.fetchAll(database, sql: "SELECT \"from\", \"table\" FROM pragma_foreign_key_list(?)", arguments: [name])
            .map { Reference(column: $0[0], parent: $0[1]) }
        parents = references.compactMap { [columns] reference in columns.firstIndex(of: reference.column).map { ($0, reference.parent) } }
    }

    /// The values in the order of `columns`; nil if the record cannot belong to this table.
    func row(_ number: Int64?, _ values: [DatabaseValue]) -> [DatabaseValue]? {
        guard (number != nil) == !isWithoutRowID, !values.isEmpty, values.count <= columns.count else { return nil }
        var row = [DatabaseValue](repeating: .null, count: columns.count)
        if isWithoutRowID {
            guard values.count == order.count else { return nil }
            for (value, column) in zip(values, order) { row[column] = value }
        } else {
            // Records written before a column was added are shorter.
            row.replaceSubrange(0..<values.count, with: values)
            if let numberColumn, let number { row[numberColumn] = number.databaseValue }
        }
        return row
    }
}
