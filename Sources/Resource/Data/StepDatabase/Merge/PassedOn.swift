import GRDB
import StepDomain

/// A pedometer that was passed on to another person: what was stored for the person before belongs to that person, and the pedometer may
/// still report it.
struct PassedOn {
    /// The end of what was stored for others; nil if nothing was.
    private let end: Timestamp?

    /// The end is that of the last sample or span, but not later than the last sync: a clock that was ahead can have stored times to come,
    /// and those do not belong to anybody yet.
    init(_ pedometer: Pedometer.ID, _ database: Database) throws {
        end = try Int.fetchOne(
            database.cachedStatement(
                sql: """
                    SELECT max(min(
                        max(
                            ifnull((SELECT start + length FROM sample WHERE pedometer = other.id ORDER BY start DESC LIMIT 1), 0),
                            ifnull((SELECT until FROM coverage WHERE pedometer = other.id ORDER BY start DESC LIMIT 1), 0)),
                        ifnull((SELECT ifnull(ended_at, started_at) FROM sync WHERE pedometer = other.id ORDER BY started_at DESC LIMIT 1), 0)))
                    FROM pedometer AS own JOIN pedometer AS other ON other.address = own.address AND other.person <> own.person
                    WHERE own.id = ?
                    """),
            arguments: [pedometer]
        ).map { Timestamp($0) }
    }

    /// The batch without what belongs to others. Its raw frames stay, because they are the record of what was received.
    func own(_ batch: SampleBatch) -> SampleBatch {
        guard let end else { return batch }
        var own = batch
        own.samples.removeAll { $0.start < end }
        own.coverage = batch.coverage.filter { $0.end > end }.map { TimeSpan(max($0.start, end), $0.end) }
        return own
    }
}
