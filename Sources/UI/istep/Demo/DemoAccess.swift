import Foundation
import StepDomain
import StepViews

/// Who else can write to what a demo uses.
struct DemoAccess: Sendable {
    /// The user who runs the command.
    let user: uid_t
    /// The user's primary group, where it has no other members: nil if the group is not private.
    let privateGroup: gid_t?

    static let current = DemoAccess(user: geteuid(), privateGroup: privateGroup(of: geteuid()))

    /// Whether others can write to a file or to a folder of the user. With the usual umask 002, all that a user makes
    /// can be written by the user's private group.
    ///
    /// - Parameter hasAccessList: whether there is an access control list: then the mode does not show who can write.
    func isWritableByOthers(_ status: stat, hasAccessList: @autoclosure () -> Bool) -> Bool {
        if status.st_mode & 0o002 != 0 { return true }
        guard status.st_mode & 0o020 != 0 else { return false }
        return privateGroup == nil || status.st_gid != privateGroup || hasAccessList()
    }

    /// Whether a group has been made for one user.
    static func isPrivate(_ group: String, members: [String], of user: String) -> Bool {
        group == user && members.allSatisfy { $0 == user }
    }

    /// The primary group of a user, where it is private.
    static func privateGroup(of user: uid_t) -> gid_t? {
        // On some systems the group of root is also that of other accounts.
        guard user != 0 else { return nil }
        var entry = passwd()
        var foundUser: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16_384)
        guard getpwuid_r(user, &entry, &buffer, buffer.count, &foundUser) == 0, foundUser != nil,
            let userName = entry.pw_name
        else {
            return nil
        }
        let name = String(cString: userName)
        var groupEntry = group()
        var foundGroup: UnsafeMutablePointer<group>?
        // A group with so many members that they do not fit is not private.
        var groupBuffer = [CChar](repeating: 0, count: 16_384)
        guard getgrgid_r(entry.pw_gid, &groupEntry, &groupBuffer, groupBuffer.count, &foundGroup) == 0,
            foundGroup != nil,
            let groupName = groupEntry.gr_name
        else { return nil }
        var members: [String] = []
        var next = groupEntry.gr_mem
        while let member = next?.pointee {
            members.append(String(cString: member))
            next = next?.advanced(by: 1)
        }
        return isPrivate(String(cString: groupName), members: members, of: name) ? entry.pw_gid : nil
    }

    /// Whether a file or a folder has an access control list (acl(5)), or that cannot be found out.
    static func hasAccessList(_ path: String) -> Bool {
        typealias Read =
            @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeMutableRawPointer?, Int) -> Int
        // The header of this function is not in the module of the C library.
        guard let symbol = dlsym(nil, "getxattr") else { return true }
        let read = unsafeBitCast(symbol, to: Read.self)
        return read(path, "system.posix_acl_access", nil, 0) >= 0 || ![ENODATA, EOPNOTSUPP].contains(errno)
    }
}

/// The owner of a demo's folder.
extension DemoFolder {
    /// Whether the folder exists and only this user can write to it.
    ///
    /// Another user could have made it before, with a configuration that names a program, and `istep --demo share`
    /// would run this program. Nothing in the folder is read, run or removed before this check.
    ///
    /// - Throws: `CommandFailure` where others can put files into the folder, or have done so.
    func isThere() throws(CommandFailure) -> Bool {
        let access = DemoAccess.current
        var status = stat()
        guard lstat(path, &status) == 0 else { return false }
        if status.st_mode & S_IFMT == S_IFLNK {
            // The user may have named a link to the folder.
            if isTemporary || status.st_uid != access.user { throw refusal("it is a symbolic link", "Remove it") }
            guard stat(path, &status) == 0 else { return false }
        }
        guard status.st_mode & S_IFMT == S_IFDIR else { return false }
        // The sticky bit, as that of /tmp: each user may have files of their own in it.
        let isForAll = status.st_mode & 0o1002 == 0o1002 && [0, access.user].contains(status.st_uid)
        guard status.st_uid == access.user else { throw refusal("it belongs to another user", isForAll: isForAll) }
        // Other users know the name of the standard folder.
        if isTemporary, status.st_mode & 0o077 != 0 {
            throw refusal("other users can use it", "Run `chmod go= \(ShellCommand.quoted(path))`")
        }
        if access.isWritableByOthers(status, hasAccessList: DemoAccess.hasAccessList(path)) {
            throw refusal("other users can write to it", isForAll: isForAll)
        }
        try requireOwnFiles(access)
        return true
    }

    /// Refuses what others have put into the folder before it was closed to them, and what they can write to.
    private func requireOwnFiles(_ access: DemoAccess) throws(CommandFailure) {
        for name in ["demo.lock", "demo.json", "istep"] + Self.startFiles {
            let file = path + "/" + name
            var status = stat()
            guard lstat(file, &status) == 0 else { continue }
            if status.st_uid != access.user {
                throw refusal("\(name) in it belongs to another user", "Remove \(ShellCommand.quoted(file))")
            }
            // The mode of a link of the user says nothing.
            guard status.st_mode & S_IFMT != S_IFLNK else { continue }
            if access.isWritableByOthers(status, hasAccessList: DemoAccess.hasAccessList(file)) {
                throw refusal("other users can write to \(name) in it", "Run `chmod go-w \(ShellCommand.quoted(file))`")
            }
        }
    }

    /// - Parameters:
    ///   - remedy: only for the standard folder. Any other one may be used by others, or by the system, with the access
    ///     that it has.
    ///   - isForAll: whether each user may have files and folders of their own in the folder, as in /tmp.
    private func refusal(_ reason: String, _ remedy: String? = nil, isForAll: Bool = false) -> CommandFailure {
        let advice =
            if isTemporary, let remedy {
                "\(remedy), or choose another directory: `istep demo --keep DIRECTORY`"
            } else if isForAll, !isTemporary {
                "Choose a directory in it: `istep demo --keep \(ShellCommand.quoted(path + "/istep-demo"))`"
            } else {
                Self.advice
            }
        return CommandFailure(.permission, "The directory '\(path)' is not used for a demo: \(reason).", advice: advice)
    }
}
