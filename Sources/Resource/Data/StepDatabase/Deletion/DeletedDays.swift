import GRDB
import StepDomain

extension DeletedDay {
    /// Those of a user in a range, by day.
    static func all(of person: User.ID, in days: ClosedRange<Day>, _ database: Database) throws -> [DeletedDay] {
        try Row.fetchAll(
            database.cachedStatement(
                sql: "SELECT day, at, closed FROM deleted_day WHERE person = ? AND day BETWEEN ? AND ? ORDER BY day"),
            arguments: [person, days.lowerBound.description, days.upperBound.description]
        ).map { DeletedDay(try $0.day(0), at: try $0.time(1), isClosed: try $0.get(2)) }
    }
}

/// The days of a user that syncs and imports leave out, because the user has deleted them.
struct DeletedDays {
    let days: DaySet

    init(of person: User.ID, _ database: Database) throws {
        days = DaySet(try DeletedDay.all(of: person, in: Period.calendar, database).filter(\.isClosed).map(\.day))
    }

    /// What a sync may store of a batch. The raw frames show the steps, too.
    ///
    /// - Parameter coverage: of the batch, with its offsets.
    func admitted(_ batch: SampleBatch) -> SampleBatch {
        if days.isEmpty { return batch }
        var rest = batch
        rest.samples.removeAll { days.contains($0.day) }
        if rest.samples.count < batch.samples.count { rest.frames = [] }
        if let total = batch.deviceTotal, days.contains(total.day) { rest.deviceTotal = nil }
        return rest
    }

    /// What an import may store.
    ///
    /// - Returns: also how many days with steps were left out.
    func admitted(_ history: ForeignHistory) -> (ForeignHistory, left: Int) {
        if days.isEmpty { return (history, 0) }
        var (rest, left) = (history, Set<Day>())
        rest.tracks = history.tracks.map { track in
            var track = track
            left.formUnion(track.days.lazy.map(\.day).filter(days.contains))
            track.days.removeAll { days.contains($0.day) }
            track.parts = track.parts.compactMap { part in
                guard let content = PackedDay(part.content, of: part.day) else { return part }
                let admitted = content.without(days)
                if admitted == content { return part }
                return admitted.isEmpty ? nil : (day: part.day, content: admitted.bytes(of: part.day))
            }
            return track
        }
        rest.tracks.removeAll(where: \.parts.isEmpty)
        return (rest, left.count)
    }
}
