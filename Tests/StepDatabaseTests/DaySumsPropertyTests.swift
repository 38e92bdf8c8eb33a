import Foundation
import GRDB
import StepDomain
import TestSupport
import Testing

@testable import StepDatabase

/// Stored sums of days after any changes to their history.
@Suite(.timeLimit(.minutes(10)), .cpuBound) struct DaySumsPropertyTests {
    private static let days = day.advanced(by: -5)...day.advanced(by: 5)

    /// No stored sum outlives the samples from which it was calculated, whichever program changes the history.
    @Test(arguments: 0..<UInt64(Endurance.rounds(4, year: 16)))
    func `sums agree with the samples after every change`(seed: UInt64) throws {
        try withDirectory { directory in
            var changes = try RandomChanges(directory, seed: seed)
            for round in 0..<80 {
                let change = try changes.makeOne()
                for user in changes.users {
                    let sums = try changes.database.daySeriesInput(of: user, in: Self.days).sums
                    let expected = try changes.database.dayData(of: user, on: Array(Self.days)).map {
                        DaySums($0.tracks, of: $0.day)
                    }
                    try #require(sums == expected, "seed \(seed), round \(round), \(user.name): \(change)")
                }
            }
            #expect(changes.kinds.count == RandomChanges.Kind.allCases.count)
        }
    }
}

/// Changes to a history as syncs, users, commands and other programs make them, at random.
private struct RandomChanges {
    enum Kind: CaseIterable {
        case merge, cover, correct, forget, add, backUpAndRestore, sample, replaceSample, moveSample, deleteSample,
            span, replaceSpan, moveSpan
        case deleteSpan, growSpan, movePedometer, replacePedometer, deletePedometer
    }

    private(set) var database: StepDatabase
    let users: [User]
    private(set) var kinds: Set<Kind> = []
    private let path: String
    private var random: SeededGenerator
    private var pedometers: [Pedometer] = []
    private var syncs: [SyncRecord.ID] = []

    init(_ directory: String, seed: UInt64) throws {
        path = directory + "/history.sqlite"
        random = SeededGenerator(seed: seed)
        let database = try StepDatabase(path: path)
        self.database = database
        users = try ["Ada", "Grace"].map { try database.addUser(named: $0) }
        for index in 0..<3 { try add(owner: users[index / 2], index) }
    }

    private static func address(_ index: Int) -> String { "30:34:42:00:00:0\(index)" }

    private mutating func add(owner: User, _ index: Int) throws {
        let added = try database.addPedometer(.ring(of: owner, address: Self.address(index), name: "ring \(index)"))
        pedometers.append(added)
        syncs.append(try database.beginSync(of: added.id, at: noon))
    }

    private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    private mutating func moment() -> Int { midnight.seconds + number(-400...400) * 900 }

    private mutating func offset() -> Int { [0, 3600, 7200, -18_000, 50_400, -50_400][number(0...5)] }

    /// - Returns: what was done, for the message of a failed test.
    mutating func makeOne() throws -> String {
        do { return try change() } catch let error as HistoryError {
            // What another program has done can make a sync or a new pedometer impossible.
            if case .failed = error { throw error }
            return "\(error)"
        }
    }

    private mutating func change() throws -> String {
        // Each kind comes first once, then at random; those of other programs are as frequent as those of istep.
        let kind =
            kinds.count < Kind.allCases.count
            ? Kind.allCases[kinds.count] : Kind.allCases[number(0...(Kind.allCases.count - 1))]
        kinds.insert(kind)
        let pedometer = Int64(number(1...pedometers.count))
        let (start, other, offset, steps) = (moment(), moment(), offset(), number(0...2000))
        let sql: String
        switch kind {
        case .merge:
            let localTime = LocalTime.fixed(offset)
            let samples = (0..<number(1...20)).map { _ in
                StepSample(
                    start: Timestamp(moment()), length: [60, 900, 3600, 40_000][number(0...3)], steps: number(0...290),
                    distance: number(0...3) == 0 ? nil : Double(steps), utcOffset: offset)
            }
            let batch = SampleBatch(
                samples: samples.sorted { $0.start < $1.start },
                coverage: [TimeSpan(Timestamp(start), Timestamp(other))])
            _ = try database.merge(batch, sync: syncs[number(0...(syncs.count - 1))], localTime: localTime)
            return "\(kind)"
        case .cover:
            let span = TimeSpan(Timestamp(midnight.seconds - 5 * 86_400), Timestamp(other))
            _ = try database.merge(
                SampleBatch(coverage: [span]), sync: syncs[number(0...(syncs.count - 1))], localTime: .fixed(offset))
            return "\(kind)"
        case .correct:
            try database.setCorrection(
                number(0...1) == 0 ? nil : StepCorrection(steps: steps), of: users[number(0...1)].id,
                on: day.advanced(by: number(-5...5)),
                at: noon)
            return "\(kind)"
        case .forget:
            if let first = try database.pedometers().first { try database.forgetPedometer(first.id) }
            return "\(kind)"
        case .add:
            // One that was forgotten, of the same user or of another.
            let used = Set(try database.pedometers().map(\.address))
            if let free = (0..<3).first(where: { !used.contains(Self.address($0)) }) {
                try add(owner: users[number(0...1)], free)
            }
            return "\(kind)"
        case .backUpAndRestore:
            let copy = path + ".copy"
            try? FileManager.default.removeItem(atPath: copy)
            let file = try DatabaseQueue(path: copy)
            try database.queue.backup(to: file)
            try file.close()
            sql = "INSERT OR IGNORE INTO sample VALUES (1, \(start), 900, 50, NULL, NULL, 0, 1)"
            try execute(sql)
            try database.close()
            for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
            try FileManager.default.moveItem(atPath: copy, toPath: path)
            database = try StepDatabase(path: path)
            return "\(kind)"
        case .sample:
            sql = "INSERT OR IGNORE INTO sample VALUES (\(pedometer), \(start), 900, \(steps), NULL, 4.5, \(offset), 1)"
        case .replaceSample:
            sql = """
                INSERT OR REPLACE INTO sample SELECT pedometer, start, 900, \(steps), 2.5, NULL, \(offset), 1 FROM sample
                WHERE pedometer = \(pedometer) AND start >= \(start) LIMIT 3
                """
        case .moveSample:
            // Onto another one, if there is one.
            sql = """
                UPDATE OR REPLACE sample SET start = ifnull((SELECT start FROM sample WHERE pedometer = \(pedometer) AND start >= \(other)), \(other)),
                    utc_offset = \(offset)
                WHERE (pedometer, start) = (SELECT pedometer, start FROM sample WHERE start >= \(start) ORDER BY start LIMIT 1)
                """
        case .deleteSample: sql = "DELETE FROM sample WHERE start BETWEEN \(start) AND \(start + 7200)"
        case .span:
            sql =
                "INSERT OR IGNORE INTO coverage VALUES (\(pedometer), \(min(start, other)), \(max(start, other) + 1), \(offset))"
        case .replaceSpan:
            sql = """
                INSERT OR REPLACE INTO coverage SELECT pedometer, start, start + 5000, \(offset) FROM coverage
                WHERE pedometer = \(pedometer) LIMIT 2
                """
        case .moveSpan:
            sql = """
                UPDATE OR REPLACE coverage SET (start, until) = (SELECT start, until + 3600 FROM coverage AS c ORDER BY start DESC LIMIT 1)
                WHERE (pedometer, start) = (SELECT pedometer, start FROM coverage ORDER BY start LIMIT 1)
                """
        case .deleteSpan: sql = "DELETE FROM coverage WHERE start >= \(start)"
        case .growSpan:
            // One that ends in these days gets another end, as by a sync.
            sql = """
                UPDATE OR IGNORE coverage SET until = until + \(number(-5...9) * 10_000)
                WHERE (pedometer, start) = (SELECT pedometer, start FROM coverage WHERE until < \(other) ORDER BY until DESC LIMIT 1)
                """
        case .movePedometer: sql = "UPDATE OR IGNORE pedometer SET person = 3 - person WHERE id = \(pedometer)"
        case .replacePedometer:
            // The same address and person: the row before goes, and with it the owner of its samples.
            sql = """
                UPDATE OR REPLACE pedometer SET (person, address) = (SELECT person, address FROM pedometer WHERE id = \(pedometer))
                WHERE id = \(pedometer % Int64(pedometers.count) + 1) AND EXISTS (SELECT 1 FROM pedometer WHERE id = \(pedometer))
                """
        case .deletePedometer:
            sql = """
                DELETE FROM pedometer WHERE id = \(pedometer);
                INSERT OR REPLACE INTO pedometer SELECT \(pedometer), \(number(1...2)), 'colmi', '30:34:42:00:00:7\(number(0...1))', 'public',
                    'again', 'again', '{}', '{}', '{}', 1, NULL
                """
        }
        try execute(sql)
        return sql
    }

    /// As the shell of SQLite would, which does not enforce foreign keys.
    private func execute(_ sql: String) throws {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        let shell = try DatabaseQueue(path: path, configuration: configuration)
        try shell.writeWithoutTransaction { try $0.execute(sql: sql) }
        try shell.close()
    }
}
