import Foundation
import StepDomain
import TestSupport
import Testing

@testable import ForeignHistories

/// Several files of a folder that have the same steps: they never count twice.
@Suite(.timeLimit(.minutes(5))) struct SeveralExportsTests {
    private static let samsung = """
        com.samsung.shealth.step_daily_trend,6307003,6
        update_time,source_type,count,distance,deviceuuid,day_time
        2019-04-02 10:00:00.000,-2,100,3000.5,VfS0qUERdZ,1554076800000,
        """
    private static let ten = LocalTime.berlin.at("2019-04-01", 10).seconds

    /// A database or a file that is a whole export, by the key of its format.
    private static let wholes: [(format: String, content: @Sendable () throws -> Data)] = [
        (
            "garmindb",
            {
                try database(
                    """
                    CREATE TABLE monitoring (timestamp DATETIME, activity_type TEXT, steps INTEGER);
                    INSERT INTO monitoring VALUES ('2019-04-01 10:00:00.000000', 'walking', 100);
                    """)
            }
        ),
        (
            "health-connect",
            {
                try database(
                    """
                    CREATE TABLE steps_record_table (app_info_id, start_time, end_time, count);
                    INSERT INTO steps_record_table VALUES (1, \(ten)000, \(ten + 60)000, 100);
                    """)
            }
        ),
        (
            "apple-health",
            {
                Data(
                    """
                    <HealthData><Record type="HKQuantityTypeIdentifierStepCount" sourceName="me" \
                    startDate="2019-04-01 10:00:00 +0200" endDate="2019-04-01 10:10:00 +0200" value="100"/></HealthData>
                    """.utf8)
            }
        ),
        (
            "itd",
            {
                try database(
                    "CREATE TABLE stepCount (time, steps); INSERT INTO stepCount VALUES (\(ten)000000000, 100);")
            }
        ),
        ("samsung-health", { Data(samsung.utf8) }),
        (
            "istep-export",
            {
                try database(
                    """
                    CREATE TABLE samples (\(ExportTable.samples.columns.map(\.name).joined(separator: ", ")));
                    INSERT INTO samples VALUES ('Ada', 1, '2019-04-01T12:00:00+02:00', 900, 100, 200, NULL, 1);
                    """)
            }
        ),
    ]

    @Test(arguments: wholes.map(\.format))
    func `of several whole exports one has to be named`(format: String) throws {
        let content = try #require(Self.wholes.first { $0.format == format }).content
        let file = try content()
        let alone = try read(["a": file])
        #expect(alone.format.key == format && alone.tracks.map(\.steps) == [100])
        for named in [nil, format] {
            do {
                _ = try read(["a": file, "old/b": file], options(format: named))
                Issue.record("both were read")
            } catch ImportError.severalExports(_, let files) {
                #expect(files == ["a", "old/b"])
            }
        }
        #expect(throws: ImportError.severalExports(path: "x", files: ["a", "b"]).withoutPath) {
            do { _ = try read(["x.zip": zip([("a", file), ("b", file)])]) } catch let error as ImportError {
                throw error.withoutPath
            }
        }
    }

    /// The files of one export, by the key of its format.
    private static let exports: [String: [String: String]] = [
        "withings": [
            "aggregates_steps.csv": "date,value\n2019-04-01,80\n",
            "raw_tracker_steps.csv": "start,duration,value\n2019-04-01T10:00:00+01:00,\"[60,30]\",\"[50,20]\"\n",
        ],
        "zepp": [
            "ACTIVITY/ACTIVITY_1.csv": "date,steps,distance,runDistance,calories\n2019-04-01,5000,3000,0,100\n",
            "ACTIVITY_MINUTE/ACTIVITY_MINUTE_1.csv": "date,time,steps\n2019-04-01,10:00,90\n",
        ],
        "fitbit": [
            "Takeout/Fitbit/steps_2019-04-01.csv": "timestamp,steps\n2019-04-01T08:00:00Z,50\n",
            "Takeout/Fitbit/steps_2019-05-01.csv": "timestamp,steps\n2019-05-01T08:00:00Z,50\n",
            "Takeout/Fitbit/Global Export Data/steps-2019-04-01.json":
                "[{\"dateTime\" : \"04/01/19 08:00:00\", \"value\" : \"50\"}]",
        ],
        "oura": ["daily_activity.json": oura("2019-04-01", 700)],
        "google-fit": [
            "Fit/Daily activity metrics.csv": "Date,Move Minutes count,Distance (m),Step count\n2019-04-01,5,300,70\n",
            "Fit/2019-04-01.csv": "Start time,End time,Step count\n10:00:00.000+02:00,10:15:00.000+02:00,60\n",
        ],
    ]

    private static func oura(_ day: String, _ steps: Int) -> String {
        """
        {"data": [{"day": "\(day)", "equivalent_walking_distance": 1, "steps": \(steps),
        "timestamp": "\(day)T04:00:00.000+02:00"}]}
        """
    }

    private func below(_ folders: [String], _ files: [String: String]) -> [String: Data] {
        var found: [String: Data] = [:]
        for folder in folders { for (name, text) in files { found["\(folder)/\(name)"] = Data(text.utf8) } }
        return found
    }

    private func several(_ files: [String: Data], _ options: ForeignOptions = options()) throws -> [String] {
        do {
            _ = try read(files, options)
            return []
        } catch ImportError.severalExports(_, let files) {
            return files
        }
    }

    @Test(arguments: exports.keys.sorted())
    func `of two exports with several files each, one folder has to be named`(format: String) throws {
        let export = try #require(Self.exports[format])
        let alone = try read(below(["a"], export))
        #expect(alone.format.key == format && alone.tracks.allSatisfy { $0.steps > 0 })
        #expect(try several(below(["a", "b"], export)) == ["a", "b"])
        #expect(
            try several(below(["old/2018", "old/2019"], export), options(format: format)) == ["old/2018", "old/2019"])
        #expect(try several(["x.zip": zip(below(["a", "b"], export).map { ($0, $1) })]) == ["a", "b"])
    }

    @Test func `a second file beside the first is another export, too`() throws {
        var files = below(["w"], try #require(Self.exports["withings"]))
        files["w/raw_tracker_steps (1).csv"] = files["w/raw_tracker_steps.csv"]
        #expect(try several(files) == ["w/raw_tracker_steps (1).csv", "w/raw_tracker_steps.csv"])
    }

    /// A point that the newer export has corrected downwards would keep its steps.
    @Test func `two exports of Google Fit without totals are refused, too`() throws {
        let points = """
            {"Data Source": "derived:com.google.step_count.delta:estimated_steps", "Data Points": [{"fitValue":
            [{"value": {"intVal": 60}}], "startTimeNanos": 1554105600000000000, "endTimeNanos": 1554105660000000000}]}
            """
        let quarters = "Start time,End time,Step count\n10:00:00.000+02:00,10:15:00.000+02:00,60\n"
        for (name, text) in [("All Data/steps.json", points), ("2019-04-01.csv", quarters)] {
            #expect(try read(below(["a"], [name: text])).tracks.map(\.steps) == [60], "\(name)")
            #expect(try several(below(["a", "b"], [name: text])) == ["a", "b"])
        }
    }

    @Test func `very many files with minutes of one day are refused`() throws {
        let files = (10..<27).map { minute in
            let value = "[{\"dateTime\": \"04/01/19 08:\(minute):00\", \"value\": \"0\"}]"
            return ("steps-\(minute).json", value)
        }
        func read(_ count: Int) throws -> ForeignHistory {
            try ForeignHistoriesTests.read(below(["a"], Dictionary(uniqueKeysWithValues: files.prefix(count))))
        }
        #expect(try read(16).format.key == "fitbit")
        #expect(throws: ImportError.tooMuch("more than 16 files with steps of one day")) { try read(17) }
    }

    /// A large Takeout comes in several archives, each with a part of the files.
    @Test func `parts of one export are read, wherever they are`() throws {
        let export = try #require(Self.exports["fitbit"])
        let parts = Dictionary(
            uniqueKeysWithValues: export.enumerated().map {
                ("\($0.offset)/\($0.element.key)", Data($0.element.value.utf8))
            })
        #expect(try read(parts).totals == ["Fitbit": ["2019-04-01": 50, "2019-05-01": 50]])
        let archive = ["04", "05"].map { month in
            (
                "steps-2019-\(month)-01.json",
                Data("[{\"dateTime\" : \"\(month)/01/19 08:00:00\", \"value\" : \"5\"}]".utf8)
            )
        }
        #expect(
            try read(Dictionary(uniqueKeysWithValues: archive)).totals == [
                "Fitbit": ["2019-04-01": 5, "2019-05-01": 5]
            ])
        let pages = ["1.json": Self.oura("2019-04-01", 700), "2.json": Self.oura("2019-04-02", 800)]
        #expect(
            try read(below(["a"], pages)).totals == ["Oura": ["2019-04-01": 700, "2019-04-02": 800]])
    }

    /// Fitbit's phone and band have the same minutes, in files of their own or in one.
    @Test func `two data sources of one export have the same minutes`() throws {
        let files = ["Phone", "Band"].map { name in
            ("\(name).csv", Data("timestamp,steps,data source\n2019-04-01T08:00:00Z,51,\(name)\n".utf8))
        }
        #expect(
            try read(Dictionary(uniqueKeysWithValues: files)).totals == [
                "Phone": ["2019-04-01": 51], "Band": ["2019-04-01": 51],
            ])
    }

    @Test func `of exports that are one file each, the newest of a folder is imported every night`() throws {
        let table = Data(Self.samsung.utf8)
        try withFolder { folder in
            for (name, age) in [("new.csv", 1000.0), ("old.csv", 2000.0)] {
                try table.write(to: URL(fileURLWithPath: folder + "/" + name))
                try FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSince1970: 1_554_200_000 - age)],
                    ofItemAtPath: folder + "/" + name)
            }
            #expect(try ForeignFiles().newest(in: folder, options(), unreadable: []).file.path == folder + "/new.csv")
        }
        try withFolder { folder in
            for name in ["a", "b"] {
                try FileManager.default.createDirectory(
                    atPath: folder + "/" + name, withIntermediateDirectories: true)
                try table.write(to: URL(fileURLWithPath: "\(folder)/\(name)/trend.csv"))
            }
            try Data("[.ShellClassInfo]".utf8).write(to: URL(fileURLWithPath: folder + "/desktop.ini"))
            #expect(throws: ImportError.severalExports(path: folder, files: ["a/trend.csv", "b/trend.csv"])) {
                try ForeignFiles().newest(in: folder, options(), unreadable: [])
            }
        }
    }

    @Test func `GarminDB beside the FIT files that it was made of has to be chosen`() throws {
        let database = try #require(Self.wholes.first { $0.format == "garmindb" }).content()
        let fit = Data([14, 0x10, 0, 0, 0, 0, 0, 0] + Array(".FIT".utf8) + [0, 0, 0, 0])
        do {
            _ = try read(["garmin_monitoring.db": database, "a.fit": fit])
            Issue.record("both were read")
        } catch ImportError.ambiguousFormat(_, let candidates) {
            #expect(candidates == ["garmindb", "fit"])
        }
    }
}

extension ImportError {
    /// The files alone: a folder of a test has another path each time.
    fileprivate var withoutPath: ImportError {
        if case .severalExports(_, let files) = self { .severalExports(path: "", files: files) } else { self }
    }
}
