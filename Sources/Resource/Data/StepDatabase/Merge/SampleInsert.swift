import CSQLite
import GRDB
import StepDomain

/// Inserts samples of slots that a history does not have, between `begin` and `end` of one transaction.
///
/// Triggers for each of thousands of rows take longer than the rest: the sums of the days and the checksums are brought
/// up to date at the `end` instead. Nothing else may be written before it.
struct SampleInsert {
    /// How the triggers are left out.
    enum Bypass {
        /// They run: a history before version 9 has no checksums.
        case none
        /// A row of `sealing` makes them end at once. For the few hundred samples of a sync.
        case mark
        /// They are switched off, after which SQLite prepares each statement of the connection again: for the many
        /// samples of an import, and not once for each of its days.
        case off
    }

    private let database: Database
    private let pedometer: Pedometer.ID
    private let sync: SyncRecord.ID
    private let insert: RawInsert
    private let bypass: Bypass
    private var isOpen = false
    /// The hashes of inserted samples, by the day at Greenwich.
    private var sums: [Int64: UInt64] = [:]

    init(_ database: Database, pedometer: Pedometer.ID, sync: SyncRecord.ID, bypass: Bypass) throws {
        self.database = database
        self.pedometer = pedometer
        self.sync = sync
        self.bypass = bypass
        insert = try RawInsert(database, "INSERT INTO sample VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING")
        try insert.bind(1, pedometer)
        try insert.bind(8, sync)
    }

    /// Does nothing after another `begin`.
    mutating func begin() throws {
        if isOpen { return }
        isOpen = true
        switch bypass {
        case .none: break
        case .mark: try database.cachedStatement(sql: "INSERT INTO sealing VALUES (1)").execute()
        case .off: database.setTriggers(false)
        }
    }

    /// - Returns: whether the slot was new.
    mutating func run(_ sample: StepSample) throws -> Bool {
        try insert.bind(sample)
        guard try insert.run() else { return false }
        if bypass != .none {
            let hash = RowSeal(sample, pedometer: pedometer, sync: sync).hash
            sums[Int64(sample.start.seconds / 86_400), default: 0] &+= hash
        }
        return true
    }

    /// Does nothing without a `begin`.
    mutating func end() throws {
        if !isOpen { return }
        isOpen = false
        switch bypass {
        case .none: return
        case .mark: try database.cachedStatement(sql: "DELETE FROM sealing").execute()
        case .off: database.setTriggers(true)
        }
        try Seals(database).add(sums, of: pedometer)
        sums = [:]
    }
}

extension RawInsert {
    /// The parameters 2 to 7 of a row of `sample`.
    func bind(_ sample: StepSample) throws {
        try bind(2, Int64(sample.start.seconds))
        try bind(3, Int64(sample.length))
        try bind(4, Int64(sample.steps))
        try bind(5, sample.distance)
        try bind(6, sample.energy)
        try bind(7, Int64(sample.utcOffset))
    }
}

extension Database {
    /// Whether the triggers of the schema run for what is written by this connection. `StepDatabase` switches them on
    /// again where a transaction fails.
    func setTriggers(_ areEnabled: Bool) {
        guard let sqliteConnection else { return }
        csqlite_set_triggers(UnsafeMutableRawPointer(sqliteConnection), areEnabled ? 1 : 0)
    }
}
