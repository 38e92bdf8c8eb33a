import StepDomain

/// Google Fit in Google Takeout: totals of days, quarters of an hour for each day, and points in JSON.
///
/// Several files hold the same walk. Of the points only those of the source `…:estimated_steps` agree with the totals;
/// where there are none, the quarters say when the steps were made. Points of another source count only where there is
/// nothing else: of several, those that Google has merged, else the most.
struct GoogleFitReader: FormatReader {
    func relation(of files: [ForeignFile]) -> FileRelation {
        // In one export each file has a name of its own.
        let byName = Dictionary(grouping: files) { $0.baseName.lowercased() }.sorted { $0.key < $1.key }.map(\.value)
        return .oneOfEach([files.filter(Self.hasTotals)] + byName, or: .parts)
    }
    let format = ForeignFormat(
        key: "google-fit", title: "Google Fit", files: "Google Takeout: Daily activity metrics, All Data")

    func files(of tree: FileTree) throws(ImportError) -> [ForeignFile] {
        let points = tree.files.filter { Self.hasPoints($0, of: Self.agreeing) }
        let found = tree.files.filter(Self.hasTotals) + (points.isEmpty ? tree.files.filter(Self.hasQuarters) : points)
        if !found.isEmpty { return found }
        let others = tree.files.filter { Self.hasPoints($0) }
        let best = others.first { Self.hasPoints($0, of: Self.merged) } ?? others.max { $0.size < $1.size }
        return best.map { [$0] } ?? []
    }

    private static let agreeing = ":estimated_steps\"", merged = ":merge_step_deltas\""

    private static func hasTotals(_ file: ForeignFile) -> Bool {
        let names = HeadedTable.names(of: file)
        return names.first == "date" && names.contains("step count") && names.contains("move minutes count")
    }

    private static func hasQuarters(_ file: ForeignFile) -> Bool {
        let names = HeadedTable.names(of: file)
        return names.prefix(2) == ["start time", "end time"] && names.contains("step count")
            && Day(String(file.baseName.prefix(10))) != nil
    }

    /// - Parameter source: the end of the name of its source; nil for any.
    private static func hasPoints(_ file: ForeignFile, of source: String? = nil) -> Bool {
        file.kind == .json && file.headText.contains("\"Data Source\"") && file.headText.contains("step_count.delta")
            && source.map(file.headText.contains) ?? true
    }

    func read(_ files: [ForeignFile], of tree: FileTree, into collector: ForeignCollector) throws(ImportError) {
        for file in files {
            if Self.hasTotals(file) {
                try readTotals(file, collector)
            } else if file.kind == .json {
                try readPoints(file, collector)
            } else {
                try readQuarters(file, collector)
            }
        }
    }

    private func readTotals(_ file: ForeignFile, _ collector: ForeignCollector) throws(ImportError) {
        let track = try collector.track(
            ForeignSource(identity: "google-fit:days", name: "Google Fit days"), accounting: .named)
        var table = try HeadedTable(file)
        while let row = try table.next(["date", "step count", "distance (m)"]) {
            // Empty: not measured.
            if row[1].isEmpty { continue }
            guard let day = Day(row[0]), let steps = row[1].wholeNumber else {
                throw table.wrong("date and step count")
            }
            try collector.add(total: steps, of: day, distance: Double(row[2]), to: track)
        }
    }

    private static let fine = ForeignSource(identity: "google-fit", name: "Google Fit")

    private func readQuarters(_ file: ForeignFile, _ collector: ForeignCollector) throws(ImportError) {
        let track = try collector.track(Self.fine)
        let day = file.baseName.prefix(10)
        var table = try HeadedTable(file)
        while let row = try table.next(["start time", "step count", "distance (m)"]) {
            if row[1].isEmpty { continue }
            guard let time = "\(day)T\(row[0])".writtenTime, let offset = time.utcOffset, let steps = row[1].wholeNumber
            else {
                throw table.wrong("start time and step count")
            }
            collector.hasOffsets = true
            try collector.add(
                StepSample(
                    start: time.start(collector.localTime), length: 900, steps: steps, distance: Double(row[2]),
                    utcOffset: offset), to: track)
        }
    }

    private func readPoints(_ file: ForeignFile, _ collector: ForeignCollector) throws(ImportError) {
        let track = try collector.track(Self.fine), path = file.path
        if !Self.hasPoints(file, of: Self.agreeing) {
            collector.notes.append(
                .decision(
                    "These are not the steps that Google Fit shows, which are those of the source estimated_steps or in Daily activity metrics: days can differ."
                ))
        }
        var json = try JSONRecords(file)
        try json.read(under: "Data Points") { record throws(ImportError) in
            guard let start = record["startTimeNanos"].flatMap({ Int($0.text) }),
                let end = record["endTimeNanos"].flatMap({ Int($0.text) }),
                let steps = record["fitValue.value.intVal"]?.integer
            else { throw .malformed(path: path, reason: "a data point has no times or steps") }
            guard end >= start, start >= 0 else {
                return try collector.refuse("a data point that ends before it begins")
            }
            let (from, until) = (start / 1_000_000_000, end / 1_000_000_000)
            try collector.add(steps, from: Timestamp(from), length: until - from, to: track)
        }
    }
}
