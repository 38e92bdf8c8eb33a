import Foundation
import StepDatabase
import StepDomain
import TestSupport
import Testing

@testable import ForeignHistories

@Suite(.timeLimit(.minutes(5))) struct IstepHistoryTests {
    @Test func `the tables of an export in SQLite are recognised by their columns`() throws {
        let names = ExportTable.samples.columns.map(\.name)
        func sql(_ names: [String]) -> String {
            """
            CREATE TABLE samples (\(names.joined(separator: ", ")));
            INSERT INTO samples VALUES ('Ada', 1, '2019-04-01T12:00:00+02:00', 900, 300, 200, NULL, 1);
            """
        }
        let export = try database(sql(names))
        let found = try read(["a.sqlite": export])
        #expect(found.format.key == "istep-export" && found.totals == ["pedometer 1": ["2019-04-01": 300]])
        do {
            _ = try read(["a.sqlite": try database(sql(names) + "CREATE VIEW v AS SELECT 1;")])
            Issue.record("it was read")
        } catch ImportError.malformed(_, let text) {
            #expect(text.contains("the view v"))
        }
        #expect(throws: ImportError.self) { try read(["a.sqlite": database(sql(names.reversed()))]) }
    }

    @Test func `another history is read with its offsets and its coverage, also from its log`() throws {
        try withFolder { folder in
            let path = folder + "/history.sqlite", noon = LocalTime.berlin.at("2019-04-01", 12)
            let history = try StepDatabase(path: path)
            let user = try history.addUser(named: "Ada")
            let ring = try history.addPedometer(
                Pedometer(
                    user: user.id, model: "colmi", address: "30:34:42:00:00:01", addressType: "public",
                    name: "ring"))
            let sync = try history.beginSync(of: ring.id, at: noon)
            let sample = StepSample(start: noon - 3600, length: 900, steps: 300, distance: 200, utcOffset: 7200)
            _ = try history.merge(
                SampleBatch(samples: [sample], coverage: [TimeSpan(noon - 7200, noon)]), sync: sync, localTime: .berlin)
            // Its log has not been written back: the history is open.
            let found = try ForeignFiles().read(path, options(.fixed(0)))
            #expect(
                found.format.key == "istep" && found.totals == ["ring": ["2019-04-01": 300]]
                    && found.samples == [sample])
            #expect(found.notes.isEmpty && found.decisions.isEmpty)
            try history.setCorrection(
                StepCorrection(steps: 9000, reason: "forgot"), of: user.id, on: sample.day, at: noon)
            let tram = Exclusion(TimeSpan(noon, noon + 60), utcOffset: 7200, reason: "tram")
            try history.exclude(tram, of: user.id, at: noon)
            let decided = try ForeignFiles().read(path, options(.fixed(0)))
            #expect(decided.notes.isEmpty && decided.digest != found.digest)
            #expect(
                decided.decisions
                    == ForeignDecisions(
                        corrections: [
                            .init(sample.day, StepCorrection(steps: 9000, reason: "forgot", enteredAt: noon))
                        ], blocks: [.init(tram, enteredAt: noon)]))
            _ = try history.addPedometer(
                Pedometer(
                    user: history.addUser(named: "Bob").id, model: "colmi", address: "30:34:42:00:00:02",
                    addressType: "public",
                    name: "two"))
            #expect(throws: ImportError.self) { try ForeignFiles().read(path, options()) }
        }
    }

    /// A counter's hour and the slots of the same hour, read later.
    @Test func `slots of a history that overlap count as they count there`() throws {
        try withFolder { folder in
            let path = folder + "/history.sqlite", ten = LocalTime.berlin.at("2019-04-01", 10)
            let history = try StepDatabase(path: path)
            let user = try history.addUser(named: "Ada")
            let ring = try history.addPedometer(
                Pedometer(
                    user: user.id, model: "colmi", address: "30:34:42:00:00:01", addressType: "public", name: "ring"))
            let sync = try history.beginSync(of: ring.id, at: ten)
            func slot(_ minute: Int, _ steps: Int, _ length: Int = 900) -> StepSample {
                StepSample(start: ten + minute * 60, length: length, steps: steps, utcOffset: 7200)
            }
            let samples = [slot(0, 50, 3600), slot(15, 30), slot(30, 30), slot(60, 5)]
            _ = try history.merge(SampleBatch(samples: samples), sync: sync, localTime: .berlin)
            let counted = try history.dayData(of: user, on: samples[0].day).tracks.flatMap(\.samples)
            #expect(counted.reduce(0) { $0 + $1.steps } == 65)
            #expect(try ForeignFiles().read(path, options()).samples == counted)
        }
    }

    @Test func `a correction of the last century is one of istep's own days`() throws {
        let file = try database(
            """
            CREATE TABLE person (id, name, name_key);
            CREATE TABLE pedometer (id, person, address, name);
            CREATE TABLE sample (pedometer, start, length, steps, distance, energy, utc_offset, sync);
            CREATE TABLE coverage (pedometer, start, until, utc_offset);
            CREATE TABLE correction (person, day, steps, entered_at, reason);
            INSERT INTO person VALUES (1, 'Ada', 'ada');
            INSERT INTO correction VALUES (1, '1999-12-31', 9000, 0, NULL);
            """)
        #expect(try read(["x.sqlite": file]).decisions.corrections.map(\.day.description) == ["1999-12-31"])
    }

    @Test func `a history that a newer istep has written is refused`() throws {
        let file = try database(
            """
            CREATE TABLE person (id, name, name_key);
            CREATE TABLE pedometer (id, person, address, name);
            CREATE TABLE sample (pedometer, start, length, steps, distance, energy, utc_offset, sync);
            CREATE TABLE coverage (pedometer, start, until, utc_offset);
            INSERT INTO person VALUES (1, 'Ada', 'ada');
            INSERT INTO pedometer VALUES (1, 1, '30:34:42:00:00:01', 'ring');
            INSERT INTO sample VALUES (1, 1554112800, 900, 300, NULL, NULL, 7200, 1);
            PRAGMA user_version = 7;
            """)
        var asked = options()
        asked.historyVersion = 7
        #expect(try read(["x.sqlite": file], asked).totals == ["ring": ["2019-04-01": 300]])
        asked.historyVersion = 6
        do {
            _ = try read(["x.sqlite": file], asked)
            Issue.record("it was read")
        } catch ImportError.newerHistory(let path, let found, let supported) {
            #expect(path.hasSuffix("/x.sqlite") && found == 7 && supported == 6)
        }
    }

    @Test func `an export has the decisions of the user whose steps come in`() throws {
        let corrections = "user,day,steps,entered_at,reason\nAda,2019-04-01,9000,2019-04-02T10:00:00+02:00,forgot\n"
        let bob = "Bob,2019-04-03,1,2019-04-02T10:00:00+02:00,\n"
        let excluded =
            "user,start,end,entered_at,reason\nAda,2019-04-01T12:00:00+02:00,2019-04-01T12:10:00+02:00,2019-04-02T10:00:00+02:00,\n"
        var asked = options()
        asked.user = "ada"
        let found = try read(
            ["corrections.csv": Data((corrections + bob).utf8), "excluded.csv": Data(excluded.utf8)], asked)
        #expect(found.tracks.isEmpty && !found.isEmpty)
        #expect(found.decisions.corrections.map(\.day.description) == ["2019-04-01"])
        #expect(found.decisions.blocks.map(\.exclusion.span.length) == [600])
        asked.user = nil
        do {
            _ = try read(["corrections.csv": Data((corrections + bob).utf8)], asked)
            Issue.record("it was read")
        } catch ImportError.severalUsers(_, let users) {
            #expect(users == ["Ada", "Bob"])
        }
    }

    @Test func `a file whose clock was ahead says the same on any day`() throws {
        let files = [
            "corrections.csv": Data(
                "user,day,steps,entered_at,reason\nAda,2019-04-01,9000,2021-01-01T10:00:00+01:00,\n".utf8),
            "excluded.csv": Data(
                ("user,start,end,entered_at,reason\nAda,2019-04-01T12:00:00+02:00,2019-04-01T12:10:00+02:00,"
                    + "2021-01-01T10:00:00+01:00,\n").utf8),
        ]
        var later = options()
        later.now = now + 60
        let found = try read(files), again = try read(files, later)
        #expect(found.decisions == again.decisions && found.digest == again.digest)
    }

    @Test(arguments: [
        "correction VALUES (1, '1969-01-01', 5, 0, NULL)", "correction VALUES (1, '2019-04-01', 900000, 0, NULL)",
        "correction VALUES (1, 'x', 5, 0, NULL)", "correction VALUES (1, '2100-01-01', 5, 0, NULL)",
        "excluded_time VALUES (1, -100000, -99000, 0, 0, NULL)",
        "excluded_time VALUES (1, 1554112800, 1554999999, 0, 0, NULL)",
        "excluded_time VALUES (1, 1554112800, 1554112800, 0, 0, NULL)",
        "excluded_time VALUES (1, 1554112800, 1554112860, 99999, 0, NULL)",
        "excluded_time VALUES (1, 1554112800, 9223372036854775807, 0, 0, NULL)",
    ])
    func `a decision that nobody can have made is refused, or left out and counted`(row: String) throws {
        let file = try database(
            """
            CREATE TABLE person (id, name, name_key);
            CREATE TABLE pedometer (id, person, address, name);
            CREATE TABLE sample (pedometer, start, length, steps, distance, energy, utc_offset, sync);
            CREATE TABLE coverage (pedometer, start, until, utc_offset);
            CREATE TABLE correction (person, day, steps, entered_at, reason);
            CREATE TABLE excluded_time (person, start, until, utc_offset, entered_at, reason);
            INSERT INTO person VALUES (1, 'Ada', 'ada');
            INSERT INTO correction VALUES (1, '2019-04-02', 5, 9223372036854775807, char(27) || '[31m');
            INSERT INTO \(row);
            """)
        #expect(throws: ImportError.self) { try read(["x.sqlite": file]) }
        let found = try read(["x.sqlite": file], options(skipping: true))
        #expect(found.decisions.corrections.map(\.day.description) == ["2019-04-02"] && found.decisions.blocks.isEmpty)
        let correction = try #require(found.decisions.corrections.first?.correction)
        #expect(correction.reason == nil)
        #expect(correction.enteredAt == .last, "whenever it is read")
        guard case .leftOut(1, _)? = found.notes.first else {
            Issue.record("not counted: \(found.notes)")
            return
        }
    }
}
