import Foundation

/// What is no place for a history, told before SQLite fails on it in its own words.
enum DatabasePath {
    /// - Throws: `UsageFailure` for a path that leads to something other than a file, or nowhere by itself.
    static func check(_ path: String) throws(UsageFailure) {
        guard let reason = reason(against: path) else { return }
        throw UsageFailure("'\(path)' can be no history: \(reason).", advice: "Choose another file with --db.")
    }

    private static func reason(against path: String) -> String? {
        guard !path.isEmpty else { return "the path is empty" }
        var status = stat()
        if stat(path, &status) == 0 {
            switch status.st_mode & S_IFMT {
            case S_IFREG: return nil
            case S_IFDIR: return "it is a directory"
            default: return "it is not a regular file"
            }
        }
        switch errno {
        case ENOENT: return lstat(path, &status) == 0 ? "it is a link to a file that is not there" : nil
        case ENOTDIR: return "a part of the path is not a directory"
        case ELOOP: return "its links lead round in a circle"
        case ENAMETOOLONG: return "the path is too long"
        // Permissions, a failing disk: whoever opens the file tells it better.
        default: return nil
        }
    }
}
