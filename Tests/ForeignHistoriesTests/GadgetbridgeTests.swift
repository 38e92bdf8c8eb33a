import Foundation
import StepDomain
import TestSupport
import Testing

@testable import ForeignHistories

@Suite(.timeLimit(.minutes(5))) struct GadgetbridgeTests {
    private static let device = """
        CREATE TABLE DEVICE (_id INTEGER PRIMARY KEY, NAME TEXT, MANUFACTURER TEXT, IDENTIFIER TEXT, TYPE INTEGER, ALIAS TEXT);
        CREATE TABLE USER (_id INTEGER PRIMARY KEY);
        INSERT INTO DEVICE VALUES (1, 'Band', 'x', 'c0:ff:ee:00:00:01', 1, NULL), (2, 'Ring', 'x', 'C0:FF:EE:00:00:02', 1, 'my ring');

        """

    /// 2019-04-01 10:00 in Berlin.
    private static let ten = LocalTime.berlin.at("2019-04-01", 10).seconds

    private static func table(_ name: String, _ columns: String = "", _ rows: [[Int]]) -> String {
        "CREATE TABLE \(name) (TIMESTAMP INTEGER, DEVICE_ID INTEGER, STEPS INTEGER\(columns));\n"
            + rows.map { "INSERT INTO \(name) VALUES (\($0.map(String.init).joined(separator: ", ")));\n" }.joined()
    }

    private func history(_ sql: String) throws -> ForeignHistory { try read(["x.bin": database(Self.device + sql)]) }

    @Test func `minutes are read in seconds of UTC, without what was not measured`() throws {
        let history = try history(
            Self.table(
                "XIAOMI_ACTIVITY_SAMPLE", ", RAW_INTENSITY INTEGER",
                [
                    [Self.ten, 1, 50, 20], [Self.ten + 60, 1, 0, 3], [Self.ten + 120, 1, -1, -1],
                    [Self.ten + 180, 1, 70, 20],
                ]))
        #expect(history.format.key == "gadgetbridge" && history.totals == ["Band": ["2019-04-01": 120]])
        #expect(history.samples.map(\.length) == [60, 60])
        let coverage = try #require(PackedDay(history.tracks[0].parts[0].content, of: history.tracks[0].parts[0].day))
            .coverage.map(\.span)
        #expect(coverage.map(\.length) == [120, 60], "a minute that was not measured is not accounted for")
    }

    /// Many rings store no slot without steps: all of their days would be partial.
    @Test func `where no row is without steps, the time from the first to the last row is accounted for`() throws {
        func covered(_ rows: [[Int]]) throws -> Int {
            let parts = try history(Self.table("COLMI_ACTIVITY_SAMPLE", "", rows)).tracks[0].parts
            return try parts.reduce(0) { sum, part in
                try #require(PackedDay(part.content, of: part.day)).coverage.reduce(sum) { $0 + $1.span.length }
            }
        }
        let rows = [[Self.ten, 1, 50], [Self.ten + 86_400, 1, 70]]
        #expect(try covered(rows) == 86_400 + 3600)
        let midnight = LocalTime.berlin.at("2019-04-01", 0).seconds
        let quarters = (0..<96).map { [midnight + $0 * 900, 1, $0 == 40 ? 200 : 0] }
        #expect(try covered(quarters) == 86_400, "the time of slots with and without steps")
        #expect(try covered(rows + [[Self.ten + 7200, 1, 0]]) < 86_400, "hours without steps are written")
    }

    @Test func `live rows between the minutes and totals of days are not counted`() throws {
        let history = try history(
            Self.table(
                "MI_BAND_ACTIVITY_SAMPLE", ", RAW_INTENSITY INTEGER",
                [[Self.ten, 1, 50, 20], [Self.ten + 17, 1, 8123, -1]])
                + Self.table("XIAOMI_DAILY_SUMMARY_SAMPLE", "", [[Self.ten * 1000, 1, 9000]]))
        #expect(history.totals == ["Band": ["2019-04-01": 50]])
    }

    @Test func `rows without a number for the time or the steps are left out and counted`() throws {
        let history = try history(
            Self.table("XIAOMI_ACTIVITY_SAMPLE", "", [[Self.ten, 1, 50]])
                + """
                INSERT INTO XIAOMI_ACTIVITY_SAMPLE VALUES (\(Self.ten + 60), 1, 'many'), ('noon', 1, 7),
                    (\(Self.ten + 120), 1, x'00'), (\(Self.ten + 180), 1, 9e999), (NULL, 1, 3);
                """)
        #expect(history.totals == ["Band": ["2019-04-01": 50]])
        #expect(history.notes == [.leftOut(5, "without a number for the time or the steps")])
    }

    @Test func `two devices are two sources, and two tables of one are one`() throws {
        let history = try history(
            Self.table("MI_BAND_ACTIVITY_SAMPLE", "", [[Self.ten, 1, 50], [Self.ten, 2, 40]])
                + Self.table("HUAMI_EXTENDED_ACTIVITY_SAMPLE", "", [[Self.ten, 1, 50], [Self.ten + 60, 1, 9]]))
        #expect(history.totals == ["Band": ["2019-04-01": 59], "my ring": ["2019-04-01": 40]])
        #expect(
            history.tracks.map(\.source.identity) == [
                "gadgetbridge:C0:FF:EE:00:00:01", "gadgetbridge:C0:FF:EE:00:00:02",
            ])
    }

    /// Each row of a Garmin or CMF watch has the steps of the day so far, also one with a heart rate only.
    @Test(arguments: ["GARMIN_ACTIVITY_SAMPLE", "CMF_ACTIVITY_SAMPLE"])
    func `a counter of the day is no steps of a minute`(name: String) throws {
        let midnight = LocalTime.berlin.at("2019-04-02", 0).seconds
        let rows = [
            [Self.ten, 1, 5321, 3], [Self.ten + 60, 1, 5321, -1], [Self.ten + 120, 1, 5400, 3],
            [midnight, 1, 8000, -1],
            [midnight + 3600, 1, 20, 3], [midnight + 7200, 1, 320, 3],
        ]
        let history = try history(Self.table(name, ", RAW_INTENSITY INTEGER", rows))
        #expect(history.totals == ["Band": ["2019-04-01": 8000, "2019-04-02": 320]])
        #expect(history.samples.map(\.steps) == [5321, 79, 2600, 20, 300])
    }

    /// Rows of Gadgetbridge's own tests of Garmin watches, and others like them.
    @Test(arguments: [
        ([0: 6064, 1: 6064, 3: 6064, 14: 6170], ["2019-04-01": 6064, "2019-04-02": 106]),
        ([-1: 6064, 1: 6070, 20: 5, 90: 105], ["2019-04-01": 6064, "2019-04-02": 111]),
        ([600: 5321, 601: 0, 602: 5330, 660: 5310, 720: 5400], ["2019-04-02": 5400]),
        ([-10: 9000, 600: 9500], ["2019-04-01": 9000, "2019-04-02": 9500]), ([0: 8000], ["2019-04-01": 8000]),
    ])
    func `a counter that is reset late, or falls on its day, is no walk`(
        minutes: [Int: Int], totals: [String: Int]
    ) throws {
        let midnight = LocalTime.berlin.at("2019-04-02", 0).seconds
        let rows = minutes.sorted { $0.key < $1.key }.map { [midnight + $0.key * 60, 1, $0.value] }
        #expect(try history(Self.table("GARMIN_ACTIVITY_SAMPLE", "", rows)).totals == ["Band": totals])
    }

    /// Only those of Mi Band and Huami mark live rows by their intensity.
    @Test func `rows of a Bangle without an intensity count`() throws {
        let rows = [[Self.ten + 602, 1, 850, -1]]
        let history = try history(Self.table("BANGLE_JSACTIVITY_SAMPLE", ", RAW_INTENSITY INTEGER", rows))
        #expect(history.samples.map(\.steps) == [850] && history.samples.map(\.length) == [600])
    }

    @Test func `a MoYoung watch has the growth since the row before`() throws {
        let history = try history(
            Self.table("MOYOUNG_ACTIVITY_SAMPLE", "", [[Self.ten, 1, 300], [Self.ten + 7200, 1, 6400]]))
        #expect(history.totals == ["Band": ["2019-04-01": 6700]])
    }

    @Test func `hours of a Colmi ring are those of local clocks`() throws {
        // 10:00 in India is 04:30 UTC.
        let ten = LocalTime.fixed(19_800).at("2019-04-01", 10).seconds
        let rows = Self.table("COLMI_ACTIVITY_SAMPLE", "", [[ten, 1, 2500], [ten + 3600, 1, 500]])
        let history = try read(["x.bin": database(Self.device + rows)], options(.fixed(19_800)))
        #expect(history.samples.map(\.length) == [3600, 3600])
    }

    @Test func `a Colmi ring has hours or quarters, and a row at midnight can be the day`() throws {
        let midnight = LocalTime.berlin.at("2019-04-01", 0).seconds
        let hours = try history(
            Self.table(
                "COLMI_ACTIVITY_SAMPLE", ", DISTANCE INTEGER",
                [[Self.ten, 1, 500, 350], [Self.ten + 7200, 1, 90, 60]]))
        #expect(hours.samples.map(\.length) == [3600, 3600] && hours.samples.map(\.distance) == [350, 60])
        let quarters = try history(
            Self.table(
                "COLMI_ACTIVITY_SAMPLE", ", DISTANCE INTEGER", [[Self.ten, 1, 500, 350], [Self.ten + 900, 1, 90, 60]]))
        #expect(quarters.samples.map(\.length) == [900, 900])
        let day = try history(Self.table("COLMI_ACTIVITY_SAMPLE", ", DISTANCE INTEGER", [[midnight, 1, 7000, 5000]]))
        #expect(day.samples.map(\.length) == [86_400] && day.totals == ["Band": ["2019-04-01": 7000]])
        let both = try history(
            Self.table(
                "COLMI_ACTIVITY_SAMPLE", ", DISTANCE INTEGER", [[midnight, 1, 7000, 5000], [Self.ten, 1, 5000, 3000]]))
        #expect(both.totals == ["Band": ["2019-04-01": 7000]], "the total fills what the hours do not have")
    }

    @Test func `a PineTime's rows are growth, a Bangle's end its slot, a Huawei's have both ends`() throws {
        let pine = try history(
            Self.table("PINE_TIME_ACTIVITY_SAMPLE", "", [[Self.ten, 1, 100], [Self.ten + 600, 1, 30]]))
        #expect(pine.samples.map { [$0.start.seconds - Self.ten, $0.length] } == [[-60, 60], [0, 600]])
        let bangle = try history(Self.table("BANGLE_JSACTIVITY_SAMPLE", "", [[Self.ten, 1, 100]]))
        #expect(bangle.samples.map { [$0.start.seconds - Self.ten, $0.length] } == [[-600, 600]])
        let huawei = try history(
            Self.table("HUAWEI_ACTIVITY_SAMPLE", ", OTHER_TIMESTAMP INTEGER", [[Self.ten, 1, 100, Self.ten + 300]]))
        #expect(huawei.samples.map(\.length) == [300])
    }

    @Test func `the zip of an automatic export is read`() throws {
        let file = try database(Self.device + Self.table("MI_BAND_ACTIVITY_SAMPLE", "", [[Self.ten, 1, 50]]))
        for deflated in [false, true] {
            let history = try read([
                "x": zip([("gadgetbridge.json", Data("{}".utf8)), ("database/Gadgetbridge", file)], deflated: deflated)
            ])
            #expect(history.totals == ["Band": ["2019-04-01": 50]])
        }
    }

    @Test func `a database without steps has nothing to import`() throws { #expect(try history("").isEmpty) }

    @Test func `a view, a trigger or a virtual table is refused`() throws {
        for code in [
            "CREATE VIEW XIAOMI_ACTIVITY_SAMPLE AS SELECT 1554105600 AS TIMESTAMP, 1 AS DEVICE_ID, 50 AS STEPS",
            "CREATE TRIGGER t AFTER INSERT ON USER BEGIN SELECT 1; END", "CREATE VIRTUAL TABLE f USING fts5(x)",
        ] {
            let error = #expect(throws: ImportError.self) { try history(code) }
            #expect(error?.category == .data)
        }
    }

    @Test(arguments: [0, 1_999_999_999_999, 4_102_444_800, 4_102_444_800_000])
    func `a time that no clock can have shown is an error`(time: Int) throws {
        #expect(throws: ImportError.self) { try history(Self.table("MI_BAND_ACTIVITY_SAMPLE", "", [[time, 1, 50]])) }
    }

    @Test func `damaged files are errors`() throws {
        let sound = try database(
            Self.device + Self.table("MI_BAND_ACTIVITY_SAMPLE", "", (0..<200).map { [Self.ten + 60 * $0, 1, 50] }))
        for lost in [1, 511, 4095, sound.count / 2] {
            #expect(throws: ImportError.self, "\(lost)") { try read(["x": sound.prefix(sound.count - lost)]) }
        }
        let packed = zip([("database/Gadgetbridge", sound)])
        #expect(throws: ImportError.self) { try read(["x": packed.prefix(packed.count / 2)]) }
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<400 {
            try survives(mutated(sound, &generator), "x")
            try survives(mutated(packed, &generator), "x")
        }
    }
}
