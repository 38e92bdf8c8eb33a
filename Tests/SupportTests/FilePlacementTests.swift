import Foundation
import Support
import Testing

@Suite(.timeLimit(.minutes(5))) struct FilePlacementTests {
    @Test func `a file takes a name that is free, and no other`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("istep-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let new = folder + "/new.tmp", name = folder + "/steps"
        try Data("new".utf8).write(to: URL(fileURLWithPath: new))
        try Data("old".utf8).write(to: URL(fileURLWithPath: name))
        #expect(renameWithoutReplacing(new, to: name) == EEXIST)
        #expect(try String(contentsOfFile: name, encoding: .utf8) == "old")
        try FileManager.default.removeItem(atPath: name)
        // A link that leads nowhere has the name, too.
        #expect(symlink(folder + "/missing", name) == 0)
        #expect(renameWithoutReplacing(new, to: name) == EEXIST)
        #expect(unlink(name) == 0)
        #expect(renameWithoutReplacing(new, to: name) == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["steps"])
        #expect(renameWithoutReplacing(new, to: folder + "/other") == ENOENT)
    }

    @Test func `the name of a file that is being written is in the folder of the other, and short`() {
        let long = String(repeating: "a", count: 255)
        #expect(temporaryPath(for: "/tmp/\(long)").wholeMatch(of: /\/tmp\/\.istep-[0-9a-f]{8}\.tmp/) != nil)
        #expect(temporaryPath(for: long).wholeMatch(of: /\.istep-[0-9a-f]{8}\.tmp/) != nil)
        #expect(temporaryPath(for: "/\(long)").hasPrefix("/.istep-"))
    }

    /// As on a file system without hard links: a directory cannot have one anywhere (link(2): EPERM).
    @Test func `what cannot be linked is renamed, unless the name is taken`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("istep-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let new = folder + "/new", name = folder + "/taken"
        for path in [new, name] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
        #expect(renameWithoutReplacing(new, to: name) == EEXIST)
        #expect(FileManager.default.fileExists(atPath: new))
        #expect(renameWithoutReplacing(new, to: folder + "/free") == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["free", "taken"])
    }
}
