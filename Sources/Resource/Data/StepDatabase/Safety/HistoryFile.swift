import Foundation
public import StepDomain
internal import Support
import Synchronization

/// The maintenance of a history's file: checks, backups, and raw frames that are too old.
public struct HistoryFileMaintenance: HistoryMaintenance {
    private let path: String
    private let backups: AutomaticBackups
    private let frames: FrameRetention
    private let now: @Sendable () -> Timestamp

    /// - Parameter path: the path of the history.
    public init(
        path: String, backups: AutomaticBackups, frames: FrameRetention, now: @escaping @Sendable () -> Timestamp
    ) {
        self.path = path
        self.backups = backups
        self.frames = frames
        self.now = now
    }

    /// - Throws: `HistoryError.damaged`.
    public func checkBeforeSync() async throws {
        try await blocking { [path, now] in try StepDatabase.checkBeforeSync(path, at: now()) }
    }

    /// - Throws: `HistoryError.damaged` if the weekly check finds damage; else why a backup cannot be written.
    public func run() async throws {
        let moment = now()
        var failure: HistoryError?
        if let error = Self.failure(of: path, at: moment) {
            if case .damaged = error { throw error }
        } else {
            do { try await backUpOrCheck(moment) } catch let error as HistoryError {
                Self.note(error, of: path, at: moment)
                // Nothing is deleted from a history that is damaged. But the limit of the frames matters most where
                // there is no room for a backup.
                if case .damaged = error { throw error }
                failure = error
            }
        }
        try await blocking { [path, frames] in
            _ = try StepDatabase(path: path, for: .writing).pruneFrames(frames, at: moment)
        }
        if let failure { throw failure }
    }

    /// Why and when the last backup or check of a history failed, by path. A watch maintains the history after each
    /// sync: a copy that fails is not made again within a day.
    private static let failures = Mutex<[String: (error: HistoryError, at: Timestamp, file: FileIdentity?)]>([:])

    private static func note(_ error: HistoryError, of path: String, at moment: Timestamp) {
        switch error {
        // These conditions pass soon: it is tried again after the next sync.
        case .locked, .replaced: break
        default: failures.withLock { $0[path] = (error, moment, FileIdentity(path)) }
        }
    }

    /// The failure of the last day, unless the history was repaired or restored since.
    private static func failure(of path: String, at moment: Timestamp) -> HistoryError? {
        guard let failure = failures.withLock({ $0[path] }), failure.file == FileIdentity(path),
            // A failure in the future was noted while the clock was ahead.
            moment - 86_400 < failure.at, failure.at <= moment
        else { return nil }
        return failure.error
    }

    private func backUpOrCheck(_ moment: Timestamp) async throws {
        if backups.isDue(for: path) {
            // A backup is read back and checked, and it is identical to the history page by page: this is the weekly
            // check.
            _ = try await blocking { [path, backups] in
                try backups.make(of: path)
                return try StepDatabase.correctSums(path)
            }
        } else if backups.schedule.count == 0, isCheckDue(moment) {
            try await StepDatabase.checkAndRemember(path, at: moment)
            _ = try await blocking { [path] in try StepDatabase.correctSums(path) }
        }
    }

    private func isCheckDue(_ moment: Timestamp) -> Bool {
        guard let last = CheckRecord.read(ofDatabase: path)?.checkedAt, last <= moment else { return true }
        return moment - last >= BackupSchedule.interval * 86_400
    }
}

/// Backups, restore and repair of a history's file.
public struct HistoryFileBackups: HistoryBackups {
    public let path: String
    private let backups: AutomaticBackups
    private let now: @Sendable () -> Timestamp
    private let localTime: LocalTime

    /// - Parameters:
    ///   - path: the path of the history.
    ///   - backups: the source of names for backups.
    public init(path: String, backups: AutomaticBackups, now: @escaping @Sendable () -> Timestamp, localTime: LocalTime)
    {
        self.path = path
        self.backups = backups
        self.now = now
        self.localTime = localTime
    }

    public var directory: String { AutomaticBackups.directory(of: path) }
    public var isHistoryThere: Bool { FileManager.default.fileExists(atPath: path) }

    public func list() -> [StoredBackup] {
        AutomaticBackups.list(of: path).map { name in
            let file = directory + "/" + name.file
            let size = (try? FileManager.default.attributesOfItem(atPath: file))?[.size] as? Int
            return StoredBackup(path: file, origin: name.origin, bytes: size ?? 0)
        }
    }

    /// - Throws: `HistoryError`.
    public func backUp(to target: String?) async throws -> HistoryContents {
        let target = target ?? backups.backupPath(for: path, isAutomatic: false)
        return try await blocking { [path] in try StepDatabase.backUp(path, to: target) }
    }

    /// - Throws: `HistoryError`.
    public func backUpBeforeImport() async throws -> HistoryContents {
        try await blocking { [path, backups] in try backups.makeBeforeImport(of: path) }
    }

    /// - Throws: `HistoryError`.
    public func contents(of backup: String) async throws -> HistoryContents {
        try await blocking { try StepDatabase.contents(of: backup) }
    }

    public func losses(restoring backup: String) async -> HistoryLosses? {
        try? await blocking { [path] in try StepDatabase.losses(of: path, restoring: backup) }
    }

    public func isHistory(_ other: String) -> Bool { StepDatabase.isSameFile(other, path) }

    /// - Throws: `HistoryError`.
    public func restore(_ backup: String) async throws -> ReplacedHistory {
        try await blocking { [path, now, localTime] in try StepDatabase.restore(backup, to: path, at: now(), localTime)
        }
    }

    /// - Throws: `HistoryError.missing`.
    public func requireHistory() throws { if !isHistoryThere { throw HistoryError.missing(path: path) } }

    /// - Throws: `HistoryError`.
    public func repair() async throws -> SalvageReport? {
        try await blocking { [path, now, localTime] in try StepDatabase.repair(path, at: now(), localTime) }
    }

    /// - Throws: `HistoryError`.
    public func correctSums() async throws -> Int {
        try await blocking { [path] in try StepDatabase.correctSums(path) }
    }
}

/// Examines the file of a history for a checkup.
public struct HistoryFileProbe: HistoryProbe {
    public let path: String
    private let freeSpace: @Sendable (String) -> Int?

    /// - Parameters:
    ///   - path: the path of the history, which need not exist.
    ///   - freeSpace: bytes that a user may still write to the disk of a directory; nil if not known.
    public init(path: String, freeSpace: @escaping @Sendable (String) -> Int? = HistoryFileProbe.freeSpace) {
        self.path = path
        self.freeSpace = freeSpace
    }

    /// Damage is stored as that which a sync finds: no command writes to a history that is known to be damaged.
    ///
    /// - Throws: `HistoryError`.
    public func condition() async throws -> HistoryCondition {
        do {
            let health = try await StepDatabase.examine(path)
            if let first = health.allComplaints.first { try await note(first) }
            return .examined(
                damage: health.allComplaints.map { Problem(HistoryError.damaged(path: path, reason: $0)) },
                isOlder: health.isOlder)
        } catch let error as HistoryError {
            switch error {
            case .missing: return .missing
            case .empty: return .empty(Problem(error))
            case _ where error.category == .usage: return .notAFile(Problem(error))
            case .damaged(_, let reason):
                try await note(reason)
                throw error
            default: throw error
            }
        }
    }

    private func note(_ complaint: String) async throws {
        try await blocking { [path] in CheckRecord.note(complaint, of: path) }
    }

    /// - Throws: `HistoryError`.
    public func open() async throws -> History {
        try await blocking { [path] in try StepDatabase(path: path, for: .reading, isUsedByTasks: true) }
    }

    /// - Throws: `HistoryError`.
    public func wrongSums(inNewest days: Int) async throws -> [Day] {
        try await blocking { [path] in try StepDatabase(path: path, for: .reading).wrongSums(inNewest: days) }
    }

    public func storage() async throws -> StorageFacts? {
        try await blocking { [path, freeSpace] in
            guard Self.isFile(path), let file = StorageFacts.Entry(path: path) else { return nil }
            let folder = directoryName(path)
            guard let directory = StorageFacts.Entry(path: folder.isEmpty ? "." : folder) else { return nil }
            let companions = StepDatabase.companions(ofDatabase: path).compactMap { StorageFacts.Entry(path: $0) }
            return StorageFacts(
                file: file, directory: directory, companions: companions,
                logSize: companions.first { $0.path.hasSuffix(FileSuffix.log) }?.size ?? 0,
                free: freeSpace(directory.path), user: geteuid(),
                obstacle: HistoryError.unsupported(path).map { Problem($0) })
        }
    }

    public func holder(of work: HistoryWork) async throws -> HistoryHolder? {
        try await blocking { [path] in HistoryLock.holder(ofDatabase: path, for: work) }
    }

    public func withoutSync<R: Sendable>(_ body: () async throws -> R) async throws -> R {
        do {
            return try await HistoryLock.hold(ofDatabase: path, removesFile: true, body)
        } catch let error as HistoryLockError {
            if case .held(_, let holder) = error { throw HistoryInUse(holder: holder) }
            // If the lock cannot be taken at all, no process can sync.
            return try await body()
        }
    }

    /// A directory or a device is not a history, whatever the configuration says.
    private static func isFile(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Bytes that a user may still write to the disk of a path; nil if it is not known.
    public static let freeSpace: @Sendable (String) -> Int? = { path in
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        let (bytes, isTooMuch) = Int(clamping: status.f_bavail).multipliedReportingOverflow(
            by: Int(clamping: status.f_frsize))
        return isTooMuch ? .max : bytes
    }
}

extension StorageFacts.Entry {
    /// Nil if nothing of that name exists.
    public init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(
            path: path, mode: status.st_mode & 0o7777, owner: status.st_uid, isWritable: access(path, W_OK) == 0,
            size: Int(status.st_size))
    }
}
