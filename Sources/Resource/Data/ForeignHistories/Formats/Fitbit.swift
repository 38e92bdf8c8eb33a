import StepDomain

/// The minutes of Fitbit: of Google Takeout (CSV since 2025), and of the archive of the account before (JSON).
///
/// Both hold the same minutes in UTC: where a table has a day, the JSON is not read. In tables with a third column each
/// data source is a source of its own: a phone mirrors the band.
struct FitbitReader: FormatReader {
    func relation(of files: [ForeignFile]) -> FileRelation { .one }
    let format = ForeignFormat(
        key: "fitbit", title: "Fitbit", files: "Google Takeout or the account archive: steps_*.csv and steps-*.json")

    func files(of tree: FileTree) throws(ImportError) -> [ForeignFile] {
        // Other programs write tables with the same two columns, of slots of any length.
        tree.files.filter { file in
            let name = file.baseName.lowercased()
            return Self.isTable(file) && (name.hasPrefix("steps_") || Self.hasSources(file))
                || Self.isArchive(file) && name.hasPrefix("steps-")
        }
    }

    func namedFiles(of tree: FileTree) throws(ImportError) -> [ForeignFile] {
        let found = try files(of: tree)
        guard found.isEmpty else { return found }
        let tables = tree.files.filter(Self.isTable)
        guard tables.isEmpty, tree.files.count == 1 else { return tables }
        return tree.files.filter { file in
            Self.isArchive(file) && !Self.otherCounts.contains { file.baseName.lowercased().hasPrefix($0) }
        }
    }

    /// How the names of other counts in the archive begin, which look the same.
    private static let otherCounts = [
        "altitude-", "calories-", "distance-", "lightly_", "moderately_", "sedentary_", "very_",
    ]

    private static func hasSources(_ file: ForeignFile) -> Bool {
        file.headText.prefix { !$0.isNewline }.lowercased().hasSuffix(",data source")
    }

    private static func isTable(_ file: ForeignFile) -> Bool {
        guard file.kind == .text else { return false }
        let lines = file.headText.split(whereSeparator: \.isNewline).prefix(2).map { $0.drop { $0 == "\u{feff}" } }
        guard let first = lines.first, ["timestamp,steps", "timestamp,steps,data source"].contains(first.lowercased())
        else { return false }
        return lines.count < 2 || lines[1].contains("T") && lines[1].contains("Z,")
    }

    private static func isArchive(_ file: ForeignFile) -> Bool {
        // Other counts of the archive have an object as their value, such as a heart rate with its confidence.
        file.kind == .json && file.headText.contains("\"dateTime\"") && file.headText.contains(/"value"\s*:\s*["0-9]/)
    }

    private static let band = ForeignSource(identity: "fitbit", name: "Fitbit")

    func read(_ files: [ForeignFile], of tree: FileTree, into collector: ForeignCollector) throws(ImportError) {
        // Of each day of UTC, the minutes that the tables have; some write seconds.
        var known: [Int: ClosedRange<Int>] = [:], tables: [String: FileMinutes] = [:], archive = FileMinutes()
        for file in files where Self.isTable(file) {
            try readTable(file, collector) { (source, start) throws(ImportError) in
                let minute = start.seconds / 60, span = known[minute / 1440] ?? minute...minute
                known[minute / 1440] = min(span.lowerBound, minute)...max(span.upperBound, minute)
                try tables[source.identity, default: FileMinutes()].note(start, of: file, in: tree)
            }
        }
        for file in files where Self.isArchive(file) {
            try readArchive(file, collector) { start throws(ImportError) in
                try archive.note(start, of: file, in: tree)
                return known[start.seconds / 86_400]?.contains(start.seconds / 60) != true
            }
        }
    }

    /// - Parameter note: receives the source and the start of each minute.
    private func readTable(
        _ file: ForeignFile, _ collector: ForeignCollector,
        _ note: (ForeignSource, Timestamp) throws(ImportError) -> Void
    ) throws(ImportError) {
        var table = try DelimitedText(file, separator: UInt8(ascii: ","))
        _ = try table.next()
        while let record = try table.next() {
            guard let time = WrittenTime(record[0], order: nil), time.utcOffset != nil, let steps = Int(record.text(1))
            else {
                throw .malformed(path: file.path, reason: "line \(table.line) is not a time and a number")
            }
            let name = record.text(2)
            let source = name.isEmpty ? Self.band : ForeignSource(identity: "fitbit:\(name)", name: name)
            let start = time.start(collector.localTime)
            if collector.isPossible(start) { try note(source, start) }
            try collector.add(steps, from: start, length: 60, to: collector.track(source))
        }
    }

    /// - Parameter isWanted: receives the start of each minute.
    private func readArchive(
        _ file: ForeignFile, _ collector: ForeignCollector, _ isWanted: (Timestamp) throws(ImportError) -> Bool
    ) throws(ImportError) {
        let track = try collector.track(Self.band)
        var json = try JSONRecords(file)
        let path = file.path
        try json.read(under: nil) { record throws(ImportError) in
            guard let text = record["dateTime"]?.text, let steps = record["value"]?.integer,
                let time = WrittenTime(Array(text.utf8)[...], order: .monthFirst), let clock = time.clock
            else { throw .malformed(path: path, reason: "an entry has no dateTime and value") }
            let start = Timestamp(time.day.daysSince1970 * 86_400 + clock)
            if collector.isPossible(start), try !isWanted(start) { return }
            try collector.add(steps, from: start, length: 60, to: track)
        }
    }
}
