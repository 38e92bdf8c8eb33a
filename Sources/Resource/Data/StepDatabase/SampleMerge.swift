import GRDB
import StepDomain

/// Merges samples of one pedometer, slot by slot.
///
/// A new slot is inserted; one that has grown is replaced; of equal steps the latest length, distance and energy are
/// kept, but a figure that is missing never erases one that is known. What would change nothing writes nothing.
/// The UTC offset stays as it was first recorded: another one would move steps of the past to another day.
struct SampleMerge {
    private let pedometer: Pedometer.ID
    private let sync: SyncRecord.ID
    private let insert: SampleInsert
    private let select: Statement
    private let update: Statement
    private let database: Database

    init(_ database: Database, pedometer: Pedometer.ID, sync: SyncRecord.ID) throws {
        self.database = database
        self.pedometer = pedometer
        self.sync = sync
        // Most slots are new, so an insert is tried before anything is looked up.
        insert = try SampleInsert(database, pedometer: pedometer, sync: sync)
        select = try database.cachedStatement(
            sql: "SELECT steps, length, distance, energy, utc_offset FROM sample WHERE pedometer = ? AND start = ?")
        update = try database.cachedStatement(
            sql: """
                UPDATE sample SET steps = ?, length = ?, distance = ?, energy = ?, sync = ?
                WHERE pedometer = ? AND start = ?
                """)
    }

    /// - Parameter changed: takes the days of whatever is written.
    func merge(_ samples: [StepSample], _ changed: inout ChangedDays) throws -> MergeCounts {
        var counts = MergeCounts()
        for sample in samples where sample.countsInHistory { try merge(sample.withPlausibleFigures, &counts, &changed) }
        try ImplausibleSampleMerge(database, pedometer: pedometer, sync: sync).merge(samples)
        counts.implausible = samples.count { !$0.countsInHistory }
        return counts
    }

    private func merge(_ sample: StepSample, _ counts: inout MergeCounts, _ changed: inout ChangedDays) throws {
        if try insert.run(sample) {
            counts.added += 1
            counts.steps += sample.steps
            changed.insert(sample.day)
            return
        }
        guard let known = try Row.fetchOne(select, arguments: [pedometer, sample.start.seconds]) else { return }
        let (steps, length): (Int, Int) = (known[0], known[1])
        let (distance, energy): (Double?, Double?) = (known[2], known[3])
        let day = Day(of: sample.start, utcOffset: known[4])
        if sample.steps > steps {
            counts.grown += 1
            counts.steps += sample.steps - steps
            changed.insert(day)
            try replace(with: sample)
            return
        }
        counts.unchanged += 1
        guard sample.steps == steps else { return }
        var latest = sample
        latest.distance = sample.distance ?? distance
        latest.energy = sample.energy ?? energy
        if (latest.length, latest.distance, latest.energy) != (length, distance, energy) {
            changed.insert(day)
            try replace(with: latest)
        }
    }

    private func replace(with sample: StepSample) throws {
        try update.execute(arguments: [
            sample.steps, sample.length, sample.distance, sample.energy, sync, pedometer, sample.start.seconds,
        ])
    }
}

extension StepSample {
    /// Plausible, and of a time and length that a history can hold. Checked in this order: a length out of all bounds
    /// would overflow what the plausibility is reckoned with.
    var countsInHistory: Bool {
        (0...Timestamp.last.seconds).contains(start.seconds) && (1...Self.mostSeconds).contains(length)
            && (-Self.mostUTCOffset...Self.mostUTCOffset).contains(utcOffset) && isPlausible
    }

    /// A year of 366 days: a counter may go unread for long, but not longer.
    static let mostSeconds = 366 * 86_400
    /// Clocks differ from Greenwich by no more than 14 hours (Kiribati).
    static let mostUTCOffset = 14 * 3600

    /// Without a distance or energy that is no number of metres or kilocalories.
    fileprivate var withPlausibleFigures: StepSample {
        var sample = self
        if let distance, !(distance >= 0 && distance.isFinite) { sample.distance = nil }
        if let energy, !(energy >= 0 && energy.isFinite) { sample.energy = nil }
        return sample
    }
}

extension Timestamp {
    /// The last second of the year 9999, the last that a `Day` can name.
    static let last = Timestamp(253_402_300_799)
}
