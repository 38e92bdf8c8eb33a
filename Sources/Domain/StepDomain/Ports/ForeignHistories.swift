/// Reads files of other programs: what a resource must do for an import.
public protocol ForeignHistoryReader: Sendable {
    var formats: [ForeignFormat] { get }

    /// Reads a file or folder, whose format is recognised by its content. Changes nothing, and needs bounded memory
    /// whatever the size.
    ///
    /// - Parameter progress: called by the thread that reads, many times a second.
    /// - Throws: `ImportError`.
    func read(
        _ path: String, _ options: ForeignOptions, progress: @escaping (ReadingProgress) -> Void
    ) throws -> ForeignHistory

    /// The file itself, or of a folder the newest file that has a format which can be imported.
    ///
    /// - Parameter unreadable: the paths of files that count as damaged, because reading them has shown it.
    /// - Throws: `ImportError`; of a folder with damaged files only if it has no other.
    func newest(in path: String, _ options: ForeignOptions, unreadable: Set<String>) throws -> NewestForeignFile

    /// An export of istep whose rows can be stored as they are; nil for any other file, also for a table without those
    /// that its rows refer to.
    ///
    /// - Throws: `ImportError`.
    func export(_ path: String) throws -> (any ExportedHistory)?
}

extension ForeignHistoryReader {
    /// The same without progress.
    public func read(_ path: String, _ options: ForeignOptions) throws -> ForeignHistory {
        try read(path, options) { _ in }
    }
}
