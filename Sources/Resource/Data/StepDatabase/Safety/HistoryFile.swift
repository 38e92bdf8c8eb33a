import Foundation
public import StepDomain

/// The upkeep of a history's file: checks, backups, and raw frames that are too old.
public struct HistoryFileUpkeep: HistoryUpkeep {
    private let path: String
    private let backups: AutomaticBackups
    private let frames: FrameRetention
    private let now: @Sendable () -> Timestamp

    /// - Parameter path: of the history.
    public init(path: String, backups: AutomaticBackups, frames: FrameRetention, now: @escaping @Sendable () -> Timestamp) {
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
        do { try await backUpOrCheck(moment) } catch let error as HistoryError {
            // Nothing is deleted from a history that is damaged. But the limit of the frames matters most where there is no room for a backup.
            if case .damaged = error { throw error }
            failure = error
        }
        try await blocking { [path, frames] in _ = try StepDatabase(path: path, for: .writing).pruneFrames(frames, at: moment) }
        if let failure { throw failure }
    }

    private func backUpOrCheck(_ moment: Timestamp) async throws {
        if backups.isDue(for: path) {
            // A backup is read back and checked, and it is identical to the history page by page: this is the weekly check.
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
    ///   - path: of the history.
    ///   - backups: the source of names for backups.
    public init(path: String, backups: AutomaticBackups, now: @escaping @Sendable () -> Timestamp, localTime: LocalTime) {
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
            return StoredBackup(path: file, isAutomatic: name.isAutomatic, bytes: size ?? 0)
        }
    }

    /// - Throws: `HistoryError`.
    public func backUp(to place: String?) async throws -> HistoryContents {
        let place = place ?? backups.place(for: path, isAutomatic: false)
        return try await blocking { [path] in try StepDatabase.backUp(path, to: place) }
    }

    /// - Throws: `HistoryError`.
    public func contents(of backup: String) async throws -> HistoryContents {
        try await blocking { try StepDatabase.contents(of: backup) }
    }

    public func isHistory(_ other: String) -> Bool { StepDatabase.isSameFile(other, path) }

    /// - Throws: `HistoryError`.
    public func restore(_ backup: String) async throws -> ReplacedHistory {
        try await blocking { [path, now, localTime] in try StepDatabase.restore(backup, to: path, at: now(), localTime).replaced }
    }

    /// - Throws: `HistoryError.missing`.
    public func requireHistory() throws { if !isHistoryThere { throw HistoryError.missing(path: path) } }

    /// - Throws: `HistoryError`.
    public func repair() async throws -> SalvageReport? {
        try await blocking { [path, now, localTime] in try StepDatabase.repair(path, at: now(), localTime) }
    }

    /// - Throws: `HistoryError`.
    public func correctSums() async throws -> Int { try await blocking { [path] in try StepDatabase.correctSums(path) } }
}
