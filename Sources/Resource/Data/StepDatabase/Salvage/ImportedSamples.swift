import GRDB
import StepDomain

/// Writes the samples of imports again that were lost or changed. What the imports say is stored beside the samples,
/// and the next import of a file would take it for what the history has.
struct ImportedSamples {
    /// Without loss, they say all of it.
    static let tables = ["pedometer", "sync", "import", "import_track", "import_part", "import_content"]

    let database: Database
    /// By source, the days of UTC of which a sample is wrong.
    let broken: [Pedometer.ID: Set<Int>]
    /// Whether samples are missing, of whatever day.
    let lacksRows: Bool

    /// - Returns: the sources that have all samples and no others now, and how many were written. A source whose
    ///   imports cannot be read is none of them.
    func restore() throws -> (sources: Set<Pedometer.ID>, samples: Int) {
        let sources = try Row.fetchAll(
            database, sql: "SELECT pedometer, max(sync) FROM import_track GROUP BY pedometer ORDER BY pedometer")
        var result: (sources: Set<Pedometer.ID>, samples: Int) = ([], 0)
        for row in sources {
            let source: Pedometer.ID = try row.get(0)
            let days = try Int.fetchAll(
                database, sql: "SELECT DISTINCT day FROM import_content WHERE pedometer = ? ORDER BY day",
                arguments: [source])
            guard days.allSatisfy({ isValid($0, of: source) }) else { continue }
            result.samples += try restore(source, Set(days).union(broken[source] ?? []), sync: try row.get(1))
            result.sources.insert(source)
        }
        return result
    }

    private func isValid(_ day: Int, of source: Pedometer.ID) -> Bool {
        // A damaged number can be any.
        StepSample.startDays.contains(day) && (try? said(by: source, on: day))?.allSatisfy(\.countsInHistory) ?? false
    }

    private func said(by source: Pedometer.ID, on day: Int) throws -> [StepSample] {
        try ImportLayers(of: source, on: Day(daysSince1970: day), database).merged().samples
    }

    /// - Parameter sync: the sync that the samples name.
    private func restore(_ source: Pedometer.ID, _ days: Set<Int>, sync: SyncRecord.ID) throws -> Int {
        var track = try ImportedTrack(pedometer: source, sync: sync, database: database)
        var count = 0
        for day in days.sorted() {
            guard lacksRows || broken[source]?.contains(day) == true else { continue }
            let written = try track.write(
                PackedDay(samples: try said(by: source, on: day)), on: Day(daysSince1970: day))
            count += written.added + written.corrected
        }
        try track.endSamples()
        try track.writeCoverage()
        return count
    }
}
