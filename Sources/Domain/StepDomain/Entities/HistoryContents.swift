/// A summary of a history or a backup, to decide which one to use.
public struct HistoryContents: Hashable, Sendable {
    public var path: String
    /// Version of the schema.
    public var version: Int
    /// Size of the file in bytes.
    public var size: Int
    public var people: [String]
    /// Names of pedometers, including those out of use.
    public var pedometers: [String]
    public var samples: Int
    public var syncs: Int
    /// Days whose steps were entered by hand.
    public var corrections: Int
    /// The days of the first and of the last sample; nil if there are none.
    public var firstDay: Day?
    public var lastDay: Day?
    /// When the last complete sync ended.
    public var lastSync: Timestamp?

    public init(
        path: String, version: Int, size: Int, people: [String] = [], pedometers: [String] = [], samples: Int = 0,
        syncs: Int = 0,
        corrections: Int = 0, firstDay: Day? = nil, lastDay: Day? = nil, lastSync: Timestamp? = nil
    ) {
        self.path = path
        self.version = version
        self.size = size
        self.people = people
        self.pedometers = pedometers
        self.samples = samples
        self.syncs = syncs
        self.corrections = corrections
        self.firstDay = firstDay
        self.lastDay = lastDay
        self.lastSync = lastSync
    }

    /// Whether a copy has the same version, counts, days and names.
    package func hasAsMuch(as other: HistoryContents) -> Bool {
        (version, samples, syncs, corrections) == (other.version, other.samples, other.syncs, other.corrections)
            && (firstDay, lastDay) == (other.firstDay, other.lastDay)
            && (people, pedometers) == (other.people, other.pedometers)
    }
}

/// A backup in the directory of backups.
public struct StoredBackup: Hashable, Sendable {
    public var path: String
    /// Why it was made. One that the user did not ask for is deleted when there are newer ones.
    public var origin: BackupName.Origin
    /// Size of the file.
    public var bytes: Int

    public init(path: String, origin: BackupName.Origin, bytes: Int) {
        self.path = path
        self.origin = origin
        self.bytes = bytes
    }
}

/// What a history has and a backup does not have: what would be missing if the backup replaced the history.
public struct HistoryLosses: Hashable, Sendable {
    /// Names of users.
    public var people: [String]
    /// Names of pedometers, including those out of use.
    public var pedometers: [String]
    /// Days of which the backup has fewer samples or fewer steps of a pedometer; in order, each once.
    public var days: [Day]
    /// Days of corrections that the backup does not have, or has with other steps; in order, once for each user.
    public var corrections: [Day]
    /// How many plans and profiles the backup does not have, or has with other values.
    public var plans: Int
    public var profiles: Int

    public init(
        people: [String] = [], pedometers: [String] = [], days: [Day] = [], corrections: [Day] = [], plans: Int = 0,
        profiles: Int = 0
    ) {
        self.people = people
        self.pedometers = pedometers
        self.days = days
        self.corrections = corrections
        self.plans = plans
        self.profiles = profiles
    }
}

/// The result of replacing a history by a backup.
public struct ReplacedHistory: Hashable, Sendable {
    /// Where the replaced history is kept; nil if there was none.
    public var path: String?
    /// Whether its ledger could not be taken over completely: days that were shared since the backup may be sent again.
    public var isSharingUncertain: Bool

    public init(path: String? = nil, isSharingUncertain: Bool = false) {
        self.path = path
        self.isSharingUncertain = isSharingUncertain
    }
}

/// The result of repairing a damaged history: what was saved, and what is lost.
public struct SalvageReport: Hashable, Sendable {
    public struct Table: Hashable, Sendable {
        public var name: String
        /// Rows in the repaired history.
        public var rows: Int
        /// Rows that were recreated from known values, because only an entry in an index was left or because other rows
        /// refer to them.
        public var rebuilt: Int
        /// Rows that were read and cannot be correct.
        public var rejected: Int
        /// Places in the table where a page or a row cannot be read.
        public var gaps: Int

        public init(name: String, rows: Int = 0, rebuilt: Int = 0, rejected: Int = 0, gaps: Int = 0) {
            self.name = name
            self.rows = rows
            self.rebuilt = rebuilt
            self.rejected = rejected
            self.gaps = gaps
        }

        public var isWhole: Bool { rebuilt == 0 && rejected == 0 && gaps == 0 }
    }

    /// Days of a pedometer whose steps may be missing: they are shown as partial from now on.
    public struct LostDays: Hashable, Sendable {
        public var pedometer: String
        public var first: Day
        public var last: Day

        public init(pedometer: String, first: Day, last: Day) {
            self.pedometer = pedometer
            self.first = first
            self.last = last
        }
    }

    /// Values that could not be decoded, or that istep never writes, in rows that were saved without them.
    public struct Reset: Hashable, Sendable {
        public var table: String
        public var column: String
        /// The name of the pedometer, for a value of the pedometer itself.
        public var pedometer: String?
        public var rows: Int

        public init(table: String, column: String, pedometer: String? = nil, rows: Int = 1) {
            self.table = table
            self.column = column
            self.pedometer = pedometer
            self.rows = rows
        }
    }

    /// A number in the file's header that was wrong, by SQLite's name.
    public enum HeaderNumber: String, CaseIterable, Hashable, Sendable {
        case version = "user_version"
        case applicationID = "application_id"
    }

    /// In the order of the schema.
    public var tables: [Table]
    public var days: [LostDays]
    public var resets: [Reset]
    public var headerNumbers: [HeaderNumber]
    /// Names of tables that are not istep's: only the damaged file has them.
    public var otherTables: [String]
    /// The record of shared days is incomplete: a day may be sent again, or not at all.
    public var isSharingUncertain: Bool
    /// The contents of the repaired history.
    public var contents: HistoryContents
    /// The new path of the damaged file.
    public var damaged: String

    public init(
        tables: [Table], days: [LostDays], resets: [Reset] = [], headerNumbers: [HeaderNumber] = [],
        otherTables: [String] = [], isSharingUncertain: Bool, contents: HistoryContents, damaged: String
    ) {
        self.tables = tables
        self.days = days
        self.resets = resets
        self.headerNumbers = headerNumbers
        self.otherTables = otherTables
        self.isSharingUncertain = isSharingUncertain
        self.contents = contents
        self.damaged = damaged
    }
}
