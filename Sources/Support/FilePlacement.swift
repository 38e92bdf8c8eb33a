internal import Glibc

/// Gives a complete file the name that it was written for, unless there is a file of that name: also one that has
/// appeared since the caller looked.
///
/// A hard link is refused where its name is taken (link(2)). Where the file system has no hard links, such as FAT, the
/// name is looked for once more just before the rename.
///
/// - Returns: 0, or the number of the error: `EEXIST` if there is a file of that name. Then the file keeps its own.
public func renameWithoutReplacing(_ path: String, to name: String) -> Int32 {
    if link(path, name) == 0 {
        unlink(path)
        return 0
    }
    let code = errno
    guard [EPERM, EOPNOTSUPP, ENOSYS].contains(code) else { return code }
    var status = stat()
    if lstat(name, &status) == 0 { return EEXIST }
    return rename(path, name) == 0 ? 0 : errno
}

/// A name for a file that is being written, in the folder of the one that it becomes: a name in another file system
/// could not take its place. It is short, whatever the length of that name.
public func temporaryPath(for path: String) -> String {
    let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
    return "\(folder).istep-\(UInt32.random(in: 0 ... .max).digits(radix: 16, width: 8)).tmp"
}
