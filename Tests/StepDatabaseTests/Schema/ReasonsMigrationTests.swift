import GRDB
import StepDomain
import Testing

@testable import StepDatabase

/// From the version before the reasons of corrections to the one that has them.
@Suite(.timeLimit(.minutes(5))) struct ReasonsMigrationTests {
    @Test(arguments: [StepDatabase.Access.reading, .writing])
    func `corrections from before the migration have no reason and remain in effect`(_ access: StepDatabase.Access)
        throws
    {
        try withDirectory { directory in
            let path = directory + "/history.sqlite"
            let user = try Self.make(path)
            let database = try StepDatabase(path: path, for: access)
            #expect(
                try database.dayData(of: user, on: day).correction
                    == StepCorrection(steps: 9000, enteredAt: Timestamp(1_397_980_800)))
            guard access == .writing else { return }
            let correction = StepCorrection(steps: 9000, reason: "left the ring at home", enteredAt: noon)
            try database.setCorrection(correction, of: user.id, on: day, at: noon)
            #expect(try database.dayData(of: user, on: day).correction == correction)
        }
    }

    /// A history of the previous version with a corrected day.
    private static func make(_ path: String) throws -> User {
        let index = try #require(Schema.current.migrations.firstIndex { $0.name == "reasons" })
        let before = Schema(migrations: Array(Schema.current.migrations[..<index]))
        let old = try StepDatabase(path: path, for: .writing, busyTimeout: 5, schema: before)
        try old.queue.write { database in
            try database.execute(
                sql:
                    "INSERT INTO person VALUES (1, 'Ada', 'ada'); INSERT INTO correction VALUES (1, '2014-04-20', 9000, 1397980800);"
            )
        }
        try old.close()
        return User(id: 1, name: "Ada")
    }
}
