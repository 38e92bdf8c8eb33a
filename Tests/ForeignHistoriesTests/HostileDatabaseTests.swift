import Foundation
import GRDB
import StepDomain
import TestSupport
import Testing

@testable import ForeignHistories

/// Databases whose values no program has written.
@Suite(.timeLimit(.minutes(5))) struct HostileDatabaseTests {
    private static let ten = LocalTime.berlin.at("2019-04-01", 10).seconds

    /// The columns of each table and a row of them.
    private static let tables: [String: [(name: String, row: String)]] = [
        "itd": [("stepCount (time, steps)", "\(ten)000000000, 500")],
        "amazfish": [("mi_band_activity (id, timestamp, device_id, steps)", "1, \(ten), 7, 50")],
        "j4velin": [("steps (date, steps)", "-1, 43310"), ("steps (date, steps)", "1554069600000, -41207")],
        "garmindb": [("monitoring (timestamp, activity_type, steps)", "'2019-04-01 10:00:00', 'walking', 100")],
        "colmi-r02-client": [
            ("rings (ring_id, address)", "1, 'c0:ff:ee:00:00:02'"),
            (
                "sport_details (sport_detail_id, calories, steps, distance, timestamp, ring_id, sync_id)",
                "1, 5, 48, 33, '2019-03-31 22:30:00', 1, 1"
            ),
        ],
        "health-connect": [
            (
                "steps_record_table (app_info_id, start_time, start_zone_offset, end_time, count)",
                "1, \(ten)000, 7200, \(ten + 600)000, 500"
            ),
            ("application_info_table (row_id, package_name, app_name)", "1, 'com.fit', 'Fit'"),
        ],
        "gadgetbridge": [
            (
                "DEVICE (_id, NAME, MANUFACTURER, IDENTIFIER, TYPE, ALIAS)",
                "1, 'Band', 'x', 'c0:ff:ee:00:00:01', 1, NULL"
            ),
            ("USER (_id)", "1"),
            ("MI_BAND_ACTIVITY_SAMPLE (TIMESTAMP, DEVICE_ID, STEPS, RAW_INTENSITY)", "\(ten), 1, 50, 20"),
            ("COLMI_ACTIVITY_SAMPLE (TIMESTAMP, DEVICE_ID, STEPS)", "\(ten), 1, 50"),
            ("COLMI_ACTIVITY_SAMPLE (TIMESTAMP, DEVICE_ID, STEPS)", "\(ten + 900), 1, 50"),
            ("BANGLE_JSACTIVITY_SAMPLE (TIMESTAMP, DEVICE_ID, STEPS)", "\(ten), 1, 50"),
            ("PINE_TIME_ACTIVITY_SAMPLE (TIMESTAMP, DEVICE_ID, STEPS)", "\(ten), 1, 50"),
            (
                "HUAWEI_ACTIVITY_SAMPLE (TIMESTAMP, DEVICE_ID, OTHER_TIMESTAMP, STEPS, DISTANCE)",
                "\(ten), 1, \(ten + 60), 50, 30"
            ),
        ],
        "istep": [
            ("person (id, name, name_key)", "1, 'Ada', 'ada'"),
            ("pedometer (id, person, address, name)", "1, 1, '30:34:42:00:00:01', 'ring'"),
            (
                "sample (pedometer, start, length, steps, distance, energy, utc_offset, sync)",
                "1, \(ten), 900, 300, NULL, NULL, 7200, 1"
            ),
            ("coverage (pedometer, start, until, utc_offset)", "1, \(ten), \(ten + 900), 7200"),
            ("correction (person, day, steps, entered_at, reason)", "1, '2019-04-02', 5, \(ten), NULL"),
            (
                "excluded_time (person, start, until, utc_offset, entered_at, reason)",
                "1, \(ten), \(ten + 60), 7200, \(ten), NULL"
            ),
        ],
    ]

    private static let values = [
        "-9223372036854775808", "9223372036854775807", "4611686018427387904", "-1125899906842624", "1e300", "-1",
        "1099511627776", "900", "NULL", "x'00ff'", "'9223372036854775808'",
    ]

    @Test(arguments: tables.keys.sorted()) func `whatever a value is, nothing crashes`(format: String) throws {
        let tables = try #require(Self.tables[format])
        let names = tables.map(\.name)
        let good = try database(
            Set(names).map { "CREATE TABLE \($0);" }.joined()
                + tables.map { "INSERT INTO \($0.name.prefix { $0 != " " }) VALUES (\($0.row));" }.joined())
        #expect(try read(["x.db": good]).format.key == format)
        try withFolder { folder in
            let path = folder + "/x.db"
            let columns = Set(names).sorted().flatMap { name in
                name.dropLast().split(separator: "(")[1].split(separator: ", ").map { (name.prefix { $0 != " " }, $0) }
            }
            for (table, column) in columns {
                for value in Self.values {
                    try good.write(to: URL(fileURLWithPath: path))
                    let queue = try DatabaseQueue(path: path)
                    try queue.write { try $0.execute(sql: "UPDATE \(table) SET \(column) = \(value)") }
                    try queue.close()
                    try survives(Data(contentsOf: URL(fileURLWithPath: path)), "x.db")
                }
            }
        }
    }

    /// Pages that name the same page several times give a small file any number of rows, and SQLite does not notice.
    @Test func `a query that takes more work than its file can need is refused`() throws {
        try withFolder { folder in
            let path = folder + "/x.db"
            try database(
                """
                CREATE TABLE t (a);
                INSERT INTO t WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) SELECT i FROM n
                """
            ).write(to: URL(fileURLWithPath: path))
            var rows = 0
            try ForeignDatabase(path, shownAs: path).rows("SELECT a FROM t ORDER BY a DESC") { _ in rows += 1 }
            #expect(rows == 20_000)
            #expect(
                throws: ImportError.malformed(path: path, reason: "it has more rows than a file of its size can have")
            ) {
                try ForeignDatabase(path, shownAs: path, operations: 50_000).rows("SELECT a FROM t ORDER BY a DESC") {
                    _ in
                }
            }
        }
    }
}
