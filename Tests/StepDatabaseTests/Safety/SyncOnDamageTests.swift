import Foundation
import GRDB
import StepDomain
import TestSupport
import Testing

@testable import StepDatabase

/// Syncs into histories that were damaged at random.
@Suite(.timeLimit(.minutes(10)), .cpuBound) struct SyncOnDamageTests {
    private static let history = Result { try SmallHistory() }
    private static let checks: [(size: Int, notWhole: Set<String>)] = [(.max, []), (0, ["sample", "frame"])]

    /// What a sync does with a history: the check, then a batch.
    private func sync(_ path: String, wholeUpTo size: Int) throws {
        try StepDatabase.checkBeforeSync(path, at: noon, wholeUpTo: size)
        let database = try StepDatabase(path: path)
        let start = noon + 30 * 86_400
        // A damaged row may leave a person without pedometers: then there is nothing to read.
        guard let pedometer = try database.pedometers().first else { return try database.close() }
        let sync = try database.beginSync(of: pedometer.id, at: start)
        _ = try database.merge(
            SampleBatch(
                samples: (0..<20).map { slot(30 * 1440 + $0 * 15, 50) },
                coverage: [TimeSpan(start - 43_200, start - 43_200 + 18_000)],
                frames: [RawFrame(.received, at: start, bytes: [1, 2, 3])], cursor: PedometerCursor(readThrough: start)),
            sync: sync)
        try database.endSync(sync, at: start + 60, outcome: .complete, battery: 80, failure: nil, cause: nil)
        try database.close()
    }

    /// 48 damaged copies each, or 240. A large history is checked in parts, and the rest of its samples and frames once
    /// a week.
    @Test(arguments: checks, 0..<6)
    func `a sync that succeeds leaves a sound history, and one that is refused leaves the file as it was`(
        _ check: (size: Int, notWhole: Set<String>), seed: UInt64
    ) throws {
        let history = try Self.history.get()
        var random = SeededGenerator(seed: 100 + seed)
        var (refused, stored) = (0, 0)
        for round in 0..<Endurance.rounds(8, year: 40) {
            let damage = Damage.allCases[round % Damage.allCases.count]
            var bytes = history.bytes
            _ = damage.apply(to: &bytes, pageSize: history.pageSize, &random)
            let about = "\(damage), seed \(seed), round \(round)"
            try withDirectory { directory in
                let path = directory + "/history.sqlite"
                try bytes.write(to: URL(fileURLWithPath: path))
                do {
                    try sync(path, wholeUpTo: check.size)
                } catch let error as HistoryError {
                    refused += 1
                    #expect(error.category == .data, "\(about): \(error)")
                    if check.size > 0 {
                        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes, "\(about): \(error)")
                    }
                    return
                }
                stored += 1
                let queue = try DatabaseQueue(path: path)
                let problems = try queue.read { database in
                    let tables = try String.fetchAll(
                        database, sql: "SELECT name FROM sqlite_schema WHERE type = 'table'")
                    return try tables.filter { !check.notWhole.contains($0) }
                        .flatMap { try String.fetchAll(database, sql: "PRAGMA integrity_check('\($0)')") }
                }
                #expect(Set(problems) == ["ok"], "\(about)")
            }
        }
        // With the checksums nearly every damage is found.
        #expect(refused > 0, "\(refused) refused, \(stored) stored")
    }
}
