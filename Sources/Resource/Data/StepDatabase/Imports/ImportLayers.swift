import Foundation
import GRDB
import StepDomain

/// What the imports of one source say of a day of UTC.
struct ImportLayers {
    /// One of the versions of the day.
    struct Layer {
        /// Row of `import_content`.
        var id: Int64
        var bytes: [UInt8]
        /// The newest import that says it: how far that reaches, and its number.
        var rank: [Int64]
    }

    let day: Day
    /// The newest last.
    var layers: [Layer]

    /// - Parameter left: an import that does not count.
    init(of pedometer: Pedometer.ID, on day: Day, without left: ImportRecord.ID? = nil, _ database: Database) throws {
        self.day = day
        let rows = try Row.fetchAll(
            database.cachedStatement(
                sql: """
                    SELECT content.id, content.content, track.until, track.import
                    FROM import_content AS content JOIN import_part AS part ON part.content = content.id
                        JOIN import_track AS track ON track.import = part.import AND track.pedometer = content.pedometer
                    WHERE content.pedometer = ? AND content.day = ?
                    ORDER BY track.until, track.import
                    """),
            arguments: [pedometer, day.daysSince1970])
        layers = []
        for row in rows {
            let id: Int64 = try row.get(0), data: Data = try row.get(1), until: Int64 = try row.get(2),
                number: Int64 = try row.get(3)
            if number == left { continue }
            add(Layer(id: id, bytes: Array(data), rank: [until, number]))
        }
    }

    /// Adds what an import says; the same words as another import's count once, as the newer one.
    mutating func add(_ layer: Layer) {
        var layer = layer
        if let same = layers.firstIndex(where: { $0.bytes == layer.bytes }) {
            let known = layers.remove(at: same)
            layer.id = known.id
            if layer.rank.lexicographicallyPrecedes(known.rank) { layer.rank = known.rank }
        }
        let position = layers.firstIndex { layer.rank.lexicographicallyPrecedes($0.rank) } ?? layers.endIndex
        layers.insert(layer, at: position)
    }

    /// The row of the same words, if there is one.
    func known(_ bytes: [UInt8]) -> Int64? { layers.first { $0.bytes == bytes }?.id }

    /// What they say together.
    ///
    /// - Throws: for bytes that istep does not write.
    func merged() throws -> PackedDay { try contents().overlaid(on: day) }

    /// What they would say together if one of them were the newest.
    func wished(_ bytes: [UInt8]) throws -> PackedDay {
        try (contents() + [content(Layer(id: 0, bytes: bytes, rank: []))]).overlaid(on: day)
    }

    private func contents() throws -> [PackedDay] { try layers.map(content) }

    private func content(_ layer: Layer) throws -> PackedDay {
        guard let content = PackedDay(layer.bytes, of: day) else {
            throw notWritten("the content \(layer.id) of an import")
        }
        return content
    }
}

/// Makes the samples and the coverage of a source agree with what its imports say.
struct ImportedTrack {
    private let pedometer: Pedometer.ID
    private let database: Database
    private var insert: SampleInsert
    private let replace: RawInsert

    /// - Parameter sync: the sync that new samples name.
    init(pedometer: Pedometer.ID, sync: SyncRecord.ID, database: Database) throws {
        self.pedometer = pedometer
        self.database = database
        insert = try SampleInsert(database, pedometer: pedometer, sync: sync, bypass: .off)
        replace = try RawInsert(
            database,
            """
            UPDATE sample SET length = ?3, steps = ?4, distance = ?5, energy = ?6, utc_offset = ?7, sync = ?8
            WHERE pedometer = ?1 AND start = ?2
            """)
        try replace.bind(1, pedometer)
        try replace.bind(8, sync)
    }

    /// Makes the samples that begin on a day of UTC these. Until `endSamples`, nothing else may be written.
    ///
    /// What is stored counts, not what the imports have said: an earlier version, or damage, may have left other
    /// samples.
    ///
    /// - Returns: samples that were added, and those that were changed or removed.
    mutating func write(_ after: PackedDay, on day: Day) throws -> (added: Int, corrected: Int) {
        let before = try stored(on: day)
        if before == after.samples { return (0, 0) }
        var counts = (added: 0, corrected: 0)
        if !before.isEmpty {
            try endSamples()
            let kept = Set(after.samples.map(\.start))
            for sample in before where !kept.contains(sample.start) {
                try database.cachedStatement(sql: "DELETE FROM sample WHERE pedometer = ? AND start = ?")
                    .execute(arguments: [pedometer, sample.start.seconds])
                counts.corrected += 1
            }
        }
        let known = Dictionary(before.map { ($0.start, $0) }) { first, _ in first }
        var others: [StepSample] = []
        try insert.begin()
        for sample in after.samples where known[sample.start] != sample {
            guard sample.countsInHistory else { throw notWritten("the imported sample \(sample)") }
            if try insert.run(sample) { counts.added += 1 } else { others.append(sample) }
        }
        if others.isEmpty { return counts }
        try endSamples()
        for sample in others {
            try replace.bind(sample)
            _ = try replace.run()
        }
        counts.corrected += others.count
        return counts
    }

    mutating func endSamples() throws { try insert.end() }

    private func stored(on day: Day) throws -> [StepSample] {
        let midnight = day.daysSince1970 * 86_400
        return try Row.fetchAll(
            database.cachedStatement(
                sql: """
                    SELECT start, length, steps, distance, energy, utc_offset FROM sample
                    WHERE pedometer = ? AND start BETWEEN ? AND ? ORDER BY start
                    """), arguments: [pedometer, midnight, midnight + 86_399]
        ).map(StepSample.init(row:))
    }

    /// The coverage of all days: spans reach over the midnights of UTC.
    func writeCoverage() throws {
        var spans: [CoveredSpan] = []
        let days = try Int.fetchAll(
            database, sql: "SELECT DISTINCT day FROM import_content WHERE pedometer = ? ORDER BY day",
            arguments: [pedometer])
        for day in days {
            spans += try ImportLayers(of: pedometer, on: Day(daysSince1970: day), database).merged().coverage
        }
        try CoverageMerge(database, pedometer: pedometer).replaceAll(by: spans)
    }
}
