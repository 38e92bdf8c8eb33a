import GRDB
public import StepDomain

/// Moving parts of a history from one user to another.
extension StepDatabase {
    public func move(_ move: Move, at moment: Timestamp, isPreview: Bool) throws(HistoryError) -> MoveEffect {
        try changed(isPreview: isPreview) { database in
            for user in [move.from, move.to] { try require(.user, user.id, database) }
            switch move {
            case .days(let days, let from, let to):
                return try DayMove(database: database, from: from, to: to, days: days, now: moment).run()
            case .source(let source, let from, let to):
                try require(.pedometer, source.pedometer.id, database)
                return try SourceMove(database: database, from: from, to: to, now: moment).run(source.pedometer.id)
            }
        }
    }
}

/// The days of both users of a move, before and after it.
struct BothSides {
    let from: StepsOfDays
    let to: StepsOfDays
    let days: Set<Day>
    private let before: (from: [Day: Int?], to: [Day: Int?])

    init(_ database: Database, from: User, to: User, _ days: Set<Day>) throws {
        self.from = StepsOfDays(database: database, user: from)
        self.to = StepsOfDays(database: database, user: to)
        self.days = days
        before = (try self.from.shown(days), try self.to.shown(days))
    }

    /// After the move.
    func effect() throws -> MoveEffect {
        MoveEffect(from: try side(from, before.from), to: try side(to, before.to))
    }

    private func side(_ steps: StepsOfDays, _ before: [Day: Int?]) throws -> MoveEffect.Side {
        let changes = steps.changes(days, before: before, after: try steps.shown(days))
        return MoveEffect.Side(days: changes, shared: try steps.shared(changes.map(\.day)))
    }

    /// The days of the user who gets them may be filled by syncs and imports again.
    func reopen(_ database: Database) throws {
        for day in days {
            try database.cachedStatement(sql: "DELETE FROM deleted_day WHERE person = ? AND day = ?")
                .execute(arguments: [to.user.id, day.description])
        }
    }
}
