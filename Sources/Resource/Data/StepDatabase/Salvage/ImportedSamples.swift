import GRDB
import StepDomain

/// Writes the samples of imports again that were lost. What the imports say is stored beside the samples, and the next
/// import of a file would take it for what the history has.
struct ImportedSamples {
    /// Without loss, they say all of it.
    static let tables = ["pedometer", "sync", "import", "import_track", "import_part", "import_content"]

    let database: Database

    /// - Returns: the sources, none of which lacks anything now, and how many samples were written.
    func restore() throws -> (sources: Set<Pedometer.ID>, samples: Int) {
        let sources = try Row.fetchAll(
            database, sql: "SELECT pedometer, max(sync) FROM import_track GROUP BY pedometer ORDER BY pedometer")
        var result: (sources: Set<Pedometer.ID>, samples: Int) = ([], 0)
        for row in sources {
            let source: Pedometer.ID = try row.get(0)
            result.samples += try restore(source, sync: try row.get(1))
            result.sources.insert(source)
        }
        return result
    }

    /// - Parameter sync: the sync that the samples name.
    private func restore(_ source: Pedometer.ID, sync: SyncRecord.ID) throws -> Int {
        var track = try ImportedTrack(pedometer: source, sync: sync, database: database)
        var count = 0
        let days = try Int.fetchAll(
            database, sql: "SELECT DISTINCT day FROM import_content WHERE pedometer = ? ORDER BY day",
            arguments: [source])
        for day in days {
            var said = try ImportLayers(of: source, on: Day(daysSince1970: day), database).merged()
            guard let first = said.samples.first, let last = said.samples.last else { continue }
            let stored = try stored(source, first.start, last.start)
            said.samples.removeAll { stored[$0.start] == $0 }
            if said.samples.isEmpty { continue }
            let written = try track.write(PackedDay(samples: said.samples), instead: PackedDay())
            count += written.added + written.corrected
        }
        try track.endSamples()
        try track.writeCoverage()
        return count
    }

    private func stored(_ source: Pedometer.ID, _ first: Timestamp, _ last: Timestamp) throws -> [Timestamp: StepSample]
    {
        let rows = try Row.fetchAll(
            database.cachedStatement(
                sql: """
                    SELECT start, length, steps, distance, energy, utc_offset FROM sample
                    WHERE pedometer = ? AND start BETWEEN ? AND ?
                    """), arguments: [source, first.seconds, last.seconds])
        var stored: [Timestamp: StepSample] = [:]
        for row in rows {
            let start = try row.time(0)
            stored[start] = StepSample(
                start: start, length: try row.get(1), steps: try row.get(2), distance: try row.get(3),
                energy: try row.get(4), utcOffset: try row.get(5))
        }
        return stored
    }
}
