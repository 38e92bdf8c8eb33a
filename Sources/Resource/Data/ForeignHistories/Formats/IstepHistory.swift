import StepDomain

/// Another history of istep: the samples and the coverage of its pedometers, with their UTC offsets, and what its user
/// has corrected and excluded.
struct IstepHistoryReader: FormatReader {
    let namesUsers = true
    let format = ForeignFormat(
        key: "istep", title: "istep", files: "another history; of several users the one that is named")

    func files(of tree: FileTree) throws(ImportError) -> [ForeignFile] {
        try tree.databases(with: [
            "sample": ["pedometer", "start", "length", "steps", "utc_offset", "sync"],
            "pedometer": ["person", "address", "name"], "person": ["name_key"],
        ])
    }

    func read(_ files: [ForeignFile], of tree: FileTree, into collector: ForeignCollector) throws(ImportError) {
        collector.hasOffsets = true
        collector.longestRecord = 366 * 86_400
        for file in files {
            // A history has triggers itself, which reading does not run.
            let database = try file.database(allowingCode: true)
            try refuseNewer(database, collector.options.historyVersion)
            var people: [(id: Int, name: String)] = []
            // A day can be known by its correction alone.
            let owners = ["pedometer", "correction"].filter { database.hasTable($0, columns: ["person"]) }
                .map { "SELECT person FROM \($0)" }.joined(separator: " UNION ")
            try database.rows("SELECT id, name FROM person WHERE id IN (\(owners)) LIMIT 200") {
                row throws(ImportError) in
                if let id = row.integer(0) { people.append((id, row.text(1))) }
            }
            let chosen = try collector.options.chosen(of: people.map(\.name), in: file.path)
            guard let person = people.first(where: { $0.name == chosen })?.id else { continue }
            var pedometers: [(id: Int, source: ForeignSource)] = []
            try database.rows(
                "SELECT id, address, name FROM pedometer WHERE person = ? ORDER BY id LIMIT 200", [.integer(person)]
            ) { row throws(ImportError) in
                guard let id = row.integer(0) else { return }
                pedometers.append((id, ForeignSource(identity: "istep:\(row.text(1))", name: row.text(2))))
            }
            for pedometer in pedometers { try read(pedometer.id, pedometer.source, database, collector) }
            try readDecisions(of: person, database, collector)
        }
    }

    private func refuseNewer(_ database: ForeignDatabase, _ supported: Int) throws(ImportError) {
        var found = 0
        try database.rows("PRAGMA user_version") { row throws(ImportError) in found = row.integer(0) ?? 0 }
        if found > supported { throw .newerHistory(path: database.path, found: found, supported: supported) }
    }

    /// What the user has entered by hand. Old versions have no reasons, and no excluded time.
    private func readDecisions(
        of person: Int, _ database: ForeignDatabase, _ collector: ForeignCollector
    ) throws(ImportError) {
        if database.hasTable("correction", columns: ["person", "day", "steps", "entered_at"]) {
            let reason = database.hasTable("correction", columns: ["reason"]) ? "reason" : "NULL"
            try database.rows(
                "SELECT day, steps, entered_at, \(reason) FROM correction WHERE person = ? ORDER BY day",
                [.integer(person)]
            ) { row throws(ImportError) in
                guard let day = Day(row.text(0)), let steps = row.integer(1), let moment = row.integer(2, below: .max)
                else {
                    return try collector.refuse("a correction without a day, steps or a time")
                }
                try collector.add(
                    steps, of: day, enteredAt: Timestamp(moment), reason: row.exported(3, isBoolean: false))
            }
        }
        guard
            database.hasTable(
                "excluded_time", columns: ["person", "start", "until", "utc_offset", "entered_at", "reason"])
        else { return }
        try database.rows(
            "SELECT start, until, utc_offset, entered_at, reason FROM excluded_time WHERE person = ? ORDER BY start",
            [.integer(person)]
        ) { row throws(ImportError) in
            guard let start = row.integer(0), let end = row.integer(1), let offset = row.integer(2),
                let moment = row.integer(3, below: .max), start < end
            else { return try collector.refuse("excluded time without a start, an end or an offset") }
            try collector.exclude(
                CoveredSpan(TimeSpan(Timestamp(start), Timestamp(end)), utcOffset: offset),
                enteredAt: Timestamp(moment), reason: row.exported(4, isBoolean: false))
        }
    }

    private func read(
        _ id: Int, _ source: ForeignSource, _ database: ForeignDatabase, _ collector: ForeignCollector
    ) throws(ImportError) {
        let track = try collector.track(source, repetition: .mostSteps, accounting: .named)
        try database.rows(
            "SELECT start, length, steps, distance, energy, utc_offset FROM sample WHERE pedometer = ? ORDER BY start",
            [.integer(id)]
        ) { row throws(ImportError) in
            guard let start = row.integer(0), let length = row.integer(1), let steps = row.integer(2),
                let offset = row.integer(5)
            else { return collector.leaveOutWithoutNumber() }
            try collector.add(
                StepSample(
                    start: Timestamp(start), length: length, steps: steps, distance: row.number(3),
                    energy: row.number(4), utcOffset: offset),
                to: track)
        }
        try database.rows(
            "SELECT start, until, utc_offset FROM coverage WHERE pedometer = ? ORDER BY start", [.integer(id)]
        ) {
            row throws(ImportError) in
            guard let start = row.integer(0), let end = row.integer(1), let offset = row.integer(2), start < end,
                end - start < 1 << 40,
                StepSample.utcOffsets.contains(offset), collector.isPossible(Timestamp(start))
            else { return }
            try collector.cover(CoveredSpan(TimeSpan(Timestamp(start), Timestamp(end)), utcOffset: offset), track)
        }
    }
}
