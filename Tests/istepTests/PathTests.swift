import Foundation
import Testing

/// Paths that lead to something other than what is required.
@Suite(.timeLimit(.minutes(5))) struct PathTests {
    @Test(arguments: ["", ".", "loop", "dangling", "pipe", "file/x", "/dev/null", String(repeating: "x", count: 5000)])
    func `an invalid history path is rejected`(_ name: String) async throws {
        let folder = try Folder()
        let inFolder = { (name: String) in folder.path + "/" + name }
        try FileManager.default.createSymbolicLink(atPath: inFolder("loop"), withDestinationPath: "loop")
        try FileManager.default.createSymbolicLink(atPath: inFolder("dangling"), withDestinationPath: "nowhere")
        try #require(mkfifo(inFolder("pipe"), 0o600) == 0)
        try Data().write(to: URL(fileURLWithPath: inFolder("file")))
        let path = name.isEmpty || name.hasPrefix("/") ? name : inFolder(name)
        for words in [["show"], ["plan", "8000"], ["sync"]] {
            let result = try await Command(folder: folder).run(words + ["--db", path])
            #expect(result.status == 64, "\(words)")
            #expect(result.error.contains("--db"))
        }
        #expect(!FileManager.default.fileExists(atPath: inFolder("nowhere")))
    }

    // MARK: The demo

    @Test func `the demo does not change an existing history`() async throws {
        let folder = try Folder()
        _ = try await Command(folder: folder)("plan", "8000", "--db", folder.path + "/history.sqlite")
        let before = try Data(contentsOf: URL(fileURLWithPath: folder.path + "/history.sqlite"))
        let result = try await Command(folder: folder)("demo", "--keep", folder.path)
        #expect(result.status == 64)
        #expect(result.error.contains("already contains a history"))
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path + "/history.sqlite")) == before)
    }

    @Test func `a demo folder that cannot be created is an error`() async throws {
        let folder = try Folder()
        try Data().write(to: URL(fileURLWithPath: folder.path + "/file"))
        for name in ["file", "file/x", "file/x/y"] {
            let result = try await Command(folder: folder)("demo", "--keep", folder.path + "/" + name)
            #expect(result.status == 64)
            #expect(result.error.contains("Not a directory") && result.error.contains("--keep DIRECTORY"))
            #expect(!result.error.contains("NSCocoa"))
        }
    }

    @Test func `a failing demo step reports only its own error`() async throws {
        let folder = try Folder()
        try FileManager.default.createDirectory(
            atPath: folder.path + "/kept/istep", withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        try Data("nonsense = 1\n".utf8).write(to: URL(fileURLWithPath: folder.path + "/kept/istep/config.toml"))
        let result = try await Command(folder: folder)("demo", "--keep", folder.path + "/kept")
        #expect(result.status == 78)
        #expect(result.error.contains("nonsense"))
        #expect(!result.error.contains("report"))
    }

    @Test(
        arguments: [
            (["show", "--db", "no-such-folder/history.sqlite"], 64), (["import", "no-such-file.zip"], 69),
            (["import", "--format", "fitbit", "no-such-file.zip"], 69),
        ] as [([String], Int32)])
    func `a relative path in a deleted directory is an error`(arguments: [String], status: Int32) async throws {
        let folder = try Folder()
        try FileManager.default.createDirectory(atPath: folder.path + "/deleted", withIntermediateDirectories: false)
        let result = try await Command(folder: folder).start(
            arguments, by: #"sh -c 'cd "$HOME/deleted" && rmdir "$HOME/deleted" && exec "$0" "$@"'"#
        ).result
        #expect(result.status == status, "\(result.error)")
        #expect(result.error.contains("the working directory does not exist"), "\(result.error)")
    }
}
