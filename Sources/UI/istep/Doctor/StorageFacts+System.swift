import Foundation
import StepDatabase
import StepDomain

extension StorageFacts {
    /// Of the history's file as it is now; nil where there is none.
    init?(of context: CheckupContext) {
        guard let path = context.database, let file = Entry(path: path), isFile(path) else { return nil }
        let folder = path.hasPrefix("/") || path.contains("/") ? String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) : "."
        guard let directory = Entry(path: folder.isEmpty ? "/" : folder) else { return nil }
        let companions = StepDatabase.companions(ofDatabase: path).compactMap { Entry(path: $0) }
        self.init(
            file: file, directory: directory, companions: companions,
            logSize: companions.first { $0.path.hasSuffix("-wal") }?.size ?? 0, free: context.instruments.free(directory.path), user: geteuid())
    }
}

/// What is a directory, or a device, is none of the history's, whatever the configuration says.
private func isFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
}

extension StorageFacts.Entry {
    /// Nil where there is nothing of that name.
    init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(
            path: path, mode: status.st_mode & 0o7777, owner: status.st_uid, isWritable: access(path, W_OK) == 0,
            size: Int(status.st_size))
    }
}
