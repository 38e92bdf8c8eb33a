import Foundation
import GRDB
import GRDBSQLite
import StepDomain

/// Rows of `day_sum` of one person.
struct DaySumTable {
    private let person: User.ID
    private let database: Database

    init(_ person: User.ID, _ database: Database) {
        self.person = person
        self.database = database
    }

    private func arguments(_ days: ClosedRange<Day>) -> [Int64] {
        [person, Int64(days.lowerBound.daysSince1970), Int64(days.upperBound.daysSince1970), Int64(DaySums.revision)]
    }

    /// The days of a range that have no row.
    func missing(in days: ClosedRange<Day>) throws -> [Day] {
        let select = try database.cachedStatement(
            sql: "SELECT day FROM day_sum WHERE person = ?1 AND day BETWEEN ?2 AND ?3 AND revision = ?4 ORDER BY day")
        var missing: [Day] = []
        var next = days.lowerBound
        try select.rows(of: database, for: arguments(days)) { row in
            let day = Day(daysSince1970: try row.integer(0))
            // In a damaged index, days can be out of order.
            guard days.contains(day) else { throw notWritten("the sums of day \(day.daysSince1970)") }
            while next < day {
                missing.append(next)
                next = next.advanced(by: 1)
            }
            next = day.advanced(by: 1)
        }
        while next <= days.upperBound {
            missing.append(next)
            next = next.advanced(by: 1)
        }
        return missing
    }

    /// The sums of each day of a range.
    ///
    /// - Parameter calculate: calculates the sums of days that have no row.
    func sums(in days: ClosedRange<Day>, calculate: ([Day]) throws -> [DaySums]) throws -> [DaySums] {
        let stored = try stored(in: days)
        if stored.count == days.count { return stored }
        let known = Set(stored.map(\.day))
        return (stored + (try calculate(days.filter { !known.contains($0) }))).sorted { $0.day < $1.day }
    }

    /// The rows of a range, by day. A row that istep never writes is left out.
    func stored(in days: ClosedRange<Day>) throws -> [DaySums] {
        let select = try database.cachedStatement(
            sql: """
                SELECT day, completeness, walking_steps, running_steps, walking_metres, running_metres, energy, hours
                FROM day_sum WHERE person = ?1 AND day BETWEEN ?2 AND ?3 AND revision = ?4 ORDER BY day
                """)
        var sums: [DaySums] = []
        sums.reserveCapacity(days.count)
        try select.rows(of: database, for: arguments(days)) { row in
            if let sum = DaySums(row: row) { sums.append(sum) }
        }
        return sums
    }

    /// The newest days that have a row, oldest first.
    func newest(_ count: Int) throws -> [Day] {
        let select = try database.cachedStatement(
            sql:
                "SELECT day FROM day_sum WHERE person = ?1 AND revision = ?2 AND day BETWEEN ?3 AND ?4 ORDER BY day DESC LIMIT ?5"
        )
        var days: [Day] = []
        let limits = [Period.calendar.lowerBound, Period.calendar.upperBound].map { Int64($0.daysSince1970) }
        try select.rows(of: database, for: [person, Int64(DaySums.revision)] + limits + [Int64(count)]) { row in
            days.append(Day(daysSince1970: try row.integer(0)))
        }
        return days.reversed()
    }

    func remove(_ day: Day) throws {
        try database.cachedStatement(sql: "DELETE FROM day_sum WHERE person = ? AND day = ?").execute(arguments: [
            person, day.daysSince1970,
        ])
    }

    func remove(before day: Day) throws {
        try database.cachedStatement(sql: "DELETE FROM day_sum WHERE person = ? AND day < ?").execute(arguments: [
            person, day.daysSince1970,
        ])
    }

    func calculate(_ days: [Day], _ user: User) throws -> [DaySums] {
        if days.isEmpty { return [] }
        let reader = try DayDataReader(user, database)
        return try days.runs(ofAtMost: DayDataReader.maximumDays).flatMap {
            try reader.sums(from: $0.first, count: $0.count)
        }
    }

    func store(_ sums: DaySums) throws {
        try database.cachedStatement(sql: "INSERT OR REPLACE INTO day_sum VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
            .execute(arguments: [
                person, sums.day.daysSince1970, DaySums.revision, sums.completeness.rawValue, sums.gaits.walkingSteps,
                sums.gaits.runningSteps,
                sums.gaits.metres?.walking, sums.gaits.metres?.running, sums.gaits.energy, sums.storedHours,
            ])
    }
}

extension DaySums {
    /// Nil for a row that istep never writes.
    fileprivate init?(row: RawRow) {
        let steps = 0...Self.maximumSteps
        guard let day = try? row.integer(0), let walkingSteps = try? row.integer(2),
            let runningSteps = try? row.integer(3),
            steps.contains(walkingSteps), steps.contains(runningSteps),
            let completeness = DaySummary.Completeness(rawValue: row.text(1)),
            let hours = row.bytes(7, Self.hours(from:))
        else { return nil }
        let walking = row.number(4), running = row.number(5)
        self.init(
            day: Day(daysSince1970: day),
            gaits: GaitSums(
                walkingSteps: walkingSteps, runningSteps: runningSteps,
                metres: walking.flatMap { walking in running.map { GaitSums.Metres(walking: walking, running: $0) } },
                energy: row.number(6)),
            hours: hours, completeness: completeness)
    }

    /// More than the samples of a day can add up to; sums of many days stay below the greatest number.
    private static let maximumSteps = 1 << 48

    /// Nil if these are not the bytes of no hours or of 24.
    private static func hours(from bytes: UnsafeRawBufferPointer) -> [Int?]? {
        guard [0, 4 * 24].contains(bytes.count) else { return nil }
        return (0..<(bytes.count / 4)).map { index -> Int? in
            let stored = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self))
            return stored == unknownHour ? nil : Int(stored)
        }
    }

    /// Stored for an hour that is not known.
    private static let unknownHour = UInt32.max

    /// A sample has at most 158 million steps, so 32 bits are enough for the samples of an hour.
    fileprivate var storedHours: Data {
        var bytes = Data(capacity: 4 * hours.count)
        for steps in hours {
            let stored = steps.map { min(UInt32(clamping: $0), Self.unknownHour - 1) } ?? Self.unknownHour
            withUnsafeBytes(of: stored.littleEndian) { bytes.append(contentsOf: $0) }
        }
        return bytes
    }
}
