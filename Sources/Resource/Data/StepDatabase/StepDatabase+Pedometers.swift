import Foundation
import GRDB
public import StepDomain

extension StepDatabase {
    public func pedometers() throws(HistoryError) -> [Pedometer] {
        try read { database in
            try Row.fetchAll(database, sql: Pedometer.query + " WHERE NOT forgotten ORDER BY name_key").map(Pedometer.init)
        }
    }

    /// Adds a pedometer, or brings back the one of the same user and address that was forgotten, under its new name.
    ///
    /// One that comes back as another model or with other options keeps its samples and clock, and is read anew from
    /// its start: a cursor means nothing to another model. One that comes to another user starts with the clock as it
    /// was left; the samples stay with whom they were counted for.
    public func addPedometer(_ pedometer: Pedometer) throws(HistoryError) -> Pedometer {
        let name = try CheckedName(pedometer.name)
        let address = pedometer.address.uppercased()
        return try write { database in
            try require(.user, pedometer.user, database)
            if let other = try String.fetchOne(
                database, sql: "SELECT name FROM pedometer WHERE address = ? AND NOT forgotten", arguments: [address])
            {
                throw HistoryError.addressTaken(address, name: other)
            }
            let nameIsTaken = try Bool.fetchOne(
                database, sql: "SELECT EXISTS (SELECT 1 FROM pedometer WHERE name_key = ? AND NOT forgotten)",
                arguments: [name.key])
            if nameIsTaken == true { throw HistoryError.nameTaken(name.text) }

            // The user's own row first: it has the samples, clock and cursor; then whoever had the pedometer last.
            let row = try Row.fetchOne(
                database, sql: Pedometer.query + " WHERE address = ? ORDER BY person = ? DESC, id DESC LIMIT 1",
                arguments: [address, pedometer.user])
            let forgotten = try row.map(Pedometer.init)
            var added = pedometer
            added.address = address
            if let forgotten { added.clock = forgotten.clock }
            if let forgotten, forgotten.user == pedometer.user {
                if forgotten.model == pedometer.model && forgotten.options == pedometer.options {
                    added.cursor = forgotten.cursor
                }
                return try added.update(forgotten.id, name: name, database)
            }
            return try added.insert(name: name, database)
        }
    }

    public func forgetPedometer(_ id: Pedometer.ID) throws(HistoryError) {
        try write { database in
            try database.execute(sql: "UPDATE pedometer SET forgotten = 1 WHERE id = ? AND NOT forgotten", arguments: [id])
            if database.changesCount == 0 { throw HistoryError.notFound(.pedometer, id: id) }
        }
    }

    public func setClock(_ clock: ClockState, of pedometer: Pedometer.ID) throws(HistoryError) {
        try write { database in
            try database.execute(
                sql: "UPDATE pedometer SET clock = ? WHERE id = ?", arguments: [try json(clock), pedometer])
            if database.changesCount == 0 { throw HistoryError.notFound(.pedometer, id: pedometer) }
        }
    }
}

extension Pedometer {
    fileprivate static let query = """
        SELECT id, person, model, address, address_type, name, options, clock, cursor FROM pedometer
        """

    fileprivate init(row: Row) throws {
        self.init(
            id: row[0], user: row[1], model: row[2], address: row[3], addressType: row[4], name: row[5],
            options: try value(row[6]), clock: try value(row[7]), cursor: try value(row[8]))
    }

    fileprivate func insert(name: CheckedName, _ database: Database) throws -> Pedometer {
        try database.execute(
            sql: """
                INSERT INTO pedometer (person, address, model, address_type, name, name_key, options, clock, cursor)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [user, address] + (try columns(name)))
        return with(id: database.lastInsertedRowID)
    }

    fileprivate func update(_ id: ID, name: CheckedName, _ database: Database) throws -> Pedometer {
        try database.execute(
            sql: """
                UPDATE pedometer SET model = ?, address_type = ?, name = ?, name_key = ?, options = ?, clock = ?,
                cursor = ?, forgotten = 0 WHERE id = ?
                """,
            arguments: try columns(name) + [id])
        return with(id: id)
    }

    private func columns(_ name: CheckedName) throws -> StatementArguments {
        [model, addressType, name.text, name.key, try json(options), try json(clock), try json(cursor)]
    }

    private func with(id: ID) -> Pedometer {
        Pedometer(
            id: id, user: user, model: model, address: address, addressType: addressType, name: name,
            options: options, clock: clock, cursor: cursor)
    }
}
