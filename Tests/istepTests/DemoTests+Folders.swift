import Foundation
import Testing

@testable import istep

/// What others can do to the folder of a demo.
enum OthersAccess: CaseIterable {
    case reading, writing, link, ownership, lock, configuration

    /// Only root gives files away.
    static var testable: [OthersAccess] {
        allCases.filter { geteuid() == 0 || [.reading, .writing, .link].contains($0) }
    }

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
    func `a demo in a folder that is not for this user alone is neither used nor ended`(_ access: OthersAccess)
        async throws
    {
        try await visiting { istep, folder in
            let home = home(folder)
            try #require(try await istep("demo", "--keep", "--pedometer", "infinitime").status == 0)
            try access.give(home)
            var inside = istep
            inside.environment["ISTEP_DEMO"] = home
            for (istep, words) in [
                (istep, ["--demo", "show"]), (inside, ["show"]), (istep, ["demo", "--keep"]),
                (istep, ["demo", "--end"]),
            ] {
                let refused = try await istep.run(words)
                #expect(
                    refused.status == 77 && refused.error.contains("is not used for a demo"), "\(words): \(refused)")
                #expect(refused.error.contains("istep demo --keep DIRECTORY"), "\(words): \(refused)")
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
        for (mode, inner) in [(0o777, 0o755), (0o1777, 0o755), (0o755, 0o777)] as [(mode_t, mode_t)] {
            try #require(chmod(own, mode) == 0 && chmod(own + "/istep", inner) == 0)
            for path in [own, link] {
                for words in [["demo", "--keep", path], ["--demo=" + path, "show"], ["demo", "--end", path]] {
                    let refused = try await istep.run(words)
                    #expect(
                        refused.status == 77 && refused.error.contains("other users can write to"),
                        "\(words): \(refused)")
                    // Its access may be what others, or the system, need.
                    #expect(
                        !refused.error.contains("chmod") && !refused.error.contains("Remove"), "\(words): \(refused)")
                    let advice = "istep demo --keep \(mode == 0o1777 ? path + "/istep-demo" : "DIRECTORY")"
                    #expect(refused.error.contains(advice), "\(words): \(refused)")
                }
            }
        }
        try #require(chmod(own + "/istep", 0o755) == 0)
        for path in [own, link] { #expect(try await istep("demo", "--end", path).output.contains("No demo runs")) }
    }

    /// A user with a private group: this one, or, as root, the one with the number 1, if that can run the program.
    private static var groupOwner: (user: uid_t, group: gid_t, launcher: String)? {
        let shell = "sh -c 'umask 002; exec \"$0\" \"$@\"'"
        guard geteuid() == 0 else { return DemoAccess.privateGroup(of: geteuid()).map { (geteuid(), $0, shell) } }
        guard let group = DemoAccess.privateGroup(of: 1), access("/usr/bin/setpriv", X_OK) == 0,
            let program = try? Command.program.path
        else {
            return nil
        }
        var path = program
        while path != "/" {
            var status = stat()
            guard stat(path, &status) == 0, status.st_mode & 0o001 != 0 else { return nil }
            path = (path as NSString).deletingLastPathComponent
        }
        return (1, group, "/usr/bin/setpriv --reuid=1 --regid=\(group) --clear-groups \(shell)")
    }

    /// The usual umask of a user with a private group is 002.
    @Test(.enabled(if: groupOwner != nil))
    func `a folder that only the private group of the user can write to is used`() async throws {
        let owner = try #require(Self.groupOwner)
        let folder = try Folder(), own = folder.path + "/own"
        let istep = Command(folder: folder)
        func run(_ words: String...) async throws -> Command.Result {
            try await istep.start(words, by: owner.launcher).result
        }
        try FileManager.default.createDirectory(atPath: own + "/istep", withIntermediateDirectories: true)
        for path in [folder.path, own, own + "/istep"] { try #require(chown(path, owner.user, owner.group) == 0) }
        for path in [own, own + "/istep"] { try #require(chmod(path, 0o775) == 0) }
        let begun = try await run("demo", "--keep", own, "--pedometer", "infinitime")
        #expect(begun.status == 0, "\(begun)")
        let shown = try await run("--demo=" + own, "show", "yesterday")
        #expect(shown.status == 0, "\(shown)")
        if geteuid() == 0 {
            for path in [own, own + "/istep"] {
                try #require(chown(path, owner.user, 65_534) == 0)
                let refused = try await run("--demo=" + own, "show")
                #expect(
                    refused.status == 77 && refused.error.contains("other users can write to"), "\(path): \(refused)")
                try #require(chown(path, owner.user, owner.group) == 0)
            }
        }
        let ended = try await run("demo", "--end", own)
        #expect(ended.status == 0 && ended.output.contains("has ended"), "\(ended)")
    }

    // MARK: Starts that are not completed

    /// Starts a demo in a folder of the user's, and returns when its history is there and the first sync is still to
    /// come.
    private func beginning(_ istep: Command, _ own: String) async throws -> Running {
        let start = try istep.start(["demo", "--keep", own, "--pedometer", "infinitime"])
        try await until { FileManager.default.fileExists(atPath: own + "/history.sqlite") || !start.isAlive }
        return start
    }

    @Test func `a start that is interrupted leaves the folder as it was`() async throws {
        try await visiting { istep, folder in
            let own = folder.path + "/own"
            try FileManager.default.createDirectory(
                atPath: own, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
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

    @Test func `a start that is interrupted removes the folders that it has made`() async throws {
        try await visiting { istep, folder in
            let new = folder.path + "/new"
            let start = try await beginning(istep, new + "/own")
            start.send(SIGINT)
            let interrupted = await start.result
            #expect(interrupted.status == 130, "\(interrupted)")
            try await until { !FileManager.default.fileExists(atPath: new + "/own/demo.lock") }
            #expect(!FileManager.default.fileExists(atPath: new))
        }
    }

    @Test(arguments: [true, false])
    func `a start that is killed together with its demo is undone by the next command`(_ isStartedAgain: Bool)
        async throws
    {
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
            // Of a write that was in progress.
            try Data().write(to: URL(fileURLWithPath: own + "/Gadgetbridge.db-journal"))
            if isStartedAgain {
                let again = try await istep("demo", "--keep", own, "--pedometer", "infinitime")
                #expect(again.status == 0 && again.output.contains("istep add"), "\(again)")
            }
            let ended = try await istep("demo", "--end", own)
            #expect(
                ended.status == 0 && ended.output.contains(isStartedAgain ? "has ended" : "its files are removed"),
                "\(ended)")
            for name in ["history.sqlite", "istep", "."] {
                #expect(FileManager.default.fileExists(atPath: own + "/" + name) == isStartedAgain, "\(name)")
            }
        }
    }
}
