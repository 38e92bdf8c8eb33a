/// A file or folder that the nightly sync imports when it has changed: `[import.NAME]` of the configuration.
public struct ScheduledImport: Hashable, Sendable {
    public var name: String
    /// An absolute path. Of a folder, the newest file that can be imported.
    public var path: String
    /// The key of a format; nil to recognise it.
    public var format: String?
    /// The name of the user whose steps they are; nil for the only one of the history.
    public var user: String?
    /// The name of the user in the file, if it has several; nil for the one with the name of `user`.
    public var fromUser: String?
    /// The time zone of the steps; nil for that of this machine, where the file does not say it.
    public var zone: String?
    /// As in `ForeignOptions`.
    public var columns: [String: String]

    public init(
        name: String, path: String, format: String? = nil, user: String? = nil, fromUser: String? = nil,
        zone: String? = nil, columns: [String: String] = [:]
    ) {
        (self.name, self.path, self.format) = (name, path, format)
        (self.user, self.fromUser, self.zone, self.columns) = (user, fromUser, zone, columns)
    }

    /// What decides how a file is read, besides the file: with other settings, it is read again.
    package var settings: String {
        var text = Fingerprint()
        text.add("format", format)
        text.add("user", user)
        text.add("from-user", fromUser)
        text.add("zone", zone)
        for (role, column) in columns.sorted(by: { $0.key < $1.key }) { text.add("columns.\(role)", column) }
        return "\(text)"
    }

    /// Seconds without anything new after which it is overdue: a phone that is out of the house for a weekend is not.
    public static let overdueAfter = 3 * 86_400
}

/// A file as it was when it was read: another one has changed.
public struct ForeignFileMark: Hashable, Sendable {
    /// The absolute path.
    public var path: String
    /// Bytes.
    public var size: Int
    /// Nanoseconds since 1970, of its last change.
    public var modified: Int

    public init(path: String, size: Int, modified: Int) {
        (self.path, self.size, self.modified) = (path, size, modified)
    }
}

/// The file of a folder that is imported.
public struct NewestForeignFile: Hashable, Sendable {
    public var file: ForeignFileMark
    /// The paths of newer files that cannot be read, the newest first: they can be of another program.
    public var damaged: [String]

    public init(file: ForeignFileMark, damaged: [String] = []) { (self.file, self.damaged) = (file, damaged) }
}

/// What the history knows of a scheduled import.
public struct ScheduledImportState: Hashable, Sendable {
    public var name: String
    /// The file that was read last; nil if none was.
    public var file: ForeignFileMark?
    /// When a file that had changed was read last; nil if none was.
    public var readAt: Timestamp?
    /// When it was looked for last.
    public var triedAt: Timestamp
    /// The settings with which `file` was read (`ScheduledImport.settings`); nil if an earlier version read it.
    public var settings: String?
    /// Why the last try failed; nil if it did not.
    public var failure: String?
    /// The paths of newer files of the folder that could not be read when it was looked for last, the newest first.
    public var damaged: [String]

    public init(
        name: String, file: ForeignFileMark? = nil, readAt: Timestamp? = nil, triedAt: Timestamp,
        settings: String? = nil, failure: String? = nil, damaged: [String] = []
    ) {
        (self.name, self.file, self.readAt, self.triedAt) = (name, file, readAt, triedAt)
        (self.settings, self.failure, self.damaged) = (settings, failure, damaged)
    }
}

/// A scheduled import as people see it.
public struct ScheduledImportStatus: Hashable, Sendable {
    public enum Condition: Hashable, Sendable {
        /// The nightly sync has not looked for it yet.
        case never
        case failed(String)
        /// Nothing new for longer than `ScheduledImport.overdueAfter`.
        case overdue
        case fine
    }

    public var plan: ScheduledImport
    public var state: ScheduledImportState?
    public var condition: Condition

    public init(_ plan: ScheduledImport, _ state: ScheduledImportState?, now: Timestamp) {
        (self.plan, self.state) = (plan, state)
        condition =
            if let failure = state?.failure {
                .failed(failure)
            } else if let read = state?.readAt {
                now - read > ScheduledImport.overdueAfter ? .overdue : .fine
            } else {
                .never
            }
    }

    /// The paths of newer files of the folder that could not be read, the newest first.
    public var damaged: [String] { state?.damaged ?? [] }

    /// A file that was passed over can be of another program.
    public var severity: Severity {
        switch condition {
        case .fine: damaged.isEmpty ? .fine : .note
        case .never: .note
        case .failed, .overdue: .warning
        }
    }

    /// Of each import of the configuration.
    public static func all(_ plans: [ScheduledImport], _ states: [ScheduledImportState], now: Timestamp) -> [Self] {
        plans.map { plan in Self(plan, states.first { $0.name == plan.name }, now: now) }
    }
}

/// How a scheduled import went.
public struct ScheduledImportReport: Sendable {
    public enum Outcome: Sendable {
        /// The file is the one that was read before.
        case unchanged
        case imported(ImportChanges)
        case failed(ScheduledImportFailure)
    }

    public var name: String
    public var outcome: Outcome
    /// The paths of newer files of the folder that cannot be read.
    public var damaged: [String]

    public init(name: String, outcome: Outcome, damaged: [String] = []) {
        (self.name, self.outcome, self.damaged) = (name, outcome, damaged)
    }

    public var failure: ScheduledImportFailure? { if case .failed(let failure) = outcome { failure } else { nil } }

    /// Whether days have other steps than before.
    public var hasChanges: Bool { if case .imported(let changes) = outcome { !changes.days.isEmpty } else { false } }
}

/// Why a scheduled import failed: nothing of it was stored.
public struct ScheduledImportFailure: CategorizedError {
    public var name: String
    /// The file that was read: of a folder, the newest one. Nil if none was found.
    public var file: String?
    public var underlying: any Error

    public init(name: String, file: String? = nil, _ underlying: any Error) {
        (self.name, self.file, self.underlying) = (name, file, underlying)
    }

    public var category: FailureCategory { FailureCategory(underlying) }
    /// The words of the reason, with the import and, if they do not name it, the file.
    package func text(_ reason: String) -> String {
        let prefix = file.map { reason.contains($0) ? "" : "\($0): " } ?? ""
        return "[import.\(name)]: \(prefix)\(reason)"
    }
    public var cause: FailureCause { FailureCause(underlying) }
}
