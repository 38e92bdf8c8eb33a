import GRDB
import Quoting
public import StepDomain

extension StepDatabase {
    public func users() throws(HistoryError) -> [User] {
        try read { database in
            try Row.fetchAll(database, sql: "SELECT id, name FROM person ORDER BY name_key").map { row in
                User(id: row[0], name: row[1])
            }
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
            return User(id: row[0], name: row[1])
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
                sql: "INSERT OR REPLACE INTO profile VALUES (?, ?, ?, ?, ?, ?, ?)",
                arguments: [
                    user, profile.validFrom.description, profile.height, profile.weight, profile.sex.rawValue,
                    profile.birthDate?.description, profile.stepLength,
                ])
        }
    }

    public func plans(of user: User.ID) throws(HistoryError) -> [SportPlan] {
        try read { database in
            try Row.fetchAll(database, sql: SportPlan.query + " ORDER BY valid_from", arguments: [user]).map(SportPlan.init)
        }
    }

    public func setPlan(_ plan: SportPlan, of user: User.ID) throws(HistoryError) {
        try write { database in
            try require(.user, user, database)
            var arguments: StatementArguments = [user, plan.validFrom.description]
            arguments += StatementArguments(plan.goals)
            try database.execute(sql: "INSERT OR REPLACE INTO plan VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", arguments: arguments)
        }
    }

    /// A missing user or pedometer is told by its number, which a failed foreign key would not do.
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

extension Profile {
    static let query = "SELECT valid_from, height, weight, sex, birth_date, step_length FROM profile WHERE person = ?"

    init(row: Row) throws {
        self.init(
            validFrom: try Day(column: row[0]), height: row[1], weight: row[2],
            sex: Sex(rawValue: row[3]) ?? .unspecified, birthDate: try (row[4] as String?).map(Day.init(column:)),
            stepLength: row[5])
    }
}

extension SportPlan {
    static let query = """
        SELECT valid_from, monday, tuesday, wednesday, thursday, friday, saturday, sunday FROM plan WHERE person = ?
        """

    init(row: Row) throws {
        self.init(validFrom: try Day(column: row[0]), goals: (1...7).map { row[$0] })
    }
}

extension Day {
    /// The constraints of the schema let nothing else in, save a year that `Day` does not know.
    init(column text: String) throws {
        guard let day = Day(text) else {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "no day: \(text)"))
        }
        self = day
    }
}
