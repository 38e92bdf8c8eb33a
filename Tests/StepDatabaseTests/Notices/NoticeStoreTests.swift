import Foundation
import GRDB
import StepDomain
import TestSupport
import Testing

@testable import StepDatabase

@Suite(.timeLimit(.minutes(5))) struct NoticeStoreTests {
    @Test(arguments: NoticeContract.all)
    func `the database satisfies every rule of the notice contract`(_ rule: NoticeContract) throws {
        try withDirectory { try rule.check(StepDatabase(path: $0 + "/history.sqlite")) }
    }

    @Test func `notices are available after the database is reopened`() throws {
        try withFixture { history in
            let notice = Notice(
                .pedometer(history.pedometer.id), name: "ring", user: history.user.id, since: noon,
                .notSeen(lastRead: midnight))
            try history.database.update(active: [notice], at: noon)
            let kept = try history.database.standingNotices()
            #expect(try history.database.claim(kept.map(\.id), at: noon + 1) == Set(kept.map(\.id)))
            try history.database.close()
            let again = try StepDatabase(path: history.path, for: .reading).standingNotices()
            #expect(again == [StoredNotice(id: kept[0].id, notice: notice, storedAt: noon, notifiedAt: noon + 1)])
        }
    }

    @Test func `notices of a later version are ignored and not ended`() throws {
        try withFixture { history in
            try history.database.queue.write { database in
                for (number, (subject, content)) in [
                    ("machine", "{\"sunny\":{}}"), ("planet:3", "{\"batteryLow\":{\"percent\":3}}"),
                ]
                .enumerated() {
                    try database.execute(
                        sql:
                            "INSERT INTO notice (key, subject, name, since, content, kept_at) VALUES (?, ?, '', 0, ?, 0)",
                        arguments: ["\(number)", subject, content])
                }
            }
            #expect(try history.database.standingNotices().isEmpty)
            try history.database.update(active: [], at: noon)
            #expect(try history.strings("SELECT count(*) FROM notice WHERE ended_at IS NULL") == ["2"])
        }
    }

    @Test func `a notice that cannot be decoded is replaced by one with its key`() throws {
        try withFixture { history in
            let notice = Notice(.machine, since: noon, .nightsFailed(nights: 2, reason: "off"))
            let unknown =
                "INSERT INTO notice (key, subject, name, since, content, kept_at) VALUES (?, 'machine', '', 0, '{\"sunny\":{}}', 0)"
            try history.database.queue.write { try $0.execute(sql: unknown, arguments: [notice.key]) }
            let begun = try history.database.update(active: [notice], at: noon)
            #expect(begun.count == 1)
            #expect(try history.database.standingNotices().map(\.notice) == [notice])
            #expect(try history.strings("SELECT count(*) FROM notice") == ["1"])
        }
    }

    @Test func `each key has one open notice at most`() throws {
        try withFixture { history in
            let insert =
                "INSERT INTO notice (key, subject, name, since, content, kept_at, ended_at) VALUES ('k', 'machine', '', 0, '{}', 0, ?)"
            try history.database.queue.write { database in
                for end in [1, 2, nil] { try database.execute(sql: insert, arguments: [end]) }
                #expect(throws: DatabaseError.self) { try database.execute(sql: insert, arguments: [nil as Int?]) }
            }
        }
    }

    /// Two runs that end at the same time find the same notice.
    @Test func `only one of several concurrent connections starts a notice`() async throws {
        try await withDirectory { directory in
            let path = directory + "/history.sqlite"
            _ = try StepDatabase(path: path)
            let notice = Notice(.machine, since: noon, .nightsFailed(nights: 2, reason: "off"))
            let begun = try await withThrowingTaskGroup(of: Set<StoredNotice.ID>.self) { group in
                for _ in 0..<8 { group.addTask { try StepDatabase(path: path).update(active: [notice], at: noon) } }
                return try await group.reduce(into: []) { $0 += [$1] }
            }
            // One of them has started it, and reports it.
            #expect(begun.filter { !$0.isEmpty }.count == 1)
            #expect(try StepDatabase(path: path, for: .reading).standingNotices().map(\.notice) == [notice])
        }
    }

    /// A watch and a timer's sync are about to show the same notice.
    @Test func `only one of several concurrent connections claims a notice`() async throws {
        try await withDirectory { directory in
            let path = directory + "/history.sqlite"
            let begun = try StepDatabase(path: path).update(
                active: [Notice(.machine, since: noon, .nightsFailed(nights: 2, reason: "off"))], at: noon)
            let claimed = try await withThrowingTaskGroup(of: Set<StoredNotice.ID>.self) { group in
                for second in 0..<8 {
                    group.addTask { try StepDatabase(path: path).claim(Array(begun), at: noon + second) }
                }
                return try await group.reduce(into: []) { $0 += [$1] }
            }
            #expect(claimed.filter { !$0.isEmpty } == [begun])
        }
    }

    @Test func `the last complete sync is found after many failures`() throws {
        try withFixture { history in
            let (database, ring) = (history.database, history.pedometer.id)
            func sync(_ start: Timestamp, _ outcome: SyncRecord.Outcome, of pedometer: Pedometer.ID) throws
                -> SyncRecord.ID
            {
                let sync = try database.beginSync(of: pedometer, at: start)
                try database.endSync(sync, at: start + 5, outcome: outcome, battery: 50, failure: nil, cause: nil)
                return sync
            }
            #expect(try database.lastCompleteSync(of: ring, until: noon + 999) == nil)
            let other = try database.addPedometer(.ring(of: history.user, address: "00:00:00:00:00:02", name: "other"))
            _ = try sync(noon + 1, .complete, of: ring)
            let last = try sync(noon + 10, .complete, of: ring)
            for second in 20..<30 { _ = try sync(noon + second, .failed, of: ring) }
            _ = try sync(noon + 40, .complete, of: other.id)
            // Recorded while the machine's clock was ahead.
            let ahead = try sync(noon + 9_999_999, .complete, of: ring)
            let found = try #require(try database.lastCompleteSync(of: ring, until: noon + 999))
            #expect(found.id == last && found.end == noon + 15 && found.battery == 50 && found.outcome == .complete)
            #expect(try database.lastCompleteSync(of: ring, until: noon + 15)?.id == last)
            #expect(try database.lastCompleteSync(of: ring, until: noon + 10_000_004)?.id == ahead)
            #expect(try database.lastCompleteSync(of: ring, until: noon) == nil)
        }
    }

    @Test func `the cause of a failed sync is stored`() throws {
        try withFixture { history in
            let database = history.database
            for cause in FailureCause.allCases {
                let sync = try database.beginSync(of: history.pedometer.id, at: noon + 60)
                try database.endSync(
                    sync, at: noon + 61, outcome: .failed, battery: nil, failure: "\(cause)", cause: cause)
            }
            #expect(
                try database.syncs(of: history.pedometer.id, limit: 4).map(\.cause) == FailureCause.allCases.reversed())
            #expect(try database.syncs(of: history.pedometer.id, limit: 5).last?.cause == nil)
        }
    }
}
