import GRDB
import StepDomain
import Testing

@testable import StepDatabase

/// From the version before measured running steps to the one that has them.
@Suite(.timeLimit(.minutes(5))) struct RunningStepsMigrationTests {
    @Test(arguments: [StepDatabase.Access.reading, .writing])
    func `profiles from before the migration have no measured running step`(_ access: StepDatabase.Access) throws {
        try withDirectory { directory in
            let path = directory + "/history.sqlite"
            let index = try #require(Schema.current.migrations.firstIndex { $0.name == "runningSteps" })
            let before = Schema(migrations: Array(Schema.current.migrations[..<index]))
            let old = try StepDatabase(path: path, for: .writing, busyTimeout: 5, schema: before)
            try old.queue.write { database in
                try database.execute(
                    sql: """
                        INSERT INTO person VALUES (1, 'Ada', 'ada');
                        INSERT INTO profile VALUES (1, '1970-01-01', 1.7, 70, 'female', '1980-02-29', 0.7);
                        """)
            }
            try old.close()
            let database = try StepDatabase(path: path, for: access)
            var profile = Profile(
                validFrom: Validity.beginning, height: 1.7, weight: 70, sex: .female, birthDate: Day("1980-02-29"),
                stepLength: 0.7)
            #expect(try database.profiles(of: 1) == [profile])
            guard access == .writing else { return }
            profile.runningStepLength = 1.2
            try database.setProfile(profile, of: 1)
            #expect(try database.profiles(of: 1) == [profile])
        }
    }
}
