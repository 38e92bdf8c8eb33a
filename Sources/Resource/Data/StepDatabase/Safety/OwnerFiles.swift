import Foundation
import Support

/// Creates the files and directories of a history. What root creates is given to the owner of the history, who would be
/// locked out otherwise. SQLite does the same with its log.
///
/// The owner can replace any name on the way by a symbolic link meanwhile. So root opens the directory, looks up there
/// whose it is, creates the file there, and changes the owner of the open file: in a directory of another user, the
/// file belongs to that user.
///
/// If the owner cannot be changed, as on some network file systems, the file still works, and `istep doctor` reports
/// the owner.
enum OwnerFiles {
    /// Creates a file with access for its owner only.
    ///
    /// - Parameter database: the path of the history, without symbolic links. If it is in the same directory, its owner
    ///   gets the file; otherwise, or if it does not exist yet, the owner of the directory.
    /// - Returns: the descriptor, for reading and writing; -1 if the file exists or cannot be created (`errno`).
    static func create(_ path: String, ofDatabase database: String?) -> Int32 {
        inDirectory(of: path, database) { directory, name, owner in
            let file = openat(directory, name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
            if file >= 0, let owner { fchown(file, owner.st_uid, owner.st_gid) }
            return file
        }
    }

    /// The same for a directory.
    ///
    /// - Returns: 0, or -1 if it exists or cannot be created (`errno`).
    static func createDirectory(_ path: String, ofDatabase database: String?) -> Int32 {
        inDirectory(of: path, database) { directory, name, owner in
            guard mkdirat(directory, name, 0o700) == 0 else { return -1 }
            guard let owner else { return 0 }
            let new = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard new >= 0 else { return 0 }
            defer { close(new) }
            // The owner may have moved another directory of root's to this name: its files are not given away.
            if (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd/\(new)"))?.isEmpty == true {
                fchown(new, owner.st_uid, owner.st_gid)
            }
            return 0
        }
    }

    /// - Parameter body: gets an open directory, the name in it, and who gets what is created; nil to keep it.
    private static func inDirectory(
        of path: String, _ database: String?, _ body: (_ directory: Int32, _ name: String, _ owner: stat?) -> Int32
    ) -> Int32 {
        guard geteuid() == 0 else { return body(AT_FDCWD, path, nil) }
        let parent = directoryName(path)
        let directory = open(parent.isEmpty ? "." : parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { return -1 }
        defer { close(directory) }
        var owner = stat()
        if let database, directoryName(database) == parent,
            fstatat(directory, baseName(database), &owner, AT_SYMLINK_NOFOLLOW) == 0, owner.st_mode & S_IFMT == S_IFREG
        {
            return body(directory, baseName(path), owner)
        }
        return body(directory, baseName(path), fstat(directory, &owner) == 0 ? owner : nil)
    }
}
