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
        for (files, reason) in [
            (["a.sqlite": export, "b.sqlite": export], "several exports"),
            (["a.sqlite": try database(sql(names) + "CREATE VIEW v AS SELECT 1;")], "the view v"),
        ] {
            do {
                _ = try read(files)
                Issue.record("it was read")
            } catch ImportError.malformed(_, let text) {
                #expect(text.contains(reason))
            }
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
            let found = try ForeignFiles().read(path, options(.fixed(0))) { _ in }
            #expect(
                found.format.key == "istep" && found.totals == ["ring": ["2019-04-01": 300]]
                    && found.samples == [sample])
            #expect(found.notes.isEmpty)
            try history.setCorrection(9000, of: user.id, on: sample.day, at: noon)
            try history.exclude(
                Exclusion(TimeSpan(noon, noon + 60), utcOffset: 7200, reason: nil), of: user.id, at: noon)
            let notes = try ForeignFiles().read(path, options(.fixed(0))) { _ in }.notes.map { "\($0)" }
            #expect(
                notes.count == 2 && notes[0].contains("corrected days (1) are not taken over")
                    && notes[1].contains("excluded blocks (1)"), "\(notes)")
            _ = try history.addPedometer(
                Pedometer(
                    user: history.addUser(named: "Bob").id, model: "colmi", address: "30:34:42:00:00:02",
                    addressType: "public",
                    name: "two"))
            #expect(throws: ImportError.self) { try ForeignFiles().read(path, options()) { _ in } }
        }
    }
}
