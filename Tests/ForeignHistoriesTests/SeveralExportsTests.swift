import Foundation
import StepDomain
import TestSupport
import Testing

@testable import ForeignHistories

/// Several files of a folder that have the same steps: they never count twice.
@Suite(.timeLimit(.minutes(5))) struct SeveralExportsTests {
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
