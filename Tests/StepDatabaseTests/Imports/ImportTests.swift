import Foundation
import GRDB
import StepDomain
import TestSupport
import Testing

@testable import StepDatabase

/// Imports: added, repeated, corrected, taken back.
@Suite(.timeLimit(.minutes(5))) struct ImportTests {
    static let format = ForeignFormat(key: "csv", title: "CSV", files: "tables")

    /// A file with samples of Greenwich.
    static func file(_ samples: [StepSample], source: String = "phone", zone: ZoneKnowledge = .records)
        -> ForeignHistory
    {
        let parts = Dictionary(grouping: samples) { Day(of: $0.start, utcOffset: 0) }.sorted { $0.key < $1.key }.map {
            day, samples in
            let sorted = samples.sorted { $0.start < $1.start }
            let span = CoveredSpan(TimeSpan(sorted[0].start, sorted[sorted.count - 1].span.end), utcOffset: 0)
            return (day: day, content: PackedDay(samples: sorted, coverage: [span]).bytes(of: day))
        }
        let days = Dictionary(grouping: samples, by: \.day).sorted { $0.key < $1.key }.map {
            (day: $0, steps: $1.reduce(0) { $0 + $1.steps })
        }
        return ForeignHistory(
            format: format, path: "/tmp/file.csv",
            tracks: [
                ForeignTrack(
                    source: ForeignSource(identity: "csv:\(source)", name: source), parts: parts, days: days,
                    until: samples.map(\.span.end).max() ?? noon)
            ], zone: zone)
    }

    private func imported(_ history: Fixture) throws -> [StepSample] {
        try history.data().tracks.filter { $0.pedometer != history.pedometer.id }.flatMap(\.samples)
    }

    private func store(_ file: ForeignHistory, in history: Fixture) throws -> ImportChanges {
        try history.database.store(file, of: history.user, at: noon)
    }

    @Test func `an import is a source like a pedometer, merged and never added`() throws {
        try withFixture { history in
            try history.merge(slot(0, 900), slot(60, 200))
            let changes = try store(Self.file([slot(0, 1000), slot(120, 300)]), in: history)
            #expect(changes.days == [.init(day: day, before: 1100, after: 1500)] && changes.sources == ["phone"])
            #expect(changes.overlaps == [.init(name: "ring", days: 1)])
            #expect(try history.database.importSources().map(\.name) == ["phone"])
            #expect(try history.database.pedometers().map(\.name) == ["ring"], "it is not read by Bluetooth")
            #expect(try MergedTracks(history.data().tracks).samples.reduce(0) { $0 + $1.steps } == 1500)
        }
    }

    @Test(arguments: [ForeignFormat(key: "istep-export", title: "istep export", files: "")])
    func `what comes back from the history itself is nothing new`(format: ForeignFormat) throws {
        try withFixture { history in
            try history.merge(slot(0, 900, distance: 12.5), slot(60, 200))
            let address = try #require(try history.strings("SELECT address FROM pedometer").first)
            func export(_ samples: [StepSample]) -> ForeignHistory {
                var file = Self.file(samples)
                file.format = format
                file.tracks[0].source.identity = ImportMerge.ofHistory + address
                // A span of 00:00 to 01:15, which the ring has not accounted for.
                file.tracks[0].parts = file.tracks[0].parts.map { part in
                    var content = PackedDay(part.content, of: part.day) ?? PackedDay()
                    content.coverage = []
                    return (part.day, content.bytes(of: part.day))
                }
                return file
            }
            let before = try history.data()
            // Of the day of the export, when the first slot had not ended.
            for samples in [[slot(0, 900), slot(60, 200)], [slot(0, 800)]] {
                let changes = try store(export(samples), in: history)
                #expect(changes.isOwn && changes.id == nil && changes.sources == ["ring"])
            }
            #expect(try history.data() == before && history.database.imports().isEmpty)
            let more = try store(export([slot(0, 900), slot(60, 200), slot(120, 7)]), in: history)
            #expect(!more.isOwn && more.days == [.init(day: day, before: 1100, after: 1107)])
            #expect(try imported(history) == [slot(120, 7)], "only what is not there becomes a source")
        }
    }

    @Test func `a preview changes nothing`() throws {
        try withFixture { history in
            try history.merge(slot(0, 900))
            let before = try history.strings("SELECT count(*) || (SELECT count(*) FROM pedometer) FROM sample")
            let preview = try history.database.preview(Self.file([slot(60, 100)]), of: history.user, at: noon)
            #expect(preview.days == [.init(day: day, before: 900, after: 1000)])
            #expect(try history.strings("SELECT count(*) || (SELECT count(*) FROM pedometer) FROM sample") == before)
            #expect(try history.database.imports().isEmpty)
            let new = try StepDatabase.previewWithoutHistory(
                Self.file([slot(60, 100)]), of: .new("Ada"), at: noon)
            #expect(new.days == [.init(day: day, before: nil, after: 100)])
        }
    }

    /// A history that is made of an export of istep numbers its users anew.
    @Test func `a source is known again also if its user had another number`() throws {
        try withFixture { history in
            let database = history.database, bob = try database.addUser(named: "Bob")
            _ = try database.store(Self.file([slot(0, 900)]), of: bob, at: noon)
            let address = try #require(
                try history.strings("SELECT address FROM pedometer WHERE model LIKE 'import%'").first)
            try withFixture { other in
                let database = other.database
                _ = try database.store(Self.file([slot(0, 900)]), of: other.user, at: noon)
                try other.execute("UPDATE pedometer SET address = '\(address)' WHERE model LIKE 'import%'")
                // Now the number of the second user is taken.
                let changes = try database.store(Self.file([slot(0, 800)]), of: other.user, at: noon)
                #expect(changes.days == [.init(day: day, before: 900, after: 800)])
                #expect(try database.importSources().count == 1)
                let second = try database.addUser(named: "Cleo")
                _ = try database.store(Self.file([slot(0, 70)]), of: second, at: noon)
                _ = try database.store(Self.file([slot(0, 60)]), of: second, at: noon)
                #expect(try database.importSources().count == 2)
                #expect(try database.dayData(of: second, on: day).tracks.flatMap(\.samples).map(\.steps) == [60])
            }
        }
    }

    @Test func `the same file again changes nothing`() throws {
        try withFixture { history in
            let first = try store(Self.file([slot(0, 100)]), in: history)
            let revision = try history.strings("SELECT revision FROM changed_day")
            let again = try store(Self.file([slot(0, 100)]), in: history)
            #expect(again.sameAs == first.id && again.id == nil && again.days.isEmpty)
            #expect(try history.database.imports().count == 1)
            #expect(try history.strings("SELECT revision FROM changed_day") == revision)
        }
    }

    @Test func `a newer export adds and corrects, and an older one that comes later does not undo it`() throws {
        try withFixture { history in
            let old = Self.file([slot(0, 100), slot(15, 50), slot(60, 70)])
            _ = try store(old, in: history)
            let changes = try store(Self.file([slot(0, 100), slot(15, 80), slot(600, 45)]), in: history)
            #expect(changes.days == [.init(day: day, before: 220, after: 225)])
            // The newer one accounts for the time from its first to its last sample: in the slot at 60 there was
            // nothing.
            #expect(try imported(history) == [slot(0, 100), slot(15, 80), slot(600, 45)])
            let older = Self.file([slot(0, 100), slot(15, 10)])
            let late = try store(older, in: history)
            #expect(try imported(history) == [slot(0, 100), slot(15, 80), slot(600, 45)])
            #expect(late.superseded == [.init(source: "phone", by: 2, days: 1)] && late.days.isEmpty)
            #expect(try store(older, in: history).superseded == late.superseded, "also if it comes once more")
            #expect(changes.superseded.isEmpty)
            let agreeing = try store(Self.file([slot(0, 100)]), in: history)
            #expect(agreeing.superseded.isEmpty, "it says nothing else")
        }
    }

    /// Only in UTC, the newer total replaced it: elsewhere a local day reaches over a midnight of UTC.
    @Test(arguments: [0, 7200, -18_000]) func `a newer total of 0 replaces an older one in every zone`(offset: Int)
        throws
    {
        try withFixture { history in
            func file(_ steps: Int) throws -> ForeignHistory {
                let collector = ForeignCollector(
                    ForeignOptions(
                        localTime: .fixed(offset), zone: .records, historyVersion: .max, now: noon + 9 * 86_400))
                let track = try collector.track(ForeignSource(identity: "csv:phone", name: "phone"))
                try collector.add(total: steps, of: day, to: track)
                try collector.add(total: 70, of: day.advanced(by: 1), to: track)
                return ForeignHistory(
                    format: Self.format, path: "/tmp/file.csv", tracks: collector.finish().tracks, zone: .records)
            }
            _ = try store(try file(5000), in: history)
            let changes = try store(try file(0), in: history)
            #expect(changes.days == [.init(day: day, before: 5000, after: 0)])
            #expect(try imported(history).isEmpty)
            let back = try history.database.removeImport(try #require(changes.id), at: noon, isPreview: false)
            #expect(back.days == [.init(day: day, before: 0, after: 5000)])
        }
    }

    /// An earlier version left it there.
    @Test func `a sample that no import says goes with the next import of its day`() throws {
        try withFixture { history in
            _ = try store(Self.file([slot(0, 100)]), in: history)
            try history.execute(
                "INSERT INTO sample SELECT pedometer, start + 3600, length, 7, NULL, NULL, utc_offset, sync FROM sample"
            )
            _ = try store(Self.file([slot(0, 100), slot(15, 80)]), in: history)
            #expect(try imported(history) == [slot(0, 100), slot(15, 80)])
            #expect(try history.database.complaints().isEmpty)
        }
    }

    @Test func `of an export that does not count, the imports are named that say otherwise of its days`() throws {
        try withFixture { history in
            _ = try store(Self.file([slot(0, 100), slot(1440, 110), slot(2880, 120)]), in: history)
            // It reaches further, and says nothing of the days before.
            _ = try store(Self.file([slot(5760, 400)]), in: history)
            let late = try store(Self.file([slot(0, 500), slot(1440, 110)]), in: history)
            #expect(late.superseded == [.init(source: "phone", by: 1, days: 1)])
        }
    }

    @Test func `no number is given twice`() throws {
        try withFixture { history in
            let database = history.database
            func store(_ user: User, _ source: String) throws -> ImportRecord.ID? {
                try database.store(Self.file([slot(0, 100)], source: source), of: user, at: noon).id
            }
            #expect(try store(history.user, "a") == 1)
            #expect(try store(history.user, "b") == 2)
            _ = try database.removeImport(2, at: noon, isPreview: false)
            #expect(try store(history.user, "c") == 3)
            let source = try #require(try database.heldSources().first { $0.pedometer.name == "c" })
            _ = try database.delete(.source(source, of: history.user), at: noon, isPreview: false)
            #expect(try store(history.user, "d") == 4)
            let bob = try database.addUser(named: "Bob")
            #expect(try store(bob, "e") == 5)
            _ = try database.delete(.user(bob), at: noon, isPreview: false)
            _ = try database.preview(Self.file([slot(0, 1)], source: "f"), of: history.user, at: noon)
            #expect(try store(history.user, "f") == 6)
            #expect(try database.imports().map(\.id) == [1, 4, 6])
            try history.execute("DELETE FROM import_number")
            #expect(try store(history.user, "g") == 7, "a repaired history")
        }
    }

    @Test(arguments: [false, true])
    func `the last import of a source takes what is left of vanished ones with it`(isMoved: Bool) throws {
        try withFixture { history in
            let database = history.database, user = history.user
            let next = day.advanced(by: 1)
            _ = try store(Self.file([slot(0, 100)]), in: history)
            let second = try #require(try store(Self.file([slot(1440, 50)]), in: history).id)
            if isMoved {
                let bob = try database.addUser(named: "Bob")
                _ = try database.move(.days(day...day, from: user, to: bob), at: noon, isPreview: false)
            } else {
                _ = try database.delete(.days(day...day, of: user), at: noon, isPreview: false)
            }
            #expect(try database.imports().map(\.id) == [second])
            let removed = try database.removeImport(second, at: noon, isPreview: false)
            #expect(removed.days == [.init(day: next, before: 50, after: nil)])
            #expect(try history.strings("PRAGMA foreign_key_check").isEmpty)
            #expect(try database.complaints().isEmpty)
            #expect(
                try history.strings(
                    "SELECT count(*) FROM pedometer WHERE person = \(user.id) AND model LIKE 'import:%'")
                    == ["0"])
        }
    }

    @Test func `taking an import back leaves what the others say`() throws {
        try withFixture { history in
            try history.merge(slot(900, 5))
            let first = try #require(try store(Self.file([slot(0, 100), slot(15, 50), slot(60, 70)]), in: history).id)
            let second = try #require(
                try store(Self.file([slot(0, 100), slot(15, 80), slot(600, 40)]), in: history).id)
            let third = try #require(try store(Self.file([slot(1440, 30), slot(1455, 3)]), in: history).id)
            let preview = try history.database.removeImport(first, at: noon, isPreview: true)
            #expect(preview.days.isEmpty)
            _ = try history.database.removeImport(first, at: noon, isPreview: false)
            #expect(
                try imported(history) == [slot(0, 100), slot(15, 80), slot(600, 40)],
                "all of it is what the second one says")
            _ = try store(Self.file([slot(0, 100), slot(15, 50), slot(60, 70)]), in: history)
            let back = try history.database.removeImport(second, at: noon, isPreview: false)
            #expect(back.days.isEmpty, "220 steps before and after")
            #expect(try imported(history) == [slot(0, 100), slot(15, 50), slot(60, 70)])
            for id in try history.database.imports().map(\.id) where id != third {
                _ = try history.database.removeImport(id, at: noon, isPreview: false)
            }
            let last = try history.database.removeImport(third, at: noon, isPreview: false)
            #expect(last.days == [.init(day: day.advanced(by: 1), before: 33, after: nil)])
            #expect(try history.database.importSources().isEmpty && history.database.imports().isEmpty)
            for table in ["import_track", "import_content", "import_part", "import"] {
                #expect(try history.strings("SELECT count(*) FROM \(table)") == ["0"])
            }
            #expect(try history.strings("SELECT count(*) FROM sync") == ["1"])
            #expect(try history.strings("PRAGMA foreign_key_check").isEmpty)
            #expect(try history.samples() == [slot(900, 5)])
            #expect(
                try history.database.knownDays(of: history.user.id, from: day, through: day.advanced(by: 2)) == [day])
            #expect(throws: ImportError.noImport(third)) {
                try history.database.removeImport(third, at: noon, isPreview: false)
            }
        }
    }

    /// Whatever is imported and taken back in whatever order: the same as if only the remaining ones had been imported.
    @Test(arguments: 0..<40 as Range<UInt64>) func `random imports taken back leave what a fresh history would have`(
        seed: UInt64
    ) throws {
        var generator = SeededGenerator(seed: seed)
        let files = (0..<5).map { _ in
            Self.file(
                (0..<Int.random(in: 1...12, using: &generator)).map { _ in Int.random(in: 0..<200, using: &generator) }
                    .uniqued().map {
                        slot($0 * 15, Int.random(in: 1...300, using: &generator))
                    }, source: Bool.random(using: &generator) ? "phone" : "watch")
        }
        let removed = Set((0..<5).filter { _ in Bool.random(using: &generator) })
        func samples(_ history: Fixture) throws -> [String] {
            try history.strings(
                """
                SELECT name || ' ' || start || ' ' || length || ' ' || steps || ' ' || utc_offset FROM sample JOIN pedometer ON id = pedometer
                UNION ALL SELECT name || ' covers ' || start || ' ' || until FROM coverage JOIN pedometer ON id = pedometer ORDER BY 1
                """)
        }
        let wanted = try withFixture { history in
            for (index, file) in files.enumerated() where !removed.contains(index) { _ = try store(file, in: history) }
            return try samples(history)
        }
        try withFixture { history in
            let ids = try files.map { try store($0, in: history).id }
            for index in removed {
                if let id = ids[index] { _ = try history.database.removeImport(id, at: noon, isPreview: false) }
            }
            #expect(try samples(history) == wanted)
            #expect(try history.strings("PRAGMA foreign_key_check").isEmpty)
            #expect(try history.database.wrongSums().isEmpty)
        }
    }

    @Test func `the same source in another time zone is refused`() throws {
        try withFixture { history in
            let first = try store(Self.file([slot(0, 100)], zone: .named("UTC")), in: history)
            let other = try store(Self.file([slot(60, 100)], zone: .named("Asia/Tokyo")), in: history)
            #expect(other.otherZone == first.id && other.id == nil)
            #expect(try imported(history) == [slot(0, 100)])
        }
    }

    /// A day whose figures stay is not sent again; one that changed is.
    @Test func `days that an import changes are noted for sharing, others are not`() throws {
        try withFixture { history in
            try history.merge(slot(0, 100), slot(1440, 10))
            let before = try history.strings("SELECT day || revision FROM changed_day ORDER BY day")
            _ = try store(Self.file([slot(15, 50)]), in: history)
            let after = try history.strings("SELECT day || revision FROM changed_day ORDER BY day")
            #expect(after[0] != before[0] && after[1] == before[1])
        }
    }

    /// As a deletion does it: a destination that has the day gets 0 steps in its place.
    @Test func `of days of which nothing is known after a removal, destinations are told`() throws {
        try withFixture { history in
            let id = try #require(try store(Self.file([slot(0, 100)]), in: history).id)
            try history.execute(
                """
                INSERT INTO share (destination, person, day, state, asked, fingerprint, confirmed, attempts, changed_at, stale)
                VALUES ('garden', 1, '2014-04-20', 'sent', 0, 'a', 'a', 1, 0, 0)
                """)
            let changes = try history.database.removeImport(id, at: noon, isPreview: true)
            #expect(changes.shared == [.init(destination: "garden", days: 1)])
            #expect(try history.data().deletion == nil, "a preview")
            let since = day.advanced(by: -1)
            try history.database.enqueueChanges(of: history.user.id, for: "garden", since: since, at: noon)
            func due() throws -> [Day] {
                try history.database.due(for: "garden", users: [history.user.id], at: noon, limit: 9).map(\.day)
            }
            #expect(try due() == [day])
            try history.execute("UPDATE share SET next_attempt = NULL")
            #expect(try due() == [])
            _ = try history.database.removeImport(id, at: noon, isPreview: false)
            #expect(
                try history.database.deletedDays(of: history.user.id, from: day, through: day) == [day],
                "it is sent")
            try history.database.enqueueChanges(of: history.user.id, for: "garden", since: since, at: noon)
            #expect(try due() == [day])
            let sent = try #require(
                SharedDay(history.data(), localTime: .fixed(0), now: noon, includesSamples: true))
            #expect(sent.isDeletion && sent.steps == 0 && !sent.isClosed)
            // The file can come again.
            #expect(try store(Self.file([slot(0, 100)]), in: history).days.map(\.after) == [100])
            #expect(try SharedDay(history.data(), localTime: .fixed(0), now: noon, includesSamples: true)?.steps == 100)
        }
    }

    @Test(arguments: [
        "INSERT ON import", "INSERT ON sample", "INSERT ON import_part", "INSERT ON coverage", "INSERT ON changed_day",
    ])
    func `a kill during an import leaves nothing of it`(event: String) async throws {
        try await withDirectory { directory in
            let history = try Fixture(directory)
            let path = history.path, user = history.user.id
            try history.database.close()
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = path as String, user = user as User.ID, event = event as String] in
                let database = try StepDatabase(path: path)
                try database.dieAfter(event)
                _ = try database.store(
                    ImportTests.file([slot(0, 100), slot(1440, 7)]), of: User(id: user, name: "Ada"), at: noon)
            }
            let database = try StepDatabase(path: path)
            #expect(try database.imports().isEmpty && database.importSources().isEmpty)
            #expect(try database.dayData(of: User(id: user, name: "Ada"), on: day).tracks.isEmpty)
        }
    }

    @Test(arguments: [StepDatabase.Access.reading, .writing])
    func `a history of version 8 gets the tables of imports`(access: StepDatabase.Access) throws {
        try withDirectory { directory in
            let path = directory + "/history.sqlite"
            let before = Schema(migrations: Array(Schema.current.migrations.prefix { $0.name != "imports" }))
            let old = try StepDatabase(path: path, for: .writing, busyTimeout: 5, schema: before)
            let user = try old.addUser(named: "Ada")
            let ring = try old.addPedometer(.ring(of: user))
            _ = try old.merge(SampleBatch(samples: [slot(0, 10)]), sync: old.beginSync(of: ring.id, at: noon))
            try old.close()
            let new = try StepDatabase(path: path, for: access)
            #expect(try new.imports().isEmpty)
            #expect(try new.dayData(of: user, on: day).tracks.flatMap(\.samples) == [slot(0, 10)])
        }
    }
}

extension [Int] {
    fileprivate func uniqued() -> [Int] { Set(self).sorted() }
}
