import Foundation
import StepDomain
import Testing

@testable import istep

@Suite(.timeLimit(.minutes(5))) struct DemoAccessTests {
    /// Anna, whose group has the number 1000.
    private let anna = DemoAccess(user: 1000, privateGroup: 1000)

    private func isWritable(_ access: DemoAccess, mode: mode_t, group: gid_t = 1000, hasAccessList: Bool = false)
        -> Bool
    {
        var status = stat()
        status.st_mode = mode
        status.st_uid = access.user
        status.st_gid = group
        return access.isWritableByOthers(status, hasAccessList: hasAccessList)
    }

    @Test func `only the private group of the user may write`() {
        for mode: mode_t in [0o700, 0o750, 0o755, 0o2755] {
            #expect(!isWritable(anna, mode: mode, group: 50, hasAccessList: true))
        }
        for mode: mode_t in [0o770, 0o775, 0o2775, 0o664] {
            #expect(!isWritable(anna, mode: mode))
            #expect(isWritable(anna, mode: mode, group: 50))
            #expect(isWritable(anna, mode: mode, hasAccessList: true))
            #expect(isWritable(DemoAccess(user: 1000, privateGroup: nil), mode: mode))
        }
        for mode: mode_t in [0o777, 0o1777, 0o702, 0o666] { #expect(isWritable(anna, mode: mode)) }
    }

    @Test func `a private group has the name of its user and no other members`() {
        #expect(DemoAccess.isPrivate("anna", members: [], of: "anna"))
        #expect(DemoAccess.isPrivate("anna", members: ["anna"], of: "anna"))
        #expect(!DemoAccess.isPrivate("anna", members: ["anna", "ben"], of: "anna"))
        #expect(!DemoAccess.isPrivate("users", members: [], of: "anna"))
        #expect(DemoAccess.privateGroup(of: 0) == nil)
    }

    @Test func `a file without an access control list has none`() throws {
        let folder = try Folder()
        #expect(!DemoAccess.hasAccessList(folder.path))
        #expect(DemoAccess.hasAccessList(folder.path + "/none"))
    }

    @Test(arguments: ["demo.lock", "demo.json", "istep"] + DemoFolder.startFiles)
    func `what others have put into a folder, or can write to, is refused`(_ name: String) throws {
        let folder = try Folder()
        let path = folder.path + "/" + name
        for isTemporary in [true, false] {
            let demo = DemoFolder(path: folder.path, isTemporary: isTemporary)
            #expect(throws: Never.self) { try demo.isThere() }
        }
        if name == "istep" || name.hasPrefix("istep/") { try #require(mkdir(folder.path + "/istep", 0o700) == 0) }
        if name != "istep" { try Data().write(to: URL(fileURLWithPath: path)) }
        func refusal(isTemporary: Bool) -> CommandFailure? {
            do throws(CommandFailure) {
                _ = try DemoFolder(path: folder.path, isTemporary: isTemporary).isThere()
                return nil
            } catch {
                return error
            }
        }
        try #require(chmod(path, 0o777) == 0)
        let own = try #require(refusal(isTemporary: false)), standard = try #require(refusal(isTemporary: true))
        #expect(own.category == .permission && own.description.contains("other users can write to \(name) in it"))
        #expect(own.advice == "Choose another directory: `istep demo --keep DIRECTORY`")
        #expect(standard.advice?.contains("chmod go-w") == true)
        try #require(chmod(path, 0o700) == 0)
        #expect(refusal(isTemporary: false) == nil && refusal(isTemporary: true) == nil)
        guard geteuid() == 0 else { return }
        try #require(chown(path, 65_534, 65_534) == 0)
        let foreign = try #require(refusal(isTemporary: false))
        #expect(foreign.description.contains("\(name) in it belongs to another user"))
        // It may be the home folder of a user.
        #expect(foreign.advice == "Choose another directory: `istep demo --keep DIRECTORY`")
    }

    @Test func `in a folder for all users, a folder in it is suggested`() throws {
        let folder = try Folder()
        try #require(chmod(folder.path, 0o1777) == 0)
        let failure = try #require(throws: CommandFailure.self) {
            try DemoFolder(path: folder.path, isTemporary: false).isThere()
        }
        #expect(failure.advice == "Choose a directory in it: `istep demo --keep \(folder.path)/istep-demo`")
    }
}
