import StepDomain

/// The export of Samsung Health: tables with a line of metadata before the names.
///
/// Each day has a line for each device and one in which Samsung has merged them: only that one is read, the newest of a
/// day.
struct SamsungHealthReader: FormatReader {
    let format = ForeignFormat(
        key: "samsung-health", title: "Samsung Health", files: "the exported folder, or its table of daily steps")

    private static let trend = "com.samsung.shealth.step_daily_trend"
    private static let summary = "com.samsung.shealth.tracker.pedometer_day_summary"
    /// The device of merged lines, the same in each export.
    private static let merged = "VfS0qUERdZ"

    func files(of tree: FileTree) throws(ImportError) -> [ForeignFile] {
        let tables = tree.files.filter { $0.kind == .text }
        let trends = tables.filter { HeadedTable.names(of: $0).first == Self.trend }
        // Both have the same days.
        return trends.isEmpty ? tables.filter { HeadedTable.names(of: $0).first == Self.summary } : trends
    }

    func read(_ files: [ForeignFile], of tree: FileTree, into collector: ForeignCollector) throws(ImportError) {
        var days: [Day: (updated: String, steps: Int, distance: Double?)] = [:]
        for file in files {
            var table = try HeadedTable(file, skipped: 1)
            let isTrend = table.has("source_type")
            while let row = try table.next([
                "day_time", "count", "step_count", "source_type", "deviceuuid", "update_time", "distance",
            ]) {
                guard isTrend ? row[3] == "-2" : row[4] == Self.merged else { continue }
                guard let time = Int(row[0]), time.magnitude < 1 << 50,
                    let steps = (isTrend ? row[1] : row[2]).wholeNumber
                else {
                    throw table.wrong("day and count")
                }
                // Midnight of UTC on the local date.
                let day = Day(of: Timestamp(time / 1000), utcOffset: 0)
                if let known = days[day], known.updated >= row[5] { continue }
                if days.count > 100_000 { throw .tooMuch("more than 100,000 days") }
                days[day] = (row[5], steps, Double(row[6]))
            }
        }
        let track = try collector.track(
            ForeignSource(identity: "samsung-health", name: "Samsung Health"), accounting: .named)
        for (day, total) in days.sorted(by: { $0.key < $1.key }) {
            try collector.add(total: total.steps, of: day, distance: total.distance, to: track)
        }
    }
}
