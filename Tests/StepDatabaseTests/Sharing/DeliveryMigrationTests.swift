import Foundation
import GRDB
import StepDomain
import Testing

@testable import StepDatabase

/// From version 3 of the schema to version 4.
@Suite(.timeLimit(.minutes(5))) struct DeliveryMigrationTests {
    private static let version3 = Schema(migrations: [.history, .sharing, .notices])

    @Test(arguments: [StepDatabase.Access.reading, .writing])
    func `entries and destinations keep their content in the migration`(_ access: StepDatabase.Access) throws {
        try withDirectory { directory in
            let path = directory + "/history.sqlite"
            let old = try StepDatabase(path: path, for: .writing, busyTimeout: 5, schema: Self.version3)
            try old.queue.write { database in
                try database.execute(
                    sql: """
                        INSERT INTO person VALUES (1, 'Ada', 'ada');
                        INSERT INTO destination VALUES ('garden', '2014-04-20', 5000, 3, 'token');
                        INSERT INTO share VALUES ('garden', 1, '2014-04-20', 'sent', 0, 'f', 'f', 0, NULL, NULL, NULL, '17', 1000, 0);
                        """)
            }
            try old.close()
            let new = try StepDatabase(path: path, for: access)
            let entry = try #require(try new.entry(for: "garden", of: 1, on: Day("2014-04-20")!))
            #expect(entry.state == .sent && entry.confirmed == "f" && entry.remoteID == "17" && entry.repetition == 0)
            #expect(
                try new.state(of: "garden")
                    == DestinationState(
                        name: "garden", firstDay: Day("2014-04-20"), notBefore: Timestamp(5000), failures: 3,
                        stopped: "token"))
            guard access == .writing else { return }
            var again = entry
            again.sendAgain(at: Timestamp(2000))
            try new.record([again])
            #expect(try new.entry(for: "garden", of: 1, on: entry.day) == again)
            let state = DestinationState(name: "garden", notBefore: Timestamp(6000), failures: 1, lastError: "422")
            try new.record(state)
            #expect(try new.state(of: "garden") == state)
        }
    }
}
