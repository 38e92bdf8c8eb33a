import GRDB
import StepDomain
import Testing

@testable import StepDatabase

@Suite(.timeLimit(.minutes(5))) struct ScheduledImportStoreTests {
    @Test func `the state of an import is replaced by the next one`() throws {
        try withFixture { history in
            #expect(try history.database.scheduledImports().isEmpty)
            let failed = ScheduledImportState(name: "phone", triedAt: noon, failure: "no file")
            try history.database.store(failed)
            let file = ForeignFileMark(path: "/a.zip", size: 5, modified: 1_764_000_000_123_456_789)
            let read = ScheduledImportState(name: "phone", file: file, readAt: noon, triedAt: noon + 60)
            try history.database.store(read)
            try history.database.store(ScheduledImportState(name: "a", triedAt: noon))
            #expect(
                try history.database.scheduledImports() == [ScheduledImportState(name: "a", triedAt: noon), read])
        }
    }

    @Test func `damaged files are kept beside what was read, and a failure beside none`() throws {
        try withFixture { history in
            let file = ForeignFileMark(path: "/a.zip", size: 5, modified: 1)
            for count in [2, 32, 0] {
                let state = ScheduledImportState(
                    name: "phone", file: file, readAt: noon, triedAt: noon, settings: "ab",
                    damaged: (0..<count).map { "/S/\($0) \"x\"\n.zip" })
                try history.database.store(state)
                #expect(try history.database.scheduledImports() == [state])
            }
            let failed = ScheduledImportState(name: "phone", triedAt: noon, failure: "[import.phone]: no file")
            try history.database.store(failed)
            #expect(try history.database.scheduledImports() == [failed])
        }
    }

    @Test(arguments: [StepDatabase.Access.reading, .writing])
    func `what an earlier version has read was read with unknown settings`(access: StepDatabase.Access) throws {
        try withDirectory { directory in
            let path = directory + "/history.sqlite"
            let before = Schema(
                migrations: Array(Schema.current.migrations.prefix { $0.name != "scheduledImportDetails" }))
            let old = try StepDatabase(path: path, for: .writing, busyTimeout: 5, schema: before)
            try old.queue.write { database in
                try database.execute(
                    sql: "INSERT INTO scheduled_import VALUES ('phone', '/a.zip', 5, 1, ?, ?, 'gone')",
                    arguments: [noon.seconds, noon.seconds])
            }
            try old.close()
            let state = ScheduledImportState(
                name: "phone", file: ForeignFileMark(path: "/a.zip", size: 5, modified: 1), readAt: noon, triedAt: noon,
                failure: "gone")
            #expect(try StepDatabase(path: path, for: access).scheduledImports() == [state])
        }
    }

    @Test(arguments: [StepDatabase.Access.reading, .writing])
    func `a history of version 11 gets the table`(access: StepDatabase.Access) throws {
        try withDirectory { directory in
            let path = directory + "/history.sqlite"
            let before = Schema(migrations: Array(Schema.current.migrations.prefix { $0.name != "scheduledImports" }))
            let old = try StepDatabase(path: path, for: .writing, busyTimeout: 5, schema: before)
            let user = try old.addUser(named: "Ada")
            try old.exclude(Exclusion(TimeSpan(noon, noon + 60), utcOffset: 0), of: user.id, at: noon)
            try old.close()
            let new = try StepDatabase(path: path, for: access)
            #expect(try new.scheduledImports().isEmpty)
            #expect(try new.dayData(of: user, on: day).exclusions.count == 1)
        }
    }
}
