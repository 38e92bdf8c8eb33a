import GRDB

/// How a table of a history is stored in the file, determined from an empty history of the same version.
struct TableShape {
    struct Index {
        let name: String
        /// Numbers of columns in the order of an entry; -1 is the row's own number.
        let columns: [Int]
    }

    struct Reference {
        let column: String
        let parent: String
    }

    let name: String
    let columns: [String]
    /// Whether it is stored as an index, by its primary key.
    let isWithoutRowID: Bool
    /// The column that is the row's own number.
    let numberColumn: Int?
    /// For tables without row numbers: the column of each value of a record.
    let order: [Int]
    /// How strictly the schema restricts a row's values: the stricter, the more certain it is that a row belongs to
    /// this table.
    let strictness: Int
    let indexes: [Index]
    let references: [Reference]
    /// The same, with the numbers of the columns.
    let parents: [(column: Int, parent: String)]

    /// The tables of a version of the schema.
    static func all(_ schema: Schema, version: Int) throws -> [TableShape] {
        try schema.example(ofVersion: version).read { database in
            let tables = try Row.fetchAll(
                database,
                sql: """
                    SELECT s.name, s.sql, l.wr FROM sqlite_schema AS s JOIN pragma_table_list AS l ON l.name = s.name AND l.schema = 'main'
                    WHERE s.type = 'table' ORDER BY s.rootpage
                    """)
            return try tables.map { try TableShape($0.get(0), sql: $0.get(1), isWithoutRowID: $0.get(2), database) }
        }
    }

    private init(_ name: String, sql: String, isWithoutRowID: Bool, _ database: Database) throws {
        let info = try Row.fetchAll(
            database, sql: "SELECT name, type, pk FROM pragma_table_info(?) ORDER BY cid", arguments: [name])
        self.name = name
        self.isWithoutRowID = isWithoutRowID
        columns = try info.map { try $0.get(0) }
        numberColumn =
            try isWithoutRowID
            ? nil
            : info.firstIndex { row in
                let type: String = try row.get(1), key: Int = try row.get(2)
                return type == "INTEGER" && key == 1
            }
        strictness = sql.split(separator: "CHECK").count
        var order: [Int] = [], indexes: [Index] = []
        for row in try Row.fetchAll(database, sql: "SELECT name, origin FROM pragma_index_list(?)", arguments: [name]) {
            let index: String = try row.get(0), origin: String = try row.get(1)
            let columns = try Int.fetchAll(
                database, sql: "SELECT cid FROM pragma_index_xinfo(?) ORDER BY seqno", arguments: [index])
            if isWithoutRowID, origin == "pk" {
                order = columns
            } else {
                indexes.append(Index(name: index, columns: columns))
            }
        }
        self.order = order
        self.indexes = indexes
        references = try Row.fetchAll(
            database, sql: "SELECT \"from\", \"table\" FROM pragma_foreign_key_list(?)", arguments: [name]
        )
        .map { Reference(column: try $0.get(0), parent: try $0.get(1)) }
        parents = references.compactMap { [columns] reference in
            columns.firstIndex(of: reference.column).map { ($0, reference.parent) }
        }
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
