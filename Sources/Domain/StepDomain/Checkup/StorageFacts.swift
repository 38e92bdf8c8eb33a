/// What the file system says of the history's file.
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
    /// What lies beside it and belongs to it: locks, and the log's files. Those that are there.
    public var companions: [Entry]
    /// Bytes of the write-ahead log beside it; 0 where there is none.
    public var logSize: Int
    /// Bytes that a user may still fill; nil where it cannot be told.
    public var free: Int?
    /// Who looks.
    public var user: UInt32

    public init(file: Entry, directory: Entry, companions: [Entry] = [], logSize: Int = 0, free: Int?, user: UInt32) {
        self.file = file
        self.directory = directory
        self.companions = companions
        self.logSize = logSize
        self.free = free
        self.user = user
    }

    /// Bytes below which a sync may not find the room it needs.
    public static let tooLittle = 10_000_000
    /// Bytes below which it is worth a word.
    public static let little = 100_000_000
    /// Bytes. SQLite folds the log into the file at 4 MB, unless somebody goes on reading.
    static let largeLog = 64_000_000
}

extension StorageFacts {
    /// Who can read and change it.
    public var privacy: [Remark] {
        let subject = "permissions"
        var remarks: [Remark] = []
        if file.owner != user, user != 0 {
            remarks.append(Remark(
                file.isWritable ? .warning : .fault(.permission), subject, "\(file.path) belongs to another user (\(file.owner))",
                cure: "sudo chown \"$(id -u)\" \(quoted(file.path))"))
        } else if !file.isWritable || !directory.isWritable {
            remarks.append(Remark(
                .fault(.permission), subject, "\(file.isWritable ? directory.path : file.path) may not be written",
                cure: "chmod u+w \(quoted(file.isWritable ? directory.path : file.path)); or the disk is mounted read-only: mount tells"))
        }
        remarks += companions.compactMap { companion($0, subject) }
        if file.mode & 0o077 != 0 {
            remarks.append(Remark(
                .warning, subject, "others on this machine can get at \(file.path) (mode \(octal(file.mode)))",
                cure: "chmod 600 \(quoted(file.path))"))
        }
        // A directory that anybody may write to, as /tmp, lets nobody replace another's file if it is sticky.
        if directory.mode & 0o022 != 0, directory.mode & 0o1000 == 0 {
            remarks.append(Remark(
                .warning, subject, "others on this machine can replace files in \(directory.path) (mode \(octal(directory.mode)))",
                cure: "chmod 700 \(quoted(directory.path))"))
        }
        return remarks.isEmpty ? [Remark(.fine, subject, "for you alone")] : remarks
    }

    /// A lock or a log that the history's owner may not write to ends every sync.
    private func companion(_ entry: Entry, _ subject: String) -> Remark? {
        // Root may look at anybody's, and is not who is kept out.
        let owner = user == 0 ? file.owner : user
        if entry.owner != owner {
            let isHarmless = user == 0 ? owner == 0 : entry.isWritable
            return Remark(
                isHarmless ? .warning : .fault(.permission), subject,
                "\(entry.path) belongs to another user (\(entry.owner))\(isHarmless ? "" : ", which keeps the history's owner out")",
                cure: "sudo chown --reference=\(quoted(file.path)) \(quoted(entry.path))")
        }
        guard !entry.isWritable else { return nil }
        return Remark(
            .fault(.permission), subject, "\(entry.path) may not be written",
            cure: "chmod u+rw \(quoted(entry.path)); or the disk is mounted read-only: mount tells")
    }

    /// Whether there is room for more.
    public var room: [Remark] {
        var remarks: [Remark] = []
        if logSize > Self.largeLog {
            remarks.append(Remark(
                .note, "log", "the write-ahead log has grown to \(megabytes(logSize)): a program goes on reading the history",
                cure: "fuser \(quoted(file.path)) tells which"))
        }
        let subject = "disk"
        guard let free else { return remarks + [Remark(.note, subject, "how much room is left cannot be told")] }
        let left = "\(megabytes(free)) left for \(directory.path)"
        switch free {
        case ..<Self.tooLittle:
            remarks.append(Remark(
                .fault(.temporary), subject, left, cure: "Free some space. Nothing is lost: a sync goes on where it stopped."))
        case ..<Self.little: remarks.append(Remark(.warning, subject, left, cure: "Free some space before it is needed."))
        default: remarks.append(Remark(.fine, subject, left))
        }
        return remarks
    }

    /// As a shell takes it.
    private func quoted(_ path: String) -> String {
        "'" + path.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    private func octal(_ mode: UInt32) -> String {
        let digits = String(mode & 0o7777, radix: 8)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    private func megabytes(_ bytes: Int) -> String {
        bytes >= 1_000_000_000 ? "\(bytes / 1_000_000_000) GB" : bytes >= 1_000_000 ? "\(bytes / 1_000_000) MB" : "\(max(0, bytes) / 1000) kB"
    }
}
