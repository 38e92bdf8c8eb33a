import Foundation
import GRDB
public import StepDomain
import Support

/// Users with their profiles and plans, and their pedometers.
extension StepDatabase {
    public func users() throws(HistoryError) -> [User] {
        try read { database in
            try Row.fetchAll(database, sql: "SELECT id, name FROM person ORDER BY name_key").map(User.init)
        }
    }

    public func addUser(named name: String) throws(HistoryError) -> User {
        let name = try CheckedName(name)
        return try write { database in
            try database.execute(
                sql: "INSERT INTO person (name, name_key) VALUES (?, ?) ON CONFLICT (name_key) DO NOTHING",
                arguments: [name.text, name.key])
            let row = try Row.fetchOne(
                database, sql: "SELECT id, name FROM person WHERE name_key = ?", arguments: [name.key])
            guard let row else { throw HistoryError.invalidValue("the user \(quoted(name.text)) was not stored") }
            return try User(row: row)
        }
    }

    public func profiles(of user: User.ID) throws(HistoryError) -> [Profile] {
        try read { database in
            try Row.fetchAll(database, sql: Profile.query + " ORDER BY valid_from", arguments: [user]).map(Profile.init)
        }
    }

    public func setProfile(_ profile: Profile, of user: User.ID) throws(HistoryError) {
        try write { database in
            try require(.user, user, database)
            try database.execute(
                sql: "INSERT OR REPLACE INTO profile VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                arguments: [
                    user, profile.validFrom.description, profile.height, profile.weight, profile.sex.rawValue,
                    profile.birthDate?.description, profile.stepLength, profile.runningStepLength,
                ])
        }
    }

    public func removeProfile(validFrom day: Day, of user: User.ID) throws(HistoryError) {
        try write { database in
            try database.execute(
                sql: "DELETE FROM profile WHERE person = ? AND valid_from = ?", arguments: [user, day.description])
        }
    }

    public func plans(of user: User.ID) throws(HistoryError) -> [SportPlan] {
        try read { database in
            try Row.fetchAll(database, sql: SportPlan.query + " ORDER BY valid_from", arguments: [user]).map(
                SportPlan.init)
        }
    }

    public func setPlan(_ plan: SportPlan, of user: User.ID) throws(HistoryError) {
        try write { database in
            try require(.user, user, database)
            var arguments: StatementArguments = [user, plan.validFrom.description]
            arguments += StatementArguments(plan.goals)
            try database.execute(
                sql: "INSERT OR REPLACE INTO plan VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", arguments: arguments)
        }
    }

    public func removePlan(validFrom day: Day, of user: User.ID) throws(HistoryError) {
        try write { database in
            try database.execute(
                sql: "DELETE FROM plan WHERE person = ? AND valid_from = ?", arguments: [user, day.description])
        }
    }

    /// Reports a missing user or pedometer by its number; a failed foreign key would not.
    func require(_ subject: HistoryError.Subject, _ id: Int64, _ database: Database) throws {
        let table =
            switch subject {
            case .user: "person"
            case .pedometer: "pedometer"
            case .sync: "sync"
            }
        let found = try Bool.fetchOne(
            database.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM \(table) WHERE id = ?)"), arguments: [id])
        if found != true { throw HistoryError.notFound(subject, id: id) }
    }
}

extension User {
    /// - Parameter row: id, name.
    init(row: Row) throws { self.init(id: try row.get(0), name: try row.get(1)) }
}

extension Profile {
    static let query = """
        SELECT valid_from, height, weight, sex, birth_date, step_length, running_step_length FROM profile WHERE person = ?
        """

    init(row: Row) throws {
        self.init(
            validFrom: try row.day(0), height: try row.get(1), weight: try row.get(2),
            sex: Sex(rawValue: try row.get(3)) ?? .unspecified,
            birthDate: try row.dayIfPresent(4), stepLength: try row.get(5), runningStepLength: try row.get(6))
    }
}

extension SportPlan {
    static let query = """
        SELECT valid_from, monday, tuesday, wednesday, thursday, friday, saturday, sunday FROM plan WHERE person = ?
        """

    init(row: Row) throws {
        self.init(validFrom: try row.day(0), goals: try (1...7).map { try row.get($0) })
    }
}

extension StepDatabase {
    public func pedometers() throws(HistoryError) -> [Pedometer] {
        try read { database in
            try Row.fetchAll(
                database,
                sql: Pedometer.query + " WHERE NOT forgotten AND NOT \(Pedometer.isImported) ORDER BY name_key"
            ).map(
                Pedometer.init)
        }
    }

    /// Adds a pedometer, or restores the forgotten one of the same user and address, under its new name.
    ///
    /// If it returns as another model or with other options, it keeps its samples and clock and is read again from its
    /// start, because a cursor is meaningless to another model. If it was last read for another user, it is read from
    /// where that reading ended; the samples stay with the user for whom they were counted (`PreviousOwner`).
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
            try requireUnused(name, except: nil, database)

            // Clock and cursor are properties of the pedometer: they are in the row for which it was last read, whoever
            // owned it then.
            let rows = try Row.fetchAll(
                database,
                sql: Pedometer.query
                    + " WHERE address = ? ORDER BY (SELECT max(id) FROM sync WHERE pedometer = pedometer.id) DESC, id DESC",
                arguments: [address])
            let forgotten = try rows.map(Pedometer.init)
            var added = pedometer
            added.address = address
            if let last = forgotten.first {
                added.clock = last.clock
                if last.model == pedometer.model && last.options == pedometer.options { added.cursor = last.cursor }
            }
            if let own = forgotten.first(where: { $0.user == pedometer.user }) {
                return try added.update(own.id, name: name, database)
            }
            return try added.insert(name: name, database)
        }
    }

    public func renamePedometer(_ id: Pedometer.ID, to name: String) throws(HistoryError) {
        let name = try CheckedName(name)
        try write { database in
            try requireUnused(name, except: id, database)
            try database.execute(
                sql: "UPDATE pedometer SET name = ?, name_key = ? WHERE id = ? AND NOT forgotten",
                arguments: [name.text, name.key, id])
            if database.changesCount == 0 { throw HistoryError.notFound(.pedometer, id: id) }
            try database.execute(
                sql: "UPDATE notice SET name = ? WHERE subject = ? AND ended_at IS NULL",
                arguments: [name.text, Notice.Subject.pedometer(id).description])
        }
    }

    private func requireUnused(_ name: CheckedName, except id: Pedometer.ID?, _ database: Database) throws {
        let isTaken = try Bool.fetchOne(
            database,
            sql: "SELECT EXISTS (SELECT 1 FROM pedometer WHERE name_key = ? AND NOT forgotten AND id IS NOT ?)",
            arguments: [name.key, id])
        if isTaken == true { throw HistoryError.nameTaken(name.text) }
    }

    public func forgetPedometer(_ id: Pedometer.ID) throws(HistoryError) {
        try write { database in
            try database.execute(
                sql: "UPDATE pedometer SET forgotten = 1 WHERE id = ? AND NOT forgotten", arguments: [id])
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
    /// What models of sources of imports begin with, before the key of the format.
    static let importPrefix = "import:"
    /// Whether a row of `pedometer` is a source of imports: it is not read by Bluetooth.
    static let isImported = "model LIKE 'import:%'"

    static let query = """
        SELECT id, person, model, address, address_type, name, options, clock, cursor FROM pedometer
        """

    init(row: Row) throws {
        self.init(
            id: try row.get(0), user: try row.get(1), model: try row.get(2), address: try row.get(3),
            addressType: try row.get(4),
            name: try row.get(5), options: try value(row.get(6)), clock: try value(row.get(7)),
            cursor: try value(row.get(8)))
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

/// A valid name of a user or a pedometer in the history, by `NameRule`.
struct CheckedName {
    let text: String
    /// Equal for names that differ only in case or in the encoding of accents.
    let key: String

    init(_ name: String) throws(HistoryError) {
        if let reason = NameRule.problem(of: name) {
            // A very long name would hide the reason of the error.
            throw .invalidName(String(String.UnicodeScalarView(name.unicodeScalars.prefix(80))), reason: reason)
        }
        text = name
        key = name.precomposedStringWithCanonicalMapping.lowercased().precomposedStringWithCanonicalMapping
    }
}
