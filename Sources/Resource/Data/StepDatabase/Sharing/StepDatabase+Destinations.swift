import GRDB
public import StepDomain

extension StepDatabase {
    public func state(of destination: String) throws(HistoryError) -> DestinationState {
        try read { database in
            let row = try Row.fetchOne(
                database.cachedStatement(
                    sql: "SELECT first_day, not_before, failures, stopped FROM destination WHERE name = ?"),
                arguments: [destination])
            guard let row else { return DestinationState(name: destination) }
            return DestinationState(
                name: destination, firstDay: try (row[0] as String?).map(Day.init(column:)),
                notBefore: (row[1] as Int?).map(Timestamp.init), failures: row[2], stopped: row[3])
        }
    }

    public func record(_ state: DestinationState) throws(HistoryError) {
        try write { database in
            try database.cachedStatement(sql: "INSERT OR REPLACE INTO destination VALUES (?, ?, ?, ?, ?)")
                .execute(arguments: [
                    state.name, state.firstDay?.description, state.notBefore?.seconds, state.failures,
                    state.stopped.map(shortened),
                ])
        }
    }
}
