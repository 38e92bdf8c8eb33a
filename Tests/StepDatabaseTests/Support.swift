import Foundation
import GRDB
import StepDomain
import Testing

@testable import StepDatabase

/// A directory of the test's own, removed with everything in it when the test is over.
func withDirectory<T>(_ body: (String) throws -> T) throws -> T {
    let path = NSTemporaryDirectory() + "istep-tests-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try body(path)
}

func withDirectory<T>(_ body: (String) async throws -> T) async throws -> T {
    let path = NSTemporaryDirectory() + "istep-tests-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try await body(path)
}

/// A history with one user, one pedometer and a sync begun.
struct Fixture {
    let database: StepDatabase
    let user: User
    let pedometer: Pedometer
    let sync: SyncRecord.ID

    init(_ directory: String) throws {
        database = try StepDatabase(path: directory + "/history.sqlite")
        user = try database.addUser(named: "Ada")
        pedometer = try database.addPedometer(.ring(of: user))
        sync = try database.beginSync(of: pedometer.id, at: noon)
    }

    var path: String { database.path }

    @discardableResult
    func merge(_ samples: StepSample...) throws -> MergeCounts {
        try database.merge(SampleBatch(samples: samples), sync: sync)
    }

    func samples(on day: Day = day) throws -> [StepSample] {
        try data(on: day).tracks.flatMap(\.samples)
    }

    func data(on day: Day = day) throws -> DayData {
        try database.dayData(of: user, on: day)
    }

    /// The first column of what a query finds.
    func strings(_ sql: String) throws -> [String] {
        try database.queue.read { try String.fetchAll($0, sql: sql) }
    }

    func execute(_ sql: String) throws { try database.queue.write { try $0.execute(sql: sql) } }

    /// Rows that the connection has written since it was opened.
    func totalChanges() throws -> Int { try database.queue.read { $0.totalChangesCount } }
}

extension StepDatabase {
    /// Kills this process right after the event, in the middle of the operation.
    func dieAfter(_ event: String, when condition: String = "true") throws {
        try queue.writeWithoutTransaction {
            $0.add(
                function: DatabaseFunction("die", argumentCount: 0) { _ in
                    kill(getpid(), SIGKILL)
                    return nil
                })
            try $0.execute(sql: "CREATE TEMP TRIGGER death AFTER \(event) WHEN \(condition) BEGIN SELECT die(); END")
        }
    }

    /// Merges a batch that was recorded in Greenwich.
    func merge(_ batch: SampleBatch, sync: SyncRecord.ID) throws -> MergeCounts {
        try merge(batch, sync: sync, localTime: .fixed(0))
    }
}

func withFixture<T>(_ body: (Fixture) throws -> T) throws -> T {
    try withDirectory { try body(try Fixture($0)) }
}

extension ShareEntry {
    func sending() -> ShareEntry {
        var entry = self
        entry.state = .sending
        return entry
    }

    /// Confirmed by the destination with that content, and nothing more to do.
    func sent(_ content: String) -> ShareEntry {
        var entry = self
        entry.state = .sent
        entry.confirmed = content
        entry.nextAttempt = nil
        return entry
    }
}

extension Pedometer {
    static func ring(of user: User, address: String = "30:34:42:00:00:01", name: String = "ring") -> Pedometer {
        Pedometer(user: user.id, model: "colmi", address: address, addressType: "public", name: name)
    }
}

/// 2014-04-20, a Sunday.
let day = Day(daysSince1970: 16_180)
let midnight = Timestamp(16_180 * 86_400)
let noon = midnight + 12 * 3600

/// A quarter of an hour that starts this many minutes after midnight in Greenwich.
func slot(_ minutes: Int, _ steps: Int, length: Int = 900, distance: Double? = nil, offset: Int = 0) -> StepSample {
    StepSample(
        start: midnight + minutes * 60, length: length, steps: steps, distance: distance, utcOffset: offset)
}

/// The error of the history that `body` throws, if it does.
func historyError<T>(_ body: () throws -> T) -> HistoryError? {
    do { _ = try body() } catch { return error as? HistoryError }
    return nil
}

/// Expects that `body` throws just this.
func expect<T>(
    _ expected: HistoryError, at location: SourceLocation = #_sourceLocation, from body: () throws -> T
) {
    let error = historyError(body)
    #expect(error == expected, sourceLocation: location)
}

/// Permission bits of a file.
func mode(of path: String) throws -> Int {
    try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
}

extension StepDatabase {
    func daySeriesInput(of user: User, in days: ClosedRange<Day>) throws -> DaySeriesInput {
        try daySeriesInput(of: user, in: days) { _, _ in }
    }
}

extension SalvageReport {
    /// Whether nothing is missing, for example if only an index was damaged.
    var isWhole: Bool { tables.allSatisfy(\.isWhole) && days.isEmpty && resets.isEmpty }
}
