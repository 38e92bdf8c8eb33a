import StepDomain

/// An export of istep, as CSV files, as JSON lines or as a SQLite database. Where a history is there, its samples and
/// its coverage are imported like those of any other file, with what its user has corrected and excluded; where there
/// is none, `IstepExport` gives all tables.
struct IstepExportReader: FormatReader {
    let namesUsers = true
    let format = ForeignFormat(
        key: "istep-export", title: "istep export",
        files: "what istep export writes: a folder of CSV files, JSON lines, a SQLite file")

    func files(of tree: FileTree) throws(ImportError) -> [ForeignFile] {
        try IstepExport.parts(of: tree).map(\.file)
    }

    /// Files that are no tables are whole exports, such as those of several nights.
    func relation(of files: [ForeignFile]) -> FileRelation {
        files.allSatisfy { IstepExport.table(of: $0) != nil } ? .one : .exports(files.map(\.name))
    }

    func read(_ files: [ForeignFile], of tree: FileTree, into collector: ForeignCollector) throws(ImportError) {
        collector.hasOffsets = true
        collector.longestRecord = 366 * 86_400
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
        try export.rows(of: [.samples, .coverage, .corrections, .excluded]) { _, values in
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
                let track = try collector.track(source, repetition: .mostSteps, accounting: .named)
                if table == .samples {
                    try add(values, to: track, collector, export.path)
                } else {
                    try cover(values, track, collector, export.path)
                }
            case .corrections: if values[0] == user { try correct(values, collector, export.path) }
            case .excluded: if values[0] == user { try exclude(values, collector, export.path) }
            case .plans, .profiles: if values[0] == user { left.insert(table.name) }
            default: break
            }
        }
        if !left.isEmpty {
            let needed =
                collector.options.fromUser == nil
                ? "an export with pedometers and syncs, and no history yet" : "a whole export, and no history yet"
            collector.notes.append(
                .decision("\(left.sorted().joined(separator: ", ")) are not taken over: this needs \(needed)"))
        }
        if pedometers.isEmpty {
            collector.notes.append(
                .decision(
                    "it lacks the table pedometers: its sources have only numbers, and are others than the pedometers that have the same steps"
                ))
        }
    }

    private func add(
        _ values: [String?], to track: TrackBuilder, _ collector: ForeignCollector, _ path: String
    ) throws(ImportError) {
        guard let start = values[2].flatMap(ExportValue.parsed(time:)), let length = values[3].flatMap({ Int($0) }),
            let steps = values[4].flatMap({ Int($0) }), start.seconds.magnitude < 1 << 50
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
        guard start.seconds < end.seconds, start.seconds.magnitude < 1 << 40, end.seconds.magnitude < 1 << 40,
            StepSample.utcOffsets.contains(start.utcOffset), collector.isPossible(Timestamp(start.seconds))
        else { return }
        let span = TimeSpan(Timestamp(start.seconds), Timestamp(end.seconds))
        try collector.cover(CoveredSpan(span, utcOffset: start.utcOffset), track)
    }

    private func correct(
        _ values: [String?], _ collector: ForeignCollector, _ path: String
    ) throws(ImportError) {
        guard let day = values[1].flatMap({ Day($0) }), let steps = values[2].flatMap({ Int($0) }),
            let moment = values[3].flatMap(ExportValue.parsed(time:))
        else { throw .malformed(path: path, reason: "a row of corrections has no day, steps or time") }
        try collector.add(steps, of: day, enteredAt: Timestamp(moment.seconds), reason: values[4])
    }

    private func exclude(
        _ values: [String?], _ collector: ForeignCollector, _ path: String
    ) throws(ImportError) {
        guard let start = values[1].flatMap(ExportValue.parsed(time:)),
            let end = values[2].flatMap(ExportValue.parsed(time:)),
            let moment = values[3].flatMap(ExportValue.parsed(time:)), start.seconds < end.seconds,
            start.seconds.magnitude < 1 << 40, end.seconds.magnitude < 1 << 40
        else { throw .malformed(path: path, reason: "a row of excluded has no start, end or time") }
        let span = TimeSpan(Timestamp(start.seconds), Timestamp(end.seconds))
        try collector.exclude(
            CoveredSpan(span, utcOffset: start.utcOffset), enteredAt: Timestamp(moment.seconds), reason: values[4])
    }
}
