import Foundation
import StepDomain
import TestSupport
import Testing

@testable import ForeignHistories

/// Fitbit, Apple Health, Health Connect, Samsung Health, Google Fit.
@Suite(.timeLimit(.minutes(5))) struct PhoneExportTests {
    private func data(_ text: String) -> Data { Data(text.utf8) }

    @Test func `Fitbit's minutes are of UTC, and table and archive hold the same ones`() throws {
        let table = "timestamp,steps\n2019-04-01T08:00:00Z,50\n2019-04-01T22:30:00Z,7\n"
        let archive = """
            [{"dateTime" : "04/01/19 08:00:00", "value" : "50"}, {"dateTime" : "03/31/19 21:59:00", "value" : "3"},
            {"dateTime" : "03/31/19 22:00:00", "value" : "4"}]
            """
        let both = try read([
            "Takeout/steps_2019-04-01.csv": data(table), "Takeout/steps-2019-04-01.json": data(archive),
        ])
        #expect(both.format.key == "fitbit")
        #expect(both.totals == ["Fitbit": ["2019-03-31": 3, "2019-04-01": 54, "2019-04-02": 7]])
        #expect(both.samples.allSatisfy { $0.length == 60 })
        #expect(
            try read("steps-2019-04-01.json", archive).totals == [
                "Fitbit": ["2019-03-31": 3, "2019-04-01": 54 - 50 + 50]
            ])
    }

    /// An account that was moved has tables from a time of day on.
    @Test func `a table of Fitbit stands for the time that it has, not for the whole day`() throws {
        let table = "timestamp,steps\n2019-04-01T15:00:00Z,50\n2019-04-01T18:00:00Z,7\n"
        let archive = """
            [{"dateTime" : "04/01/19 08:00:00", "value" : "40"}, {"dateTime" : "04/01/19 15:00:00", "value" : "50"},
            {"dateTime" : "04/01/19 16:00:00", "value" : "3"}, {"dateTime" : "04/01/19 19:00:00", "value" : "4"}]
            """
        let both = try read([
            "Takeout/steps_2019-04-01.csv": data(table), "Takeout/steps-2019-04-01.json": data(archive),
        ])
        #expect(both.totals == ["Fitbit": ["2019-04-01": 101]])
        // The same minute, with its seconds.
        let exact = table.replacing("15:00:00Z", with: "15:00:03Z").replacing("18:00:00Z", with: "18:00:59Z")
        let seconds = try read([
            "Takeout/steps_2019-04-01.csv": data(exact), "Takeout/steps-2019-04-01.json": data(archive),
        ])
        #expect(seconds.totals == both.totals)
    }

    @Test func `Fitbit's data sources mirror each other, and are sources`() throws {
        let text = "timestamp,steps,data source\n2019-04-01T08:00:03.55Z,51,Phone\n2019-04-01T08:00:00Z,52,Band\n"
        #expect(try read("steps.csv", text).totals == ["Phone": ["2019-04-01": 51], "Band": ["2019-04-01": 52]])
    }

    private func apple(
        _ records: String, head: String = "<!DOCTYPE HealthData [\n<!ELEMENT HealthData (Record*)>\n]>\n"
    ) -> Data {
        data(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\(head)<HealthData locale=\"de_DE\">\n\(records)\n</HealthData>\n"
        )
    }

    private func record(
        _ start: String, _ end: String, _ value: String, source: String = "me", model: String = "iPhone"
    ) -> String {
        """
        <Record type="HKQuantityTypeIdentifierStepCount" sourceName="\(source)" unit="count" startDate="\(start)" endDate="\(end)" \
        device="&lt;&lt;HKDevice: 0x\(Int.random(in: 0...99_999))&gt;, name:x, model:\(model), hardware:y&gt;" value="\(value)"/>
        """
    }

    /// Another program can have one record a day.
    @Test func `only a watch of Apple stands before a phone`() throws {
        let whole = """
            <Record type="HKQuantityTypeIdentifierStepCount" sourceName="Fossil Smartwatches" unit="count" \
            startDate="2019-04-01 00:00:00 +0200" endDate="2019-04-01 23:59:00 +0200" value="1200"/>
            """
        let phone = record("2019-04-01 10:00:00 +0200", "2019-04-01 10:30:00 +0200", "3000")
        let history = try read(["export.xml": apple(phone + whole)])
        #expect(history.totals == ["me": ["2019-04-01": 3000], "Fossil Smartwatches": ["2019-04-01": 1200]])
    }

    @Test func `a record of steps in a correlation is at the top level, too, and counts once`() throws {
        let steps = record("2019-04-01 10:00:00 +0200", "2019-04-01 10:10:00 +0200", "600")
        let history = try read([
            "export.xml": apple("<Correlation type=\"a\">\(steps)</Correlation>\(steps)")
        ])
        #expect(history.totals == ["me": ["2019-04-01": 600]])
    }

    @Test func `a file of Apple Health in UTF-16 says so, and a value with an & alone is refused`() throws {
        let steps = record("2019-04-01 10:00:00 +0200", "2019-04-01 10:10:00 +0200", "600")
        let text = try #require(String(data: apple(steps), encoding: .utf8))
        for encoding in [String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian] {
            do {
                _ = try read(["export.xml": try #require(text.data(using: encoding))])
                Issue.record("it was read")
            } catch ImportError.malformed(_, let reason) {
                #expect(reason.contains("UTF-16") && reason.contains("iconv"))
            }
        }
        let other = record("2019-04-01 10:00:00 +0200", "2019-04-01 10:10:00 +0200", "600", source: "Tom & Ann")
        #expect(throws: ImportError.self) { try read(["export.xml": apple(other)]) }
        let comment = "<!-- not <HealthData> -->"
        #expect(try read(["export.xml": apple(steps, head: comment)]).totals == ["me": ["2019-04-01": 600]])
    }

    @Test func `Apple's phone and watch are two sources, and the watch counts first`() throws {
        let history = try read([
            "export.xml": apple(
                record("2019-04-01 10:00:00 +0200", "2019-04-01 10:10:00 +0200", "600")
                    + record("2019-04-01 10:05:00 +0200", "2019-04-01 10:10:00 +0200", "500", model: "Watch")
                    + "<Record type=\"HKQuantityTypeIdentifierHeartRate\" value=\"60\" startDate=\"\" endDate=\"\"/>")
        ])
        #expect(history.format.key == "apple-health")
        #expect(history.tracks.map(\.steps) == [300, 500], "of the phone only the part that the watch does not have")
        #expect(Set(history.tracks.map(\.source.identity)) == ["apple:me:iPhone", "apple:me:Watch"])
    }

    @Test func `Apple's days are those of the zone, not of the offset of the export`() throws {
        // In winter, written in summer: 22:30 UTC is 23:30 in Berlin.
        let history = try read([
            "export.xml": apple(record("2019-01-02 00:30:00 +0200", "2019-01-02 00:40:00 +0200", "70"))
        ])
        #expect(history.totals == ["me": ["2019-01-01": 70]])
    }

    /// Its offsets are those of the day of the export.
    @Test(arguments: [("+0100", false), ("+0200", false), ("-0800", true), ("+0000", true)])
    func `an export of Apple from a zone that is not that of the steps says so`(_ offset: String, isNoted: Bool) throws
    {
        let history = try read([
            "export.xml": apple(record("2019-04-01 10:00:00 \(offset)", "2019-04-01 10:10:00 \(offset)", "600"))
        ])
        let notes = history.notes.map { "\($0)" }.filter { $0.contains("clocks showed UTC") }
        #expect(notes.count == (isNoted ? 1 : 0), "\(history.notes)")
        #expect(offset != "-0800" || notes.first?.contains("UTC-8:00: name the time zone") == true, "\(notes)")
    }

    @Test func `a negative record of Apple is refused, or left out alone`() throws {
        let records =
            record("2019-04-01 10:00:00 +0200", "2019-04-01 10:10:00 +0200", "-100000")
            + record("2019-04-01 11:00:00 +0200", "2019-04-01 11:10:00 +0200", "500")
        #expect(throws: ImportError.self) { try read(["export.xml": apple(records)]) }
        let history = try read(["export.xml": apple(records)], options(skipping: true))
        #expect(history.totals == ["me": ["2019-04-01": 500]])
    }

    /// In St John's, clocks were set back over midnight: after 0:00 came 23:01 once more.
    @Test func `a record on the evening that clocks show twice is of its day`() throws {
        let zone = try #require(TimeZone(identifier: "America/St_Johns"))
        let history = try read(
            ["export.xml": apple(record("2010-11-07 02:45:00 +0000", "2010-11-07 02:55:00 +0000", "750"))],
            options(.zone(zone)))
        #expect(history.totals == ["me": ["2010-11-06": 750]])
    }

    @Test func `Apple's old exports and records past midnight`() throws {
        let text = """
            <HealthData><Record type="HKQuantityTypeIdentifierStepCount" source="old" startDate="20150908233000+0200" \
            endDate="20150909003000.5+0200" value="100.6"/></HealthData>
            """
        let history = try read("Exportieren.xml", text)
        #expect(history.totals == ["old": ["2015-09-08": 50, "2015-09-09": 50]], "each day 50.3")
    }

    @Test func `XML with entities, without the element, or cut is refused`() throws {
        let good = record("2019-04-01 10:00:00 +0200", "2019-04-01 10:10:00 +0200", "600")
        let bomb = "<!DOCTYPE HealthData [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]>"
        for bytes in [
            apple(good, head: bomb), data("<HealthData>&a;</HealthData>"), apple(good).prefix(apple(good).count - 30),
            data("<?xml version=\"1.0\"?><!DOCTYPE HealthData>"),
            data("<HealthData>" + String(repeating: " ", count: 5 << 20)),
        ] {
            let error = #expect(throws: ImportError.self) { try read(["export.xml": bytes]) }
            #expect(error?.category == .data)
        }
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<2000 { try survives(mutated(apple(good + good), &generator), "export.xml") }
    }

    @Test func `a record of ten months is left out and counted`() throws {
        let walk = record("2019-04-01 10:00:00 +0200", "2019-04-01 10:10:00 +0200", "600")
        let months = record("2019-01-01 10:00:00 +0100", "2019-11-01 10:00:00 +0100", "9000")
        let start = LocalTime.berlin.at("2019-01-01", 10).seconds * 1000
        let rows = try healthConnect(
            "INSERT INTO steps_record_table VALUES (1, x'00', 1, 0, \(start), 3600, \(start + 26_265_600_000), 3600, 17897, 9000);"
        )
        let table = "start,end,steps\n2019-01-01T10:00:00+01:00,2019-11-01T10:00:00+01:00,9000\n"
        let files: [(name: String, bytes: Data, left: [String: [String: Int]])] = [
            ("export.xml", apple(walk + months), ["me": ["2019-04-01": 600]]), ("x.db", rows, [:]),
            ("x.csv", data(table), [:]),
        ]
        for (name, bytes, left) in files {
            let found = try read([name: bytes])
            #expect(found.totals == left, "\(name): \(found.totals)")
            let expected = ForeignNote.leftOut(
                1, "of more than 2 days, such as 9000 steps from 2019-01-01T09:00:00+00:00")
            #expect(found.notes.contains(expected), "\(name): \(found.notes)")
        }
    }

    private func healthConnect(_ rows: String) throws -> Data {
        try database(
            """
            CREATE TABLE steps_record_table (row_id INTEGER PRIMARY KEY, uuid BLOB, app_info_id INTEGER, recording_method INTEGER,
                start_time INTEGER, start_zone_offset INTEGER, end_time INTEGER, end_zone_offset INTEGER, local_date INTEGER, count INTEGER);
            CREATE TABLE application_info_table (row_id INTEGER PRIMARY KEY, package_name TEXT, app_name TEXT);
            INSERT INTO application_info_table VALUES (1, 'com.fit', 'Fit'), (2, 'com.s', NULL);
            \(rows)
            """)
    }

    @Test func `Health Connect's apps are sources, each record has its offset`() throws {
        let start = LocalTime.berlin.at("2019-04-01", 10).seconds * 1000
        let file = try healthConnect(
            """
            INSERT INTO steps_record_table VALUES (1, x'00', 1, 0, \(start), 32400, \(start + 600_000), 32400, 17987, 500),
                (2, x'01', 2, 0, \(start), 7200, \(start + 600_000), 7200, 17987, 480);
            """)
        let history = try read(["Health Connect.zip": zip([("health_connect_export.db", file)])])
        #expect(
            history.totals == ["Fit": ["2019-04-01": 500], "com.s": ["2019-04-01": 480]] && history.zone == .records)
        #expect(history.samples.map(\.utcOffset) == [32_400, 7200])
        var generator = SeededGenerator(seed: 4)
        for _ in 0..<200 { try survives(mutated(file, &generator), "x.db") }
    }

    @Test func `Samsung's merged rows count, the newest of a day`() throws {
        let head = "\u{feff}com.samsung.shealth.step_daily_trend,6307003,6\n"
        let names = "binning_data,update_time,source_type,count,distance,deviceuuid,day_time\n"
        let rows = """
            a,2019-04-02 10:00:00.000,-2,5000,3000.5,VfS0qUERdZ,1554076800000,
            a,2019-04-02 09:00:00.000,-2,4000,3000.5,VfS0qUERdZ,1554076800000,
            a,2019-04-02 11:00:00.000,0,4900,3000.5,Device,1554076800000,
            """
        let history = try read("com.samsung.shealth.step_daily_trend.1.csv", head + names + rows)
        #expect(history.totals == ["Samsung Health": ["2019-04-01": 5000]] && history.samples.map(\.length) == [86_400])
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<1000 { try survives(mutated(data(head + names + rows), &generator), "x.csv") }
    }

    @Test func `Google Fit's estimated steps say when, its days how many`() throws {
        let start = LocalTime.berlin.at("2019-04-01", 10).seconds
        func points(_ source: String, _ steps: Int) -> Data {
            data(
                """
                {"Data Source": "derived:com.google.step_count.delta:com.google.android.gms:\(source)", "Data Points": [
                {"fitValue": [{"value": {"intVal": \(steps)}}], "startTimeNanos": \(start)000000123, "endTimeNanos": \(start + 60)000000123}]}
                """)
        }
        let days = "Date,Move Minutes count,Distance (m),Step count\n2019-04-01,5,300,70\n2019-04-02,,,\n"
        let history = try read([
            "a.json": points("estimated_steps", 60), "b.json": points("merge_step_deltas", 61),
            "c.json": points("top_level", 62),
            "Daily activity metrics.csv": data(days),
            "2019-04-01.csv": data("Start time,End time,Step count\n10:00:00.000+02:00,10:15:00.000+02:00,60\n"),
        ])
        #expect(history.totals == ["Google Fit": ["2019-04-01": 60], "Google Fit days": ["2019-04-01": 70]])
        // Alone, each of the files is read; of the others the one that Google has merged, and the preview says so.
        func alone(_ files: [String: Data]) throws -> (steps: Int?, notes: [ForeignNote]) {
            let history = try read(files)
            #expect(history.format.key == "google-fit")
            return (history.tracks.first?.steps, history.notes)
        }
        let best = try alone(["a.json": points("estimated_steps", 60)])
        #expect(best.steps == 60 && best.notes.isEmpty)
        let merged = try alone(["b.json": points("merge_step_deltas", 61), "c.json": points("top_level", 6_200)])
        #expect(merged.steps == 61 && "\(merged.notes)".contains("not the steps that Google Fit shows"))
        let phone = try alone(["c.json": points("top_level", 62), "d.json": points("x:top_level", 6)])
        #expect(phone.steps == 6 && phone.notes.count == 1, "the larger file")
        var generator = SeededGenerator(seed: 6)
        for _ in 0..<1000 { try survives(mutated(points("estimated_steps", 60), &generator), "x.json") }
    }
}
