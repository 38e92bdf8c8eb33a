/// What the file system reports about the history's file.
public struct StorageFacts: Hashable, Sendable {
    /// A file or directory.
    public struct Entry: Hashable, Sendable {
        public var path: String
        /// Permissions without the type: 0o600.
        public var mode: UInt32
        /// User id.
        public var owner: UInt32
        /// Whether this process may write to it.
        public var isWritable: Bool
        /// Bytes.
        public var size: Int

        public init(path: String, mode: UInt32, owner: UInt32, isWritable: Bool = true, size: Int = 0) {
            self.path = path
            self.mode = mode
            self.owner = owner
            self.isWritable = isWritable
            self.size = size
        }
    }

    public var file: Entry
    public var directory: Entry
    /// Existing files beside it that belong to it: locks, and the log's files.
    public var companions: [Entry]
    /// Bytes of the write-ahead log beside it; 0 if there is none.
    public var logSize: Int
    /// Bytes that a user may still fill; nil if not known.
    public var free: Int?
    /// User id of this process.
    public var user: UInt32
    /// Why the file system cannot hold a history, as an error; nil if it can.
    public var obstacle: Problem?

    public init(
        file: Entry, directory: Entry, companions: [Entry] = [], logSize: Int = 0, free: Int?, user: UInt32,
        obstacle: Problem? = nil
    ) {
        self.file = file
        self.directory = directory
        self.companions = companions
        self.logSize = logSize
        self.free = free
        self.user = user
        self.obstacle = obstacle
    }

    /// Bytes below which a sync may run out of space.
    static let tooLittle = 10_000_000
    /// Bytes below which a warning is given.
    static let little = 100_000_000
    /// Bytes above which the log is large. SQLite writes the log back into the file at 4 MB, unless a program keeps
    /// reading.
    static let largeLog = 64_000_000
}

extension StorageFacts {
    /// Who can read and change it.
    public var permissions: [Diagnosis] {
        var diagnoses: [StorageDiagnosis] = []
        if file.owner != user, user != 0 {
            diagnoses.append(
                .fileOfAnother(path: file.path, owner: file.owner, user: user, isWritable: file.isWritable))
        } else if !file.isWritable || !directory.isWritable {
            diagnoses.append(
                .notWritable(path: file.isWritable ? directory.path : file.path, directory: directory.path))
        }
        diagnoses += companions.compactMap(companion)
        if file.mode & 0o077 != 0 { diagnoses.append(.fileOpen(path: file.path, mode: file.mode)) }
        // In a directory that others may write to, such as /tmp, the sticky bit keeps users from replacing files of
        // others.
        if directory.mode & 0o022 != 0, directory.mode & 0o1000 == 0 {
            diagnoses.append(.directoryOpen(path: directory.path, mode: directory.mode))
        }
        return (diagnoses.isEmpty ? [.permitted] : diagnoses).map { .storage($0) }
    }

    /// A lock file or log that the history's owner may not write to makes every sync fail.
    private func companion(_ entry: Entry) -> StorageDiagnosis? {
        // Root may examine the history of any user; then the history's owner must be able to write to the file.
        let owner = user == 0 ? file.owner : user
        if entry.owner != owner {
            let isHarmless = user == 0 ? owner == 0 : entry.isWritable
            return .companionOfAnother(path: entry.path, owner: entry.owner, history: file.path, isHarmless: isHarmless)
        }
        return entry.isWritable ? nil : .companionNotWritable(path: entry.path, directory: directory.path)
    }

    /// Whether the file system can hold a history, and has enough free space.
    public var space: [Diagnosis] {
        let log: [StorageDiagnosis] = logSize > Self.largeLog ? [.logLarge(bytes: logSize, history: file.path)] : []
        return (obstacle.map { [.failed(.disk, $0)] } ?? []) + (log + [freeSpace]).map { .storage($0) }
    }

    private var freeSpace: StorageDiagnosis {
        guard let free else { return .freeUnknown }
        let space: StorageDiagnosis.Space = free < Self.tooLittle ? .tooLittle : free < Self.little ? .little : .enough
        return .free(bytes: free, directory: directory.path, space)
    }
}

/// The state of the history's file in the file system.
public enum StorageDiagnosis: Hashable, Sendable {
    /// Only the owner can read and change it.
    case permitted
    /// It belongs to another user. `user` is this process's.
    case fileOfAnother(path: String, owner: UInt32, user: UInt32, isWritable: Bool)
    case notWritable(path: String, directory: String)
    /// A lock or a log belongs to another user; this is harmless if the history's owner can still write to it.
    case companionOfAnother(path: String, owner: UInt32, history: String, isHarmless: Bool)
    case companionNotWritable(path: String, directory: String)
    /// Other users have access to the file.
    case fileOpen(path: String, mode: UInt32)
    /// Other users can replace files in the directory.
    case directoryOpen(path: String, mode: UInt32)
    /// The write-ahead log has grown, as it does while a program keeps reading.
    case logLarge(bytes: Int, history: String)
    case freeUnknown
    case free(bytes: Int, directory: String, Space)

    /// How much free space there is.
    public enum Space: Hashable, Sendable {
        case enough, little
        /// A sync may fail.
        case tooLittle
    }

    public var severity: Severity {
        switch self {
        case .permitted, .free(_, _, .enough): .fine
        case .logLarge, .freeUnknown: .note
        case .fileOfAnother(_, _, _, isWritable: true), .companionOfAnother(_, _, _, isHarmless: true), .fileOpen,
            .directoryOpen:
            .warning
        case .free(_, _, .little): .warning
        case .fileOfAnother, .companionOfAnother, .notWritable, .companionNotWritable: .fault(.permission)
        case .free(_, _, .tooLittle): .fault(.temporary)
        }
    }

    public var subject: CheckSubject {
        switch self {
        case .permitted, .fileOfAnother, .notWritable, .companionOfAnother, .companionNotWritable, .fileOpen,
            .directoryOpen:
            .permissions
        case .logLarge: .log
        case .freeUnknown, .free: .disk
        }
    }
}
