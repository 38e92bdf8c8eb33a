import Foundation
import Testing

/// What others can do to the folder of a demo.
enum OthersAccess: CaseIterable {
    case reading, writing, link, ownership, lock, configuration

    /// Only root gives files away.
    static var testable: [OthersAccess] { allCases.filter { geteuid() == 0 || [.reading, .writing, .link].contains($0) } }

    func give(_ folder: String) throws {
        switch self {
        case .reading: try #require(chmod(folder, 0o750) == 0)
        case .writing: try #require(chmod(folder, 0o777) == 0)
        case .link: try #require(rename(folder, folder + ".moved") == 0 && symlink(folder + ".moved", folder) == 0)
        case .ownership, .lock, .configuration: try #require(chown(folder + file, 65_534, 65_534) == 0)
        }
    }

    func takeBack(_ folder: String) throws {
        switch self {
        case .reading, .writing: try #require(chmod(folder, 0o700) == 0)
        case .link: try #require(unlink(folder) == 0 && rename(folder + ".moved", folder) == 0)
        case .ownership, .lock, .configuration: try #require(chown(folder + file, geteuid(), getegid()) == 0)
        }
    }

    private var file: String {
        switch self {
        case .lock: "/demo.lock"
        case .configuration: "/istep/config.toml"
        default: ""
        }
    }
}

extension DemoTests {
    // MARK: Folders of others

    /// Another user could have made the folder, with a demo whose configuration names a program.
    @Test(arguments: OthersAccess.testable)
    func `a demo in a folder that is not for this user alone is neither used nor ended`(_ access: OthersAccess) async throws {
        try await visiting { istep, folder in
            let home = home(folder)
            try #require(try await istep("demo", "--keep", "--pedometer", "infinitime").status == 0)
            try access.give(home)
            var inside = istep
            inside.environment["ISTEP_DEMO"] = home
            for (istep, words) in [
                (istep, ["--demo", "show"]), (inside, ["show"]), (istep, ["demo", "--keep"]), (istep, ["demo", "--end"]),
            ] {
                let refused = try await istep.run(words)
                #expect(refused.status == 77 && refused.error.contains("is not used for a demo"), "\(words): \(refused)")
                #expect(refused.error.contains("istep demo --keep FOLDER"), "\(words): \(refused)")
            }
            #expect(FileManager.default.fileExists(atPath: home + "/history.sqlite"))
            try access.takeBack(home)
            // The demo ends if it looks for its folder at the moment when that is moved.
            if access != .link { #expect(try await istep("--demo", "show").status == 0) }
        }
    }

    @Test func `a folder given by the user is refused if others can write to it`() async throws {
        let folder = try Folder(), own = folder.path + "/own", link = folder.path + "/link"
        let istep = Command(folder: folder)
        try FileManager.default.createDirectory(atPath: own + "/istep", withIntermediateDirectories: true)
        try #require(symlink("own", link) == 0)
        for (mode, inner) in [(0o775, 0o755), (0o755, 0o775)] as [(mode_t, mode_t)] {
            try #require(chmod(own, mode) == 0 && chmod(own + "/istep", inner) == 0)
            for path in [own, link] {
                for words in [["demo", "--keep", path], ["--demo=" + path, "show"], ["demo", "--end", path]] {
                    let refused = try await istep.run(words)
                    #expect(refused.status == 77 && refused.error.contains("chmod go-w"), "\(words): \(refused)")
                }
            }
        }
        try #require(chmod(own + "/istep", 0o755) == 0)
        for path in [own, link] { #expect(try await istep("demo", "--end", path).output.contains("No demo runs")) }
    }

    // MARK: Starts that are not completed

    /// Starts a demo in a folder of the user's, and returns when its history is there and the first sync is still to come.
    private func beginning(_ istep: Command, _ own: String) async throws -> Running {
        let start = try istep.start(["demo", "--keep", own, "--pedometer", "infinitime"])
        try await until { FileManager.default.fileExists(atPath: own + "/history.sqlite") || !start.isAlive }
        return start
    }

    @Test func `a start that is interrupted leaves the folder as it was`() async throws {
        try await visiting { istep, folder in
            let own = folder.path + "/own"
            try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            try Data().write(to: URL(fileURLWithPath: own + "/notes"))
            let start = try await beginning(istep, own)
            start.send(SIGINT)
            let interrupted = await start.result
            #expect(interrupted.status == 130, "\(interrupted)")
            // The process of the demo removes the lock at last.
            try await until { !FileManager.default.fileExists(atPath: own + "/demo.lock") }
            #expect(try FileManager.default.contentsOfDirectory(atPath: own) == ["notes"])
            let again = try await istep("demo", "--keep", own, "--pedometer", "infinitime")
            #expect(again.status == 0, "\(again)")
            #expect(try await istep("demo", "--end", own).status == 0)
            #expect(FileManager.default.fileExists(atPath: own + "/history.sqlite"))
        }
    }

    @Test(arguments: [true, false])
    func `a start that is killed together with its demo is undone by the next command`(_ isStartedAgain: Bool) async throws {
        try await visiting { istep, folder in
            let own = folder.path + "/own"
            let start = try await beginning(istep, own)
            start.send(SIGSTOP)  // or it would undo the start itself
            let killed = try process(own)
            kill(killed, SIGKILL)
            try await until { hasEnded(killed) }
            start.send(SIGKILL)
            _ = await start.result
            try #require(FileManager.default.fileExists(atPath: own + "/history.sqlite"))
            if isStartedAgain {
                let again = try await istep("demo", "--keep", own, "--pedometer", "infinitime")
                #expect(again.status == 0 && again.output.contains("istep add"), "\(again)")
            }
            let ended = try await istep("demo", "--end", own)
            #expect(ended.status == 0 && ended.output.contains(isStartedAgain ? "has ended" : "its files are removed"), "\(ended)")
            for name in ["history.sqlite", "istep"] {
                #expect(FileManager.default.fileExists(atPath: own + "/" + name) == isStartedAgain, "\(name)")
            }
        }
    }
}
