import Foundation
import Testing

/// Words on the command line that do not hold: exit code 64 and an error that says what to write instead.
@Suite struct UsageTests {
    @Test(arguments: [
        ["show", "2014-02-30"], ["show", "someday"], ["show", "2014-4-20"], ["plan", "-5"], ["plan", "ten"],
        ["plan", "--on", "sunnyday=3"], ["profile", "--height", "1.78"], ["profile", "--weight", "abc"],
        ["profile", "--birth", "2014-13-01"], ["sync", "--days", "0"], ["scan", "--timeout", "0"],
        ["scan", "--service", "xyz"], ["add", "--model", "nonsense"], ["add", "--model", "colmi", "--format", "u16le"],
        ["add", "C0:DE:00:00:00:01", "--model", "generic", "--service", "180d"], ["frobnicate"],
        ["add", ""], ["add", "zz:zz"], ["add", "C0:DE:00:00:00:0"], ["add", "--name", "a\u{1b}b"], ["profile", "--height", "0x80"],
        ["profile", "--weight", "1e2"], ["profile", "--weight", "nan"], ["profile", "--birth", "0001-01-01"],
        ["profile", "--from", "monday"], ["plan", "--from", "-3"], ["scan", "--timeout", "0x10"],
        ["plan", "8000", "--user", ""], ["plan", "8000", "--user", "a\u{7}b"], ["plan", "8000", "--user", "a\u{fffd}b"],
    ])
    func wrongWords(_ words: [String]) async throws {
        let folder = try Folder()
        let result = try await Command(folder: folder).run(words)
        #expect(result.status == 64)
        #expect(result.output == "")
        #expect(!result.error.isEmpty)
    }

    @Test func aNameThatIsNoUTF8() async throws {
        let istep = Command(folder: try Folder())
        let result = try await istep.start(["plan", "8000"], redirected: "--user \"$(printf 'a\\377b')\"").result
        #expect(result.status == 64)
        #expect(result.error.contains("--user"))
    }

    @Test func aDayThatHasNotBegun() async throws {
        let istep = Command(folder: try Folder())
        _ = try await istep("plan", "8000")
        let result = try await istep("show", "9999-12-31")
        #expect(result.status == 64)
        #expect(result.output == "")
        #expect(result.error.contains("9999-12-31 has not begun") && result.error.contains("istep show"))
    }

    @Test(arguments: [["plan", "9000", "--from", "-3"], ["profile", "--from", "-3", "--weight", "70"]])
    func aDayAgoIsTakenByEveryCommand(_ words: [String]) async throws {
        let istep = Command(folder: try Folder())
        let result = try await istep.run(words + ["--json"])
        #expect(result.status == 0, "\(result.error)")
        let dayAgo = try await istep("show", "-3", "--json").json["day"] as? String
        #expect(dayAgo != nil && result.output.contains("\"validFrom\" : \"\(dayAgo ?? "")\""))
    }

    // MARK: People

    @Test func aSlipOfThePenMakesNobodyAUser() async throws {
        let istep = Command(folder: try Folder())
        #expect(try await istep("plan", "8000", "--user", "anna").status == 0)
        for words in [["plan", "8000"], ["profile", "--weight", "70"]] {
            let result = try await istep.run(words + ["--user", "anan"])
            #expect(result.status == 64)
            #expect(result.error.contains("anna") && result.error.contains("istep add --user NAME"))
        }
        #expect((try await istep("status", "--json").json["users"] as? [Any])?.count == 1)
    }

    @Test func aPedometerThatIsNotFoundMakesNobodyAUser() async throws {
        let istep = Command(folder: try Folder())
        #expect(try await istep("add", "ring", "--user", "ben").status == 69)
        #expect(try await istep("show", "--user", "ben").status == 64)
    }

    // MARK: Configuration

    @Test func theConfiguredTimeIsSearchedFor() async throws {
        let folder = try Folder()
        let config = folder.path + "/config.toml"
        try Data("timeout = 3\n".utf8).write(to: URL(fileURLWithPath: config))
        let istep = Command(folder: folder)
        #expect(try await istep("scan", "--config", config).error.contains("Scanning for 3 seconds"))
        #expect(try await istep("scan", "--config", config, "--timeout", "2").error.contains("Scanning for 2 seconds"))
        #expect(try await istep("scan").error.contains("Scanning for 10 seconds"))
    }

    @Test func theVersionIsToldAndHelpNamesEveryCommand() async throws {
        let folder = try Folder()
        let istep = Command(folder: folder)
        let version = try await istep("--version")
        #expect(version.output == "0.1.0\n")
        let help = try await istep("--help")
        #expect(help.status == 0)
        for command in ["scan", "add", "devices", "forget", "sync", "show", "profile", "plan", "status", "demo"] {
            #expect(help.output.contains("\n  \(command) "))
        }
    }
}
