import Foundation
import GRDB
import StepDomain
import Testing

@testable import StepDatabase

/// From version 2 of the schema to version 3.
@Suite(.timeLimit(.minutes(5))) struct NoticesMigrationTests {
    private static let version2 = Schema(migrations: [.history, .sharing])

    private static let syncs: [(outcome: String, failure: String?, cause: FailureCause?)] = [
        ("complete", nil, nil), ("running", nil, nil),
        ("failed", "C0:DE:00:00:00:01 was not heard within 20 s", .outOfRange),
        ("failed", "interrupted", .interrupted), ("failed", "cancelled", .interrupted),
        ("failed", "the Bluetooth adapter hci0 is switched off", .machine), ("failed", nil, .other),
        ("failed", "the Bluetooth adapter hci0 is blocked in software (rfkill)", .machine),
        ("failed", "the Bluetooth adapter hci1 is blocked by a switch of the machine", .machine),
        ("failed", "the Bluetooth adapter hci0 went away", .machine),
        ("failed", "this machine has no Bluetooth adapter", .machine),
        ("failed", "there is no Bluetooth adapter hci7", .machine),
        ("failed", "the Bluetooth service (bluetoothd) is not running", .machine),
        ("failed", "no connection to the D-Bus bus: refused", .machine),
        ("failed", "access denied: bluetoothd", .machine),
        ("failed", "this kernel has no Bluetooth, or keeps it from this process", .machine),
        ("failed", "cannot connect to C0:DE:00:00:00:01: refused", .other),
        ("failed", "unexpected answer from the Bluetooth service: x", .other),
    ]

    @Test(arguments: [StepDatabase.Access.reading, .writing])
    func `syncs keep their failure text and get a cause`(_ access: StepDatabase.Access) throws {
        try withDirectory { directory in
            let path = directory + "/history.sqlite"
            let old = try StepDatabase(path: path, for: .writing, busyTimeout: 5, schema: Self.version2)
            try old.queue.write { database in
                try database.execute(
                    sql: """
                        INSERT INTO person VALUES (1, 'Ada', 'ada');
                        INSERT INTO pedometer VALUES (1, 1, 'colmi', '30:34:42:00:00:01', 'public', 'ring', 'ring', '{}', '{}', '{}', 0);
                        INSERT INTO destination VALUES ('garden', '2014-04-20', NULL, 3, 'token');
                        """)
                for (number, sync) in Self.syncs.enumerated() {
                    try database.execute(
                        sql:
                            "INSERT INTO sync (pedometer, started_at, ended_at, outcome, failure, battery) VALUES (1, ?, ?, ?, ?, 50)",
                        arguments: [number, sync.outcome == "running" ? nil : number + 1, sync.outcome, sync.failure])
                }
            }
            try old.close()
            let new = try StepDatabase(path: path, for: access)
            let syncs = try new.syncs(of: 1, limit: 99).reversed()
            #expect(syncs.map(\.outcome.rawValue) == Self.syncs.map(\.outcome))
            #expect(syncs.map(\.failure) == Self.syncs.map(\.failure))
            #expect(syncs.map(\.cause) == Self.syncs.map(\.cause))
            #expect(syncs.allSatisfy { $0.battery == 50 })
            #expect(try new.state(of: "garden").stopped == "token")
            #expect(try new.standingNotices().isEmpty)
        }
    }

    @Test func `an older program rejects a newer database`() throws {
        try withFixture { history in
            try history.database.close()
            for access in [StepDatabase.Access.reading, .writing] {
                expect(.newerVersion(path: history.path, found: Schema.current.version, supported: 2)) {
                    try StepDatabase(path: history.path, for: access, busyTimeout: 5, schema: Self.version2)
                }
            }
        }
    }
}
