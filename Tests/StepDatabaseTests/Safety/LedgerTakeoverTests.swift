import Foundation
import GRDB
import StepDomain
import Testing

@testable import StepDatabase

/// What a restored history knows of the days that were sent since the backup.
@Suite(.timeLimit(.minutes(5))) struct LedgerTakeoverTests {
    private static let diary = "diary"
    private static let first = day.advanced(by: -4)

    /// Five days, as a pedometer reports them.
    private func read(_ database: StepDatabase, _ pedometer: Pedometer.ID) throws {
        let sync = try database.beginSync(of: pedometer, at: noon)
        _ = try database.merge(SampleBatch(samples: (-4...0).map { slot($0 * 1440, 100) }), sync: sync)
    }

    private func due(_ database: StepDatabase, _ user: User) throws -> [ShareEntry] {
        try database.enqueueChanges(of: user.id, for: Self.diary, since: Self.first, at: noon)
        return try database.due(for: Self.diary, users: [user.id], at: noon, limit: .max)
    }

    /// A backup without the five days, and the history after they were sent.
    private func withSentDays(_ body: (Fixture, _ backup: String) throws -> Void) throws {
        try withFixture { history in
            let backup = history.path + ".copy"
            _ = try StepDatabase.backUp(history.path, to: backup)
            try read(history.database, history.pedometer.id)
            let entries = try due(history.database, history.user)
            #expect(entries.count == 5)
            try history.database.record(entries.map { $0.sent("v1") })
            try history.database.record(DestinationState(name: Self.diary, firstDay: Self.first, failures: 2))
            try body(history, backup)
        }
    }

    @Test func `days that were sent since the backup are known after a restore`() throws {
        try withSentDays { history, backup in
            try history.database.close()
            let replaced = try StepDatabase.restore(backup, to: history.path, at: noon, .fixed(0))
            #expect(!replaced.isSharingUncertain)
            let restored = try StepDatabase(path: history.path)
            #expect(
                try restored.state(of: Self.diary).firstDay == Self.first
                    && restored.state(of: Self.diary).failures == 2)
            // Before they are read again, and after.
            for isRead in [false, true] {
                if isRead { try read(restored, history.pedometer.id) }
                let entries = try due(restored, history.user)
                #expect(entries.count == 5 && entries.allSatisfy { $0.state == .sent && $0.confirmed == "v1" })
                // Examined again: the figures can have changed. What is as it was sent is not sent.
                let traits = ShareTraits(resending: .repeats, corrects: false, acceptsUnfinishedDays: false)
                #expect(entries.allSatisfy { $0.decision("v1", traits, readyAt: nil, now: noon) == .settled })
                #expect(entries.allSatisfy { $0.decision("v2", traits, readyAt: nil, now: noon) == .settled })
                try restored.record(entries.map { $0.sent("v1") })
            }
            #expect(try due(restored, history.user) == [])
        }
    }

    @Test func `days that only the backup records as sent are still recorded as sent after a restore`() throws {
        try withSentDays { history, _ in
            let backup = history.path + ".later"
            _ = try StepDatabase.backUp(history.path, to: backup)
            try history.database.close()
            for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: history.path + suffix) }
            // A new history of the same person, of which nothing was sent.
            let new = try Fixture((history.path as NSString).deletingLastPathComponent)
            try read(new.database, new.pedometer.id)
            #expect(try due(new.database, new.user).count == 5)
            try new.database.close()
            _ = try StepDatabase.restore(backup, to: history.path, at: noon, .fixed(0))
            let restored = try StepDatabase(path: history.path)
            #expect(
                try restored.entries(for: Self.diary, in: [.sent]).map(\.confirmed) == Array(repeating: "v1", count: 5))
            #expect(try due(restored, history.user) == [])
        }
    }

    @Test func `a backup of an earlier version takes the ledger over, and is migrated`() throws {
        try withDirectory { directory in
            let old = Schema(migrations: Array(Schema.current.migrations.prefix(2)))
            let backup = directory + "/old.sqlite"
            let before = try StepDatabase(path: backup, for: .writing, busyTimeout: 1, schema: old)
            _ = try before.addUser(named: "Ben")
            let ada = try before.addUser(named: "ADA")
            try before.close()
            let history = try Fixture(directory)
            try read(history.database, history.pedometer.id)
            try history.database.record(try due(history.database, history.user).map { $0.sent("v1") })
            try history.database.close()
            #expect(try !StepDatabase.restore(backup, to: history.path, at: noon, .fixed(0)).isSharingUncertain)
            #expect(try StepDatabase.contents(of: history.path).version == Schema.current.version)
            let entries = try StepDatabase(path: history.path).entries(for: Self.diary, in: [.sent])
            #expect(entries.count == 5 && entries.allSatisfy { $0.user == ada.id && $0.confirmed == "v1" })
        }
    }

    @Test func `a restore reports when it is unknown which days were sent`() throws {
        // The days are those of a user whom the backup does not have.
        try withFixture { history in
            let backup = history.path + ".copy"
            let other = try StepDatabase(path: backup)
            _ = try other.addUser(named: "Ben")
            try other.close()
            try read(history.database, history.pedometer.id)
            try history.database.record(try due(history.database, history.user).map { $0.sent("v1") })
            try history.database.close()
            #expect(try StepDatabase.restore(backup, to: history.path, at: noon, .fixed(0)).isSharingUncertain)
        }
        // The history cannot be read.
        try withSentDays { history, backup in
            try history.database.close()
            try Data(repeating: 65, count: 5000).write(to: URL(fileURLWithPath: history.path))
            let replaced = try StepDatabase.restore(backup, to: history.path, at: noon, .fixed(0))
            #expect(replaced.isSharingUncertain)
            #expect(
                try Data(contentsOf: URL(fileURLWithPath: try #require(replaced.path)))
                    == Data(repeating: 65, count: 5000))
            #expect(try StepDatabase(path: history.path).users() == [history.user])
        }
    }

    @Test func `the settings of a clock since the backup are kept`() throws {
        try withFixture { history in
            let (winter, summer) = (
                ClockState.Setting(at: midnight, utcOffset: 3600), ClockState.Setting(at: noon, utcOffset: 7200)
            )
            try history.database.setClock(ClockState(settings: [winter]), of: history.pedometer.id)
            let backup = history.path + ".copy"
            _ = try StepDatabase.backUp(history.path, to: backup)
            try history.database.setClock(ClockState(settings: [summer]), of: history.pedometer.id)
            try history.database.close()
            _ = try StepDatabase.restore(backup, to: history.path, at: noon, .fixed(0))
            #expect(try StepDatabase(path: history.path).pedometers().map(\.clock.settings) == [[winter, summer]])
        }
    }
}
