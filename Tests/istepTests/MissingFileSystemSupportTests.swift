import Foundation
import TestSupport
import Testing

/// A history on a file system that has no locks, or cannot share memory. `Tests/Checks/file-system.c` makes the calls
/// of the program fail.
@Suite(.timeLimit(.minutes(5))) struct MissingFileSystemSupportTests {
    /// The same command on a file system without something.
    ///
    /// - Parameter folder: where the library is compiled.
    private func without(_ feature: String, _ istep: Command, below directory: String, _ folder: Folder) throws
        -> Command
    {
        let library = folder.path + "/file-system.so"
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Checks/file-system.c").path
        let compiler = ChildProcess()
        compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        compiler.arguments = ["clang", "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-o", library, source]
        try compiler.run()
        compiler.waitUntilExit()
        try #require(compiler.terminationStatus == 0)
        var istep = istep
        istep.environment["LD_PRELOAD"] = library
        istep.environment["FILE_SYSTEM_AT"] = directory
        istep.environment["FILE_SYSTEM_LACKS"] = feature
        return istep
    }

    @Test(arguments: [
        ("flock", "file locks (flock)"), ("fcntl", "record locks (fcntl)"), ("mmap", "shared memory (mmap)"),
    ])
    func `no history is created on a file system that cannot hold one`(feature: String, name: String) async throws {
        let folder = try Folder()
        let istep = try without(feature, Command(folder: folder), below: folder.path + "/data", folder)
        let plan = try await istep("plan", "8000")
        #expect(plan.status == 78)
        #expect(plan.error.contains("has no \(name)"), "\(plan.error)")
        #expect(plan.error.contains("--db"), "\(plan.error)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/data/istep").isEmpty)
    }

    /// It was `locked by another program`, `File exists` or a failed disk.
    @Test(arguments: [
        ("flock", "file locks (flock)"), ("fcntl", "record locks (fcntl)"), ("mmap", "shared memory (mmap)"),
    ])
    func `each command names what the file system lacks`(feature: String, name: String) async throws {
        let folder = try Folder()
        let istep = Command(folder: folder)
        #expect(try await istep("plan", "8000").status == 0)
        let data = folder.path + "/data/istep"
        let limited = try without(feature, istep, below: data, folder)
        // Commands that only read need no file locks.
        for command in feature == "flock" ? ["backup"] : ["show", "backup", "status"] {
            let result = try await limited(command)
            #expect(result.status == 78, "\(command): \(result.error)")
            #expect(result.error.contains("has no \(name)"), "\(command): \(result.error)")
        }
        let doctor = try await limited("doctor")
        let words = doctor.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains("✗ disk: cannot keep the history"), "\(doctor.output)")
        #expect(words.contains("has no \(name)"), "\(doctor.output)")
        let left = try FileManager.default.subpathsOfDirectory(atPath: data).filter {
            $0.contains(".new-") || $0.contains("istep-room")
        }
        #expect(left.isEmpty)
    }
}
