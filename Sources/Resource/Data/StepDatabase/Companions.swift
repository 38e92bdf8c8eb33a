extension StepDatabase {
    /// Files that lie beside a history while it is in use, and some for longer: the locks, the log and its index. Where they are, or
    /// would be.
    public static func companions(ofDatabase path: String) -> [String] {
        SyncLock.Work.allCases.map { SyncLock.path(ofDatabase: path, for: $0) } + logs(ofDatabase: path)
    }

    /// SQLite's own (https://www.sqlite.org/tempfiles.html), which go by the database's real name, too.
    static func logs(ofDatabase path: String) -> [String] { ["-wal", "-shm", "-journal"].map { SyncLock.realPath(path) + $0 } }
}
