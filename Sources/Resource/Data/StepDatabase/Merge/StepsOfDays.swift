import GRDB
import StepDomain

/// The steps of days of a user before and after a change, in its transaction.
struct StepsOfDays {
    private let user: User
    private let database: Database

    init(_ user: User, _ database: Database) { (self.user, self.database) = (user, database) }

    /// The steps of days; nil of a day of which nothing is known.
    func steps(of days: Set<Day>) throws -> [Day: Int?] {
        let table = DaySumTable(user.id, database)
        return try table.calculate(days.sorted(), user).reduce(into: [:]) { steps, sums in
            steps[sums.day] = .some(sums.completeness == .unknown ? nil : sums.gaits.steps)
        }
    }

    /// The days that have other steps than before.
    func changes(of days: Set<Day>, since before: [Day: Int?]) throws -> [ImportChanges.DayChange] {
        try steps(of: days).compactMap { day, after in
            let earlier = before[day] ?? nil
            return earlier == after ? nil : ImportChanges.DayChange(day: day, before: earlier, after: after)
        }.sorted { $0.day < $1.day }
    }
}
