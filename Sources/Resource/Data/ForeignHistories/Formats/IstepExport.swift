import StepDomain

/// An export of istep, as CSV files or as JSON lines. Where a history is there, its samples and its coverage are
/// imported like those of any other file; where there is none, `IstepExport` gives all tables.
struct IstepExportReader: FormatReader {
    let isFolder = true
    let format = ForeignFormat(
        key: "istep-export", title: "istep export", files: "what istep export writes: a folder of CSV files, JSON lines"
    )

    func files(of tree: FileTree) throws(ImportError) -> [ForeignFile] {
        tree.files.filter { IstepExport.table(of: $0) != nil || IstepExport.isLines($0) }
    }

    func read(_ files: [ForeignFile], of tree: FileTree, into collector: ForeignCollector) throws(ImportError) {
        collector.hasOffsets = true
        let export = IstepExport(path: tree.path)
        do {
            try read(export, into: collector)
        } catch let error as ImportError {
            throw error
        } catch {
            throw .malformed(path: tree.path, reason: "\(error)")
        }
    }

    private func read(_ export: IstepExport, into collector: ForeignCollector) throws {
        var (users, pedometers): (Set<String>, [String: ForeignSource]) = ([], [:])
        try export.rows(of: [.samples, .coverage]) { _, values in
            if let user = values[0] { users.insert(user) }
        }
        let user = try collector.options.chosen(of: users.sorted(), in: export.path)
        var left: Set<String> = []
        try export.rows(of: ExportTable.stored) { table, values in
            switch table {
            case .pedometers:
                guard let number = values[0], let name = values[2], let address = values[4] else { return }
                pedometers[number] = ForeignSource(identity: "istep:\(address)", name: name)
            case .samples, .coverage:
                guard values[0] == user, let number = values[1] else { return }
                let source =
                    pedometers[number]
                    ?? ForeignSource(identity: "istep:\(number)", name: "pedometer \(number)")
                let track = try collector.track(source, accounting: .named)
                if table == .samples {
                    try add(values, to: track, collector, export.path)
                } else {
                    try cover(values, track, collector, export.path)
                }
            case .corrections, .plans, .profiles, .excluded: left.insert(table.name)
            default: break
            }
        }
        if !left.isEmpty {
            collector.notes.append(
                .decision(
                    "\(left.sorted().joined(separator: ", ")) are not taken over: this needs an export with pedometers and syncs, and no history yet"
                ))
        }
    }

    private func add(
        _ values: [String?], to track: TrackBuilder, _ collector: ForeignCollector, _ path: String
    ) throws(ImportError) {
        guard let start = values[2].flatMap(ExportValue.parsed(time:)), let length = values[3].flatMap({ Int($0) }),
            let steps = values[4].flatMap({ Int($0) }), abs(start.seconds) < 1 << 50
        else { throw .malformed(path: path, reason: "a row of samples has no start, length or steps") }
        try collector.add(
            StepSample(
                start: Timestamp(start.seconds), length: length, steps: steps,
                distance: values[5].flatMap { Double($0) },
                energy: values[6].flatMap { Double($0) }, utcOffset: start.utcOffset), to: track)
    }

    private func cover(
        _ values: [String?], _ track: TrackBuilder, _ collector: ForeignCollector, _ path: String
    ) throws(ImportError) {
        guard let start = values[2].flatMap(ExportValue.parsed(time:)),
            let end = values[3].flatMap(ExportValue.parsed(time:))
        else { throw .malformed(path: path, reason: "a row of coverage has no start or end") }
        guard start.seconds < end.seconds, abs(start.seconds) < 1 << 40, abs(end.seconds) < 1 << 40,
            abs(start.utcOffset) <= 14 * 3600, collector.isPossible(Timestamp(start.seconds))
        else { return }
        let span = TimeSpan(Timestamp(start.seconds), Timestamp(end.seconds))
        try collector.cover(CoveredSpan(span, utcOffset: start.utcOffset), track)
    }
}

extension ForeignOptions {
    /// The user whose steps are imported from a file with several: the one that is named, or the only one.
    func chosen(of users: [String], in path: String) throws(ImportError) -> String? {
        if let named = users.first(where: { $0.lowercased() == user?.lowercased() }) { return named }
        if users.count > 1 { throw .severalUsers(path: path, users: users) }
        return users.first
    }
}

/// The tables of an export.
struct IstepExport: ExportedHistory {
    /// Opened for each reading: it can be in an archive.
    let path: String
    private(set) var missing: [ExportTable] = []

    init(path: String) { self.path = path }

    /// The table that a CSV file has, recognised by its columns.
    static func table(of file: ForeignFile) -> ExportTable? {
        let names = HeadedTable.names(of: file)
        return names.isEmpty ? nil : ExportTable.all.first { $0.columns.map(\.name) == names }
    }

    static func isLines(_ file: ForeignFile) -> Bool {
        let start = "{\"table\":\""
        guard file.kind == .json, file.headText.hasPrefix(start) else { return false }
        return ExportTable.named(file.headText.dropFirst(start.count).prefix { $0 != "\"" }) != nil
    }

    /// The export with the tables that it lacks; nil if rows of it refer to a table that it lacks.
    func examined() throws -> IstepExport? {
        let files = try FileTree(path).files
        var names = Set(files.compactMap { Self.table(of: $0)?.name })
        if files.contains(where: Self.isLines) { names.insert(ExportTable.tables.name) }
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

    func rows(_ row: (ExportTable, [String?]) throws -> Void) throws { try rows(of: ExportTable.stored, row) }

    func rows(of wanted: [ExportTable], _ row: (ExportTable, [String?]) throws -> Void) throws {
        let files = try FileTree(path).files
        let lines = files.filter(Self.isLines)
        let tables = files.compactMap { file in Self.table(of: file).map { (table: $0, file: file) } }
        for table in ExportTable.all where wanted.contains(table) {
            let files = tables.filter { $0.table == table }
            if files.count > 1 {
                throw ImportError.malformed(path: path, reason: "it has the table \(table.name) twice")
            }
            if let file = files.first?.file { try rows(of: table, in: file, row) }
        }
        if lines.count > 1 || !lines.isEmpty && !tables.isEmpty {
            throw ImportError.malformed(path: path, reason: "it has several exports")
        }
        guard let file = lines.first else { return }
        try rows(of: Dictionary(uniqueKeysWithValues: wanted.map { ($0.name, $0) }), in: file, row)
    }

    private func rows(
        of table: ExportTable, in file: ForeignFile, _ row: (ExportTable, [String?]) throws -> Void
    ) throws {
        var text = DelimitedText(try file.open(), separator: UInt8(ascii: ","), path: file.path)
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
        var (records, last) = (JSONRecords(try file.open(), path: file.path), "")
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
}
