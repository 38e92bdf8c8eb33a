import Foundation
public import StepDomain
internal import Support

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
