import Foundation
import StepDomain
import TestSupport
import Testing

@testable import ForeignHistories

/// Zepp, colmi_r02_client, GarminDB, Garmin's account, Withings, Oura, itd, Amazfish, j4velin.
@Suite(.timeLimit(.minutes(5))) struct WatchExportTests {
    private func data(_ text: String) -> Data { Data(text.utf8) }
    private let ten = LocalTime.berlin.at("2019-04-01", 10).seconds

    @Test func `Zepp's days count, its minutes say when, its stages are a part of them`() throws {
        let history = try read([
            "ACTIVITY/ACTIVITY_1.csv": data(
                "\u{feff}date,steps,distance,runDistance,calories\n2019-04-01,5000,3000,0,100\n"),
            "ACTIVITY_MINUTE/ACTIVITY_MINUTE_1.csv": data("\u{feff}date,time,steps\n2019-04-01,10:00,90\n"),
            "ACTIVITY_STAGE/ACTIVITY_STAGE_1.csv": data(
                "\u{feff}date,start,stop,distance,calories,steps\n2019-04-01,10:00,10:01,1,1,90\n"),
        ])
        #expect(
            history.format.key == "zepp"
                && history.totals == ["Zepp": ["2019-04-01": 5000], "Zepp minutes": ["2019-04-01": 90]])
    }

    @Test func `colmi_r02_client has quarters in UTC`() throws {
        let file = try database(
            """
            CREATE TABLE rings (ring_id INTEGER PRIMARY KEY, address TEXT);
            CREATE TABLE sport_details (sport_detail_id INTEGER PRIMARY KEY, calories INTEGER, steps INTEGER, distance INTEGER, timestamp TEXT,
                ring_id INTEGER, sync_id INTEGER);
            INSERT INTO rings VALUES (1, 'c0:ff:ee:00:00:02');
            INSERT INTO sport_details VALUES (1, 5, 48, 33, '2019-03-31 22:30:00.000000', 1, 1), (2, 5, 50, 33, '2019-04-01 08:00:00', 1, 1);
            """)
        let history = try read(["ring.sqlite": file])
        #expect(
            history.totals == ["Colmi C0:FF:EE:00:00:02": ["2019-04-01": 98]]
                && history.samples.map(\.length) == [900, 900])
    }

    @Test func `GarminDB's counters are of a day and a type`() throws {
        let rows = [
            ("2019-04-01 10:00:00", "walking", 100), ("2019-04-01 10:00:00", "running", 40),
            ("2019-04-01 12:00:00", "walking", 300),
            ("2019-04-02 09:00:00", "walking", 50),
        ].map { "('\($0).000000', '\($1)', \($2))" }.joined(separator: ", ")
        let file = try database(
            """
            CREATE TABLE monitoring (timestamp DATETIME, activity_type TEXT, steps INTEGER);
            INSERT INTO monitoring VALUES \(rows), ('2019-04-01 11:00:00', 'stop_disable', NULL);
            """)
        #expect(try read(["garmin_monitoring.db": file]).totals == ["Garmin": ["2019-04-01": 340, "2019-04-02": 50]])
    }

    /// As in the FIT files that it is made of.
    @Test func `the reading of GarminDB at midnight closes its day`() throws {
        let rows = [
            "04-01 10:00:00', 'walking', 100", "04-02 00:00:00', 'walking', 350", "04-02 01:00:00', 'walking', 5",
        ]
        let file = try database(
            """
            CREATE TABLE monitoring (timestamp DATETIME, activity_type TEXT, steps INTEGER);
            INSERT INTO monitoring VALUES \(rows.map { "('2019-\($0))" }.joined(separator: ", "));
            """)
        #expect(try read(["garmin_monitoring.db": file]).totals == ["Garmin": ["2019-04-01": 350, "2019-04-02": 5]])
    }

    @Test func `Garmin's account has days with their offset, without those on which the watch was not worn`() throws {
        func day(_ date: String, _ rest: String) -> String {
            """
            {"calendarDate": "\(date)", "wellnessStartTimeGmt": "2019-03-31T15:00:00.0", "wellnessStartTimeLocal": "\(date)T00:00:00.0",
            "durationInMilliseconds": 86400000, "allDayStress": {"x": [1, {"totalSteps": 9}]}\(rest)}
            """
        }
        let text = "[\(day("2019-04-01", ", \"totalSteps\": 6000")), \(day("2019-04-02", ""))]"
        // The day was not over in the earlier export.
        let earlier = "[\(day("2019-04-01", ", \"totalSteps\": 2000").replacing("86400000", with: "36000000"))]"
        let both = try read(["UDSFile_1.json": data(earlier), "UDSFile_2.json": data(text)])
        #expect(both.totals == ["Garmin days": ["2019-04-01": 6000]])
        let history = try read("UDSFile.json", text)
        #expect(history.totals == ["Garmin days": ["2019-04-01": 6000]] && history.samples.map(\.utcOffset) == [32_400])
        var generator = SeededGenerator(seed: 8)
        for _ in 0..<1000 { try survives(mutated(data(text), &generator), "UDSFile.json") }
    }

    @Test func `Withings' lines are repeated, and its offset is not the owner's`() throws {
        let line = "2019-04-01T10:00:00+01:00,\"[60,30]\",\"[50,20]\"\n"
        let history = try read([
            "raw_tracker_steps.csv": data("start,duration,value\n" + line + line),
            "aggregates_steps.csv": data("date,value\n2019-04-01,80\n"),
        ])
        #expect(history.totals == ["Withings": ["2019-04-01": 80], "Withings slots": ["2019-04-01": 70]])
    }

    @Test func `a slot of Withings that cannot be right takes no other line with it`() throws {
        let text = """
            start,duration,value
            2019-04-01T10:00:00+01:00,"[60,100000,60]","[50,20,7]"
            2019-04-01T11:00:00+01:00,[60],[40]
            """
        #expect(throws: ImportError.self) { try read("raw_tracker_steps.csv", text) }
        let history = try read("raw_tracker_steps.csv", text, options(skipping: true))
        #expect(history.totals == ["Withings slots": ["2019-04-01": 90]])
    }

    @Test func `Oura's day begins at four`() throws {
        let text = """
            {"data": [{"active_calories": 9, "equivalent_walking_distance": 1,
            "met": {"timestamp": "x", "items": [\(Array(repeating: "0.9", count: 1440).joined(separator: ", "))]},
            "steps": 700, "day": "2019-04-01", "timestamp": "2019-04-01T04:00:00.000-07:00"}]}
            """
        let history = try read("daily_activity.json", text)
        #expect(history.totals == ["Oura": ["2019-04-01": 700]])
        #expect(
            history.samples == [
                StepSample(start: Timestamp(1_554_116_400), length: 86_400, steps: 700, utcOffset: -25_200)
            ])
    }

    @Test func `small databases: a counter in nanoseconds, minutes that are there twice, a day that is not over`()
        throws
    {
        let itd = try database(
            """
            CREATE TABLE stepCount (time INT, steps INT);
            INSERT INTO stepCount VALUES (\(ten)000000123, 500), (\(ten + 600)000000123, 800), (\(ten + 1200)000000123, 30);
            """)
        #expect(try read(["metrics.db": itd]).totals == ["InfiniTime (itd)": ["2019-04-01": 830]])
        let amazfish = try database(
            """
            CREATE TABLE mi_band_activity (id INTEGER PRIMARY KEY, timestamp INTEGER, device_id INTEGER, steps INTEGER);
            INSERT INTO mi_band_activity VALUES (1, \(ten), 7, 50), (2, \(ten), 7, 50), (3, \(ten + 60), 7, 20);
            """)
        #expect(try read(["amazfish.kexi": amazfish]).totals == ["Amazfish": ["2019-04-01": 70]])
        let days = try database(
            """
            CREATE TABLE steps (date INTEGER, steps INTEGER);
            INSERT INTO steps VALUES (-1, 43310), (1554069600000, 8123), (1554156000000, -41207);
            """)
        #expect(try read(["steps": days]).totals == ["Pedometer": ["2019-04-01": 8123, "2019-04-02": 2103]])
    }

    @Test func `formats are ambiguous only where --format has to be given`() throws {
        let files = [
            "steps_1.csv": data("timestamp,steps\n2019-04-01T08:00:00Z,50\n"),
            "b/ACTIVITY_1.csv": data("date,steps,distance,runDistance,calories\n2019-04-01,5000,3000,0,100\n"),
        ]
        let error = #expect(throws: ImportError.self) { try read(files) }
        guard case .ambiguousFormat(_, let candidates)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(candidates == ["fitbit", "zepp"])
        #expect(try read(files, options(format: "zepp")).totals == ["Zepp": ["2019-04-01": 5000]])
    }
}
