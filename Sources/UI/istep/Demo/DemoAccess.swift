import Foundation

/// Who else can write to what a demo uses.
struct DemoAccess: Sendable {
    /// The user who runs the command.
    let user: uid_t
    /// The user's primary group, where it has no other members: nil if the group is not private.
    let privateGroup: gid_t?

    static let current = DemoAccess(user: geteuid(), privateGroup: privateGroup(of: geteuid()))

    /// Whether others can write to a file or to a folder of the user's. With the usual umask 002, all that a user makes can be written by the
    /// user's private group.
    ///
    /// - Parameter hasAccessList: with an access control list, the mode does not say who can write.
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
        guard getpwuid_r(user, &entry, &buffer, buffer.count, &foundUser) == 0, foundUser != nil, let userName = entry.pw_name else {
            return nil
        }
        let name = String(cString: userName)
        var groupEntry = group()
        var foundGroup: UnsafeMutablePointer<group>?
        // A group with so many members that they do not fit is not private.
        var groupBuffer = [CChar](repeating: 0, count: 16_384)
        guard getgrgid_r(entry.pw_gid, &groupEntry, &groupBuffer, groupBuffer.count, &foundGroup) == 0, foundGroup != nil,
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
        typealias Read = @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeMutableRawPointer?, Int) -> Int
        // The header of this function is not in the module of the C library.
        guard let symbol = dlsym(nil, "getxattr") else { return true }
        let read = unsafeBitCast(symbol, to: Read.self)
        return read(path, "system.posix_acl_access", nil, 0) >= 0 || ![ENODATA, EOPNOTSUPP].contains(errno)
    }
}
