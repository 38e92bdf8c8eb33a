import StepDomain

/// The data that Zepp (Amazfit, Mi Fit) sends on request: `ACTIVITY` has the days, `ACTIVITY_MINUTE` minutes of local
/// time.
///
/// The minutes can miss steps of their day, so that both are sources: the total counts, and the minutes say when.
/// `ACTIVITY_STAGE` is a part of the minutes.
struct ZeppReader: FormatReader {
    func relation(of files: [ForeignFile]) -> FileRelation {
        .oneOfEach([files.filter(Self.isDays), files.filter(Self.isMinutes)], or: .one)
    }
    let format = ForeignFormat(key: "zepp", title: "Zepp", files: "the folder with ACTIVITY and ACTIVITY_MINUTE")

    func files(of tree: FileTree) throws(ImportError) -> [ForeignFile] {
        let days = tree.files.filter(Self.isDays)
        let minutes = tree.files.filter {
            // Other tables can have these columns.
            Self.isMinutes($0) && (!days.isEmpty || $0.baseName.lowercased().hasPrefix("activity_minute"))
        }
        return days + minutes
    }

    func namedFiles(of tree: FileTree) throws(ImportError) -> [ForeignFile] {
        tree.files.filter { Self.isDays($0) || Self.isMinutes($0) }
    }

    private static func isDays(_ file: ForeignFile) -> Bool {
        HeadedTable.names(of: file).prefix(4) == ["date", "steps", "distance", "rundistance"]
    }
    private static func isMinutes(_ file: ForeignFile) -> Bool {
        HeadedTable.names(of: file) == ["date", "time", "steps"]
    }

    func read(_ files: [ForeignFile], of tree: FileTree, into collector: ForeignCollector) throws(ImportError) {
        for file in files {
            let isDays = Self.isDays(file)
            let track = try collector.track(
                isDays
                    ? ForeignSource(identity: "zepp", name: "Zepp")
                    : ForeignSource(identity: "zepp:minutes", name: "Zepp minutes"),
                accounting: .named)
            var table = try HeadedTable(file)
            while let row = try table.next(["date", "time", "steps", "distance"]) {
                guard let day = Day(row[0]), let steps = row[2].wholeNumber else { throw table.wrong("date and steps") }
                if isDays {
                    try collector.add(total: steps, of: day, distance: Double(row[3]), to: track)
                } else {
                    guard let clock = WrittenTime.clock(Array(row[1].utf8)[...]) else { throw table.wrong("time") }
                    try collector.add(
                        steps, from: collector.localTime.moment(day, seconds: clock), length: 60, to: track)
                }
            }
        }
    }
}
