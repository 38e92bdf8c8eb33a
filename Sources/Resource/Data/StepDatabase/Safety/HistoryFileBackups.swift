import Foundation
public import StepDomain
internal import Support

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

    /// - Throws: `HistoryError`.
    public var directory: String { get throws { try AutomaticBackups.directory(of: path) } }
    public var isHistoryThere: Bool { FileManager.default.fileExists(atPath: path) }

    /// - Throws: `HistoryError`.
    public func list() throws -> [StoredBackup] {
        let directory = try directory
        return try AutomaticBackups.list(of: path).map { name in
            let file = directory + "/" + name.file
            let size = (try? FileManager.default.attributesOfItem(atPath: file))?[.size] as? Int
            return StoredBackup(path: file, origin: name.origin, bytes: size ?? 0)
        }
    }

    /// - Throws: `HistoryError`.
    public func backUp(to target: String?) async throws -> HistoryContents {
        let target = try target ?? backups.backupPath(for: path, .user)
        return try await blocking { [path] in try StepDatabase.backUp(path, to: target) }
    }

    /// - Throws: `HistoryError`.
    public func backUpBeforeChange() async throws -> HistoryContents {
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
