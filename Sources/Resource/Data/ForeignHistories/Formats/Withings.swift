import StepDomain

/// The export of Withings: `aggregates_steps.csv` has the days, `raw_tracker_steps.csv` when the steps were made.
///
/// The offsets in the raw times are not those of the owner, and lines are repeated.
struct WithingsReader: FormatReader {
    func relation(of files: [ForeignFile]) -> FileRelation {
        .oneOfEach([files.filter(Self.isDays), files.filter(Self.isSlots)], or: .parts)
    }
    let format = ForeignFormat(
        key: "withings", title: "Withings", files: "aggregates_steps.csv and raw_tracker_steps.csv")

    func files(of tree: FileTree) throws(ImportError) -> [ForeignFile] {
        tree.files.filter { file in
            // Tables of other values look the same.
            let name = file.baseName.lowercased()
            return Self.isDays(file) && name.hasPrefix("aggregates_steps")
                || Self.isSlots(file) && name.hasPrefix("raw_tracker_steps")
        }
    }

    func namedFiles(of tree: FileTree) throws(ImportError) -> [ForeignFile] {
        let found = try files(of: tree)
        guard found.isEmpty, tree.files.count == 1 else { return found }
        return tree.files.filter { file in
            let name = file.baseName.lowercased()
            return (Self.isDays(file) || Self.isSlots(file)) && !name.hasPrefix("aggregates_")
                && !name.hasPrefix("raw_")
        }
    }

    private static func isDays(_ file: ForeignFile) -> Bool { HeadedTable.names(of: file) == ["date", "value"] }
    private static func isSlots(_ file: ForeignFile) -> Bool {
        HeadedTable.names(of: file) == ["start", "duration", "value"]
    }

    func read(_ files: [ForeignFile], of tree: FileTree, into collector: ForeignCollector) throws(ImportError) {
        for file in files {
            var table = try HeadedTable(file)
            if Self.isDays(file) {
                let track = try collector.track(
                    ForeignSource(identity: "withings", name: "Withings"), accounting: .named)
                while let row = try table.next(["date", "value"]) {
                    guard let day = Day(String(row[0].prefix(10))), let steps = row[1].wholeNumber else {
                        throw table.wrong("date and value")
                    }
                    try collector.add(total: steps, of: day, to: track)
                }
            } else {
                let track = try collector.track(
                    ForeignSource(identity: "withings:slots", name: "Withings slots"), accounting: .named)
                while let row = try table.next(["start", "duration", "value"]) {
                    let lengths = Self.list(row[1]), counts = Self.list(row[2])
                    guard let time = row[0].writtenTime, lengths.count == counts.count else {
                        throw table.wrong("start, duration and value")
                    }
                    var start = time.start(collector.localTime)
                    for (length, steps) in zip(lengths, counts) {
                        guard (0...86_400).contains(length) else {
                            try collector.refuse("a slot of \(length) s")
                            // When those after it began is not known.
                            break
                        }
                        try collector.add(steps, from: start, length: length, to: track)
                        start = start + length
                    }
                }
            }
        }
    }

    /// `[59,13]`
    private static func list(_ text: String) -> [Int] {
        text.drop { $0 == "[" }.split { $0 == "," || $0 == "]" || $0 == " " }.compactMap { String($0).wholeNumber }
    }
}
