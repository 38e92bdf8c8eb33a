import StepDomain

/// The tables of an export.
struct IstepExport: ExportedHistory {
    /// A file of an export.
    struct Part {
        enum Form: Equatable {
            /// CSV, with one table.
            case table(ExportTable)
            case lines
            /// SQLite, with these tables.
            case database([ExportTable])
        }

        let form: Form
        let file: ForeignFile
    }

    /// Opened for each reading: it can be in an archive.
    let path: String
    private(set) var missing: [ExportTable] = []

    init(path: String) { self.path = path }

    // MARK: Parts

    /// The files that are parts of an export, recognised by their columns.
    static func parts(of tree: FileTree) throws(ImportError) -> [Part] {
        var parts: [Part] = []
        for file in tree.files {
            if let table = table(of: file) { parts.append(Part(form: .table(table), file: file)) }
            if isLines(file) { parts.append(Part(form: .lines, file: file)) }
            guard file.kind == .sqlite else { continue }
            let database = try file.database(allowingCode: true)
            let tables = ExportTable.all.filter { database.tables[$0.name] == $0.columns.map(\.name) }
            if !tables.isEmpty { parts.append(Part(form: .database(tables), file: file)) }
        }
        return parts
    }

    /// The table that a CSV file has.
    static func table(of file: ForeignFile) -> ExportTable? {
        let names = HeadedTable.names(of: file)
        return names.isEmpty ? nil : ExportTable.all.first { $0.columns.map(\.name) == names }
    }

    private static func isLines(_ file: ForeignFile) -> Bool {
        let start = "{\"table\":\""
        guard file.kind == .json, file.headText.hasPrefix(start) else { return false }
        return ExportTable.named(file.headText.dropFirst(start.count).prefix { $0 != "\"" }) != nil
    }

    /// The export with the tables that it lacks; nil if rows of it refer to a table that it lacks.
    func examined() throws -> IstepExport? {
        var names: Set<String> = []
        for part in try Self.parts(of: FileTree(path)) {
            switch part.form {
            case .table(let table): names.insert(table.name)
            case .lines: names.insert(ExportTable.tables.name)
            case .database(let tables): names.formUnion(tables.map(\.name))
            }
        }
        // It also names tables without rows, which JSON lines do not have, and files that were lost.
        try rows(of: [.tables]) { _, values in
            if let name = values[0] { names.insert(name) }
        }
        var export = self
        export.missing = ExportTable.stored.filter { !names.contains($0.name) }
        let stored = ExportTable.stored.filter { $0 != .tables && names.contains($0.name) }
        let isComplete = stored.allSatisfy { $0.references.allSatisfy { names.contains($0.name) } }
        return isComplete && !stored.isEmpty ? export : nil
    }

    // MARK: Rows

    func rows(_ row: (ExportTable, [String?]) throws -> Void) throws { try rows(of: ExportTable.stored, row) }

    /// Reads some tables, in the order of `wanted` unless the export has JSON lines in another one.
    func rows(of wanted: [ExportTable], _ row: (ExportTable, [String?]) throws -> Void) throws {
        let parts = try Self.parts(of: FileTree(path))
        let isOneExport =
            parts.count == 1 || parts.allSatisfy { if case .table = $0.form { true } else { false } }
        guard isOneExport else { throw ImportError.severalExports(path: path, files: parts.map(\.file.name)) }
        for table in wanted {
            let files = parts.filter { $0.form == .table(table) }
            if files.count > 1 {
                throw ImportError.malformed(path: path, reason: "it has the table \(table.name) twice")
            }
            if let file = files.first?.file { try rows(of: table, in: file, row) }
        }
        switch parts.first?.form {
        case .lines:
            try rows(of: Dictionary(uniqueKeysWithValues: wanted.map { ($0.name, $0) }), in: parts[0].file, row)
        case .database(let tables): try rows(of: wanted.filter(tables.contains), in: parts[0].file.database(), row)
        case .table, nil: break
        }
    }

    private func rows(
        of table: ExportTable, in file: ForeignFile, _ row: (ExportTable, [String?]) throws -> Void
    ) throws {
        var text = try DelimitedText(file, separator: UInt8(ascii: ","))
        _ = try text.next()
        while let record = try text.next() {
            guard record.count == table.columns.count else {
                throw ImportError.malformed(path: file.path, reason: "line \(text.line) has \(record.count) columns")
            }
            try row(table, (0..<record.count).map { record.isEmpty($0) ? nil : record.whole($0) })
        }
    }

    /// - Throws: `ImportError.malformed` also for a file that was cut off: its last lines are the table `tables`.
    private func rows(
        of tables: [String: ExportTable], in file: ForeignFile, _ row: (ExportTable, [String?]) throws -> Void
    ) throws {
        var (records, last) = (try JSONRecords(file), "")
        // Untyped errors cannot pass through the reader.
        var failure: (any Error)?
        try records.readLines { record throws(ImportError) in
            last = record["table"]?.text ?? ""
            guard failure == nil, let table = tables[last] else { return }
            do { try row(table, table.columns.map { record[$0.name]?.text }) } catch { failure = error }
        }
        if let failure { throw failure }
        if last != ExportTable.tables.name { throw ImportError.malformed(path: file.path, reason: "it is truncated") }
    }

    private func rows(
        of tables: [ExportTable], in database: ForeignDatabase, _ row: (ExportTable, [String?]) throws -> Void
    ) throws {
        for table in tables {
            let columns = table.columns.map { ForeignDatabase.quoted($0.name) }.joined(separator: ", ")
            // As above; an error of this kind ends the query.
            var failure: (any Error)?
            do {
                try database.rows("SELECT \(columns) FROM \(ForeignDatabase.quoted(table.name)) ORDER BY rowid") {
                    found throws(ImportError) in
                    let values = table.columns.enumerated().map { index, column in
                        found.exported(Int32(index), isBoolean: column.kind == .boolean)
                    }
                    do { try row(table, values) } catch {
                        failure = error
                        throw .malformed(path: path, reason: "")
                    }
                }
            } catch {
                throw failure ?? error
            }
        }
    }
}
