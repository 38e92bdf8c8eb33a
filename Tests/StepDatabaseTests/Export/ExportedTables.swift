import GRDB
import StepDomain

@testable import StepDatabase

/// The tables of an export in memory.
struct ExportedTables: ExportedHistory {
    var path = "/tmp/export"
    var rows: [(table: ExportTable, values: [String?])] = []
    var missing: [ExportTable] = []

    func rows(_ row: (ExportTable, [String?]) throws -> Void) throws {
        for (table, values) in rows { try row(table, values) }
    }

    init(_ database: StepDatabase, _ selection: ExportSelection = ExportSelection(nil, user: nil, days: nil)) throws {
        var (found, counts): ([(table: ExportTable, values: [String?])], ExportCounts) = ([], ExportCounts())
        var table = ExportTable.days
        try database.rows(
            selection, localTime: .fixed(3600),
            begin: {
                table = $0
                counts.begin($0)
            },
            row: {
                counts.count()
                found.append((table, $0.map(\.text)))
            })
        rows = found + counts.tables.map { (ExportTable.tables, [$0.name, String($0.rows)]) }
    }

    mutating func change(_ table: ExportTable, _ column: String, to text: String?) {
        guard let index = rows.firstIndex(where: { $0.table == table }),
            let place = table.columns.firstIndex(where: { $0.name == column })
        else { return }
        rows[index].values[place] = text
    }
}

extension ExportLimits {
    /// A year after the samples of the tests.
    static let ofTests = ExportLimits(now: noon + 366 * 86_400, models: ["colmi"], formats: ["csv"])
}

extension Fixture {
    /// Rows in every table of an export, and no value that is missing wherever there can be one.
    func fillForExport() throws {
        try merge(slot(0, 900, distance: 12.5), slot(60, 200, offset: -2670), slot(1440, 3), slot(5, 90_000))
        _ = try database.merge(
            SampleBatch(coverage: [
                TimeSpan(midnight, noon), TimeSpan(noon + 60, noon + 120),
                TimeSpan(Timestamp(-86_400), Timestamp(-80_000)),
            ]),
            sync: sync)
        try database.endSync(sync, at: noon, outcome: .failed, battery: nil, failure: "a, \"b\"", cause: .other)
        let bob = try database.addUser(named: "Bob, \"the\" walker")
        _ = try database.addPedometer(.ring(of: bob, address: "30:34:42:00:00:02", name: "two"))
        try database.setCorrection(
            StepCorrection(steps: 9000, reason: " forgot\nit "), of: bob.id, on: day, at: noon)
        try database.setPlan(SportPlan(validFrom: day, goals: [1, 2, 3, 4, 5, 6, 0]), of: bob.id)
        try database.exclude(
            Exclusion(TimeSpan(midnight, midnight + 60), utcOffset: 7200, reason: "x"), of: user.id, at: noon)
        _ = try database.store(
            ImportDecisionsTests.file(
                [slot(0, 100), slot(1440, 7)],
                [ImportDecisionsTests.correction(7000, on: day.advanced(by: 1), reason: "forgot")],
                [ImportDecisionsTests.block(1500..<1502, reason: "tram")]), of: bob, at: noon)
        try database.enqueueChanges(of: bob.id, for: "diary", since: day, at: noon)
        // What no call of these tests leaves behind.
        try execute(
            """
            UPDATE pedometer SET
                cursor = '{"readThrough":\(noon.seconds),"counter":{"at":\(noon.seconds),"value":7,"utcOffset":0}}',
                clock = '{"settings":[{"at":\(noon.seconds),"utcOffset":0}]}', counts_from = \(noon.seconds);
            INSERT INTO deleted_day VALUES (\(user.id), '2014-04-18', 1, \(noon.seconds));
            INSERT INTO device_total VALUES (\(pedometer.id), '2014-04-20', \(noon.seconds), 12, 11);
            INSERT INTO profile (person, valid_from, sex, birth_date, step_length, running_step_length)
                VALUES (\(user.id), '2014-04-20', 'female', '1970-01-01', 0.7, 1.1);
            INSERT INTO destination (name, first_day, not_before, failures) VALUES ('diary', '2014-04-20', \(noon.seconds), 1);
            UPDATE share SET first_attempt = \(noon.seconds), next_attempt = \(noon.seconds);
            """)
    }
}
