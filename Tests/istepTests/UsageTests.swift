import Foundation
import StepViews
import Testing

@testable import istep

/// Invalid words on the command line: exit code 64 and an error that says what to write instead.
@Suite(.timeLimit(.minutes(5))) struct UsageTests {
    @Test(arguments: [
        ["show", "2014-02-30"], ["show", "someday"], ["show", "tomorrow"], ["show", "2014-4-20"], ["plan", "-5"],
        ["show", "--5"],
        ["plan", "ten"],
        ["plan", "--on", "sunnyday=3"], ["profile", "--height", "1.78"], ["profile", "--weight", "abc"],
        ["profile", "--birth", "2014-13-01"], ["sync", "--days", "0"], ["scan", "--timeout", "0"],
        ["gatt", "read", "nonsense", "180f", "2a19"], ["gatt", "read", "C0:DE:00:00:00:01", "180", "2a19"],
        ["gatt", "read", "C0:DE:00:00:00:01", "180f", "2a19", "--format", "u7"],
        ["gatt", "write", "C0:DE:00:00:00:01", "180f", "2a19", "zz"],
        ["gatt", "notify", "C0:DE:00:00:00:01", "180f", "2a19", "--count", "0"],
        ["gatt", "notify", "C0:DE:00:00:00:01", "180f", "2a19", "--seconds", "1e3"],
        ["gatt", "capture", "ring", "--output", "-"],
        ["scan", "--service", "xyz"], ["add", "--model", "nonsense"], ["add", "--model", "colmi", "--format", "u16le"],
        ["add", "C0:DE:00:00:00:01", "--model", "generic", "--service", "180d"], ["frobnicate"],
        ["add", ""], ["add", "zz:zz"], ["add", "C0:DE:00:00:00:0"], ["add", "--name", "a\u{1b}b"],
        ["profile", "--height", "0x80"],
        ["profile", "--weight", "1e2"], ["profile", "--weight", "nan"], ["profile", "--birth", "0001-01-01"],
        ["profile", "--from", "monday"], ["plan", "--from", "-3"], ["scan", "--timeout", "0x10"],
        ["correct"], ["correct", "yesterday"], ["correct", "yesterday", "--steps", "many"],
        ["correct", "yesterday", "--steps", "-5"],
        ["correct", "yesterday", "--steps", "5", "--remove"], ["correct", "yesterday", "--remove", "--reason", "x"],
        ["correct", "someday", "--steps", "5"], ["correct", "2999-01-01", "--steps", "5"],
        ["correct", "yesterday", "--steps", "200001"],
        ["correct", "yesterday", "--steps=-5"], ["correct", "yesterday", "--steps", "5", "--reason", ""],
        ["correct", "yesterday", "--steps", "5", "--reason", "a\u{1b}b"],
        ["plan", "8000", "--user", ""], ["plan", "8000", "--user", "a\u{7}b"],
        ["plan", "8000", "--user", "a\u{fffd}b"],
        ["devices", "--rename", "band"], ["devices", "ring", "watch", "--rename", "band"],
        ["devices", "ring", "--rename", " "],
        ["devices", "ring", "--rename", "a\u{1b}b"], ["json", "browse"],
    ])
    func `invalid arguments give exit code 64`(_ words: [String]) async throws {
        let folder = try Folder()
        let result = try await Command(folder: folder).run(words)
        #expect(result.status == 64)
        #expect(result.output == "")
        #expect(!result.error.isEmpty)
    }

    @Test(arguments: [
        (["--model", "nonsense"], "There is no model 'nonsense'"),
        (["--model", "generic"], "needs its address or name"),
        (["Stepper", "--model", "colmi", "--format", "u16le"], "'format' is for a generic pedometer only"),
        (["Stepper", "--service", "180d"], "--characteristic is needed: a Bluetooth UUID"),
    ])
    func `an invalid description of a pedometer is reported before a history is created`(
        _ words: [String], _ message: String
    ) async throws {
        let folder = try Folder()
        let result = try await Command(folder: folder).run(["add"] + words)
        #expect(result.status == 64 && result.error.contains(message), "\(result.error)")
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/data/istep/history.sqlite"))
    }

    @Test(arguments: [
        (["shwo"], "'istep shwo'; did you mean 'istep show'?"), (["Sync", "ring"], "did you mean 'istep sync'?"),
        (["gatt", "raed", "C0:DE:00:00:00:01"], "'istep gatt raed'; did you mean 'istep gatt read'?"),
        (["frobnicate", "--json"], "There is no command 'istep frobnicate'."),
        (["help", "shwo"], "did you mean 'istep show'?"),
        (["help", "gatt", "raed"], "did you mean 'istep gatt read'?"),
    ])
    func `an unknown command is reported with the most similar one`(_ words: [String], message: String) async throws {
        let result = try await Command(folder: try Folder()).run(words)
        #expect(result.status == 64 && result.error.contains(message) && result.error.contains("--help`"), "\(result)")
    }

    @Test(arguments: ["0", "1", "10", "26"]) func `help and results are wrapped for a terminal of any width`(
        _ columns: String
    ) async throws {
        var istep = Command(folder: try Folder())
        istep.environment["COLUMNS"] = columns
        for words in [["--help"], ["help", "show"], ["plan", "8000"], ["history", "week"]] {
            let result = try await istep.run(words)
            #expect(
                result.status == 0 && result.output.split(separator: "\n").contains { $0.count > 20 },
                "\(words): \(result)")
        }
    }

    @Test func `a user name that is not UTF-8 is rejected`() async throws {
        let istep = Command(folder: try Folder())
        let result = try await istep.start(["plan", "8000"], redirected: "--user \"$(printf 'a\\377b')\"").result
        #expect(result.status == 64)
        #expect(result.error.contains("--user"))
    }

    @Test func `a day in the future is rejected`() async throws {
        let istep = Command(folder: try Folder())
        _ = try await istep("plan", "8000")
        let result = try await istep("show", "9999-12-31")
        #expect(result.status == 64)
        #expect(result.output == "")
        #expect(result.error.contains("9999-12-31 has not begun") && result.error.contains("Give a past day"))
        for words in [
            ["show", "tomorrow"], ["history", "week", "--on", "tomorrow"], ["correct", "tomorrow", "--steps", "5"],
        ] {
            let result = try await istep.run(words)
            #expect(result.status == 64 && result.error.contains(" has not begun"), "\(words): \(result.error)")
        }
        #expect(try await istep("plan", "9000", "--from", "tomorrow").status == 0)
    }

    @Test(arguments: [
        (["show", "31.12."], "unknown format; write it like 2014-04-20, yesterday, monday or -3"),
        (["share", "2014-2-3"], "unknown format"),
        (["show", "2014-02-30"], "there is no such day; write it like"),
        (["report", "--to", "2026-13-01"], "there is no such day"),
        (["show", "-40000"], "it counts back more than 36600 days; write it like 2014-04-20"),
        (["history", "--from", "never"], "unknown format"),
        (["outbox", "retry", "diary", "31.12."], "unknown format"),
        (["profile", "--birth", "1990-02-30"], "there is no such day"),
        (["plan", "8000", "--from", "x"], "unknown format"), (["correct", "x", "--steps", "5"], "unknown format"),
    ])
    func `a word that is not a day is rejected with the reason`(_ words: [String], _ reason: String) async throws {
        let result = try await Command(folder: try Folder()).run(words + ["--json"])
        #expect(result.status == 64 && result.error.contains(": \(reason)"), "\(result.error)")
        let failure = result.json["error"] as? [String: Any]
        #expect((failure?["message"] as? String)?.contains(reason) == true, "\(result.output)")
    }

    @Test(arguments: [["plan", "9000", "--from", "-3"], ["profile", "--from", "-3", "--weight", "70"]])
    func `a relative day is accepted by every command`(_ words: [String]) async throws {
        let istep = Command(folder: try Folder())
        let result = try await istep.run(words + ["--json"])
        #expect(result.status == 0, "\(result.error)")
        let dayAgo = try await istep("show", "-3", "--json").json["day"] as? String
        #expect(dayAgo != nil && result.output.contains("\"validFrom\" : \"\(dayAgo ?? "")\""))
    }

    @Test(arguments: [
        ["plan", "9000", "--from", "0001-01-01"], ["profile", "--from", "1969-12-31", "--weight", "70"],
    ])
    func `a plan or a profile before the first day of the calendar is rejected`(_ words: [String]) async throws {
        let istep = Command(folder: try Folder())
        let result = try await istep.run(words)
        #expect(result.status == 64 && result.output == "")
        #expect(result.error.contains("cannot begin on \(words.contains("0001-01-01") ? "0001-01-01" : "1969-12-31")"))
        #expect(result.error.contains("Give a day from 1970-01-01 to 9999-12-31."))
        // Nothing was stored: the first plan still holds from the beginning.
        #expect(try await istep("plan", "8000").output.contains("from the beginning"))
    }

    // MARK: People

    @Test func `a mistyped user name does not create a user`() async throws {
        let istep = Command(folder: try Folder())
        #expect(try await istep("plan", "8000", "--user", "anna").status == 0)
        for words in [["plan", "8000"], ["profile", "--weight", "70"]] {
            let result = try await istep.run(words + ["--user", "anan"])
            #expect(result.status == 64)
            #expect(result.error.contains("anna") && result.error.contains("istep users add anan"))
        }
        #expect((try await istep("status", "--json").json["users"] as? [Any])?.count == 1)
    }

    @Test func `a failed add does not create a user`() async throws {
        let istep = Command(folder: try Folder())
        #expect(try await istep("add", "ring", "--user", "ben").status == 69)
        #expect(try await istep("show", "--user", "ben").status == 64)
    }

    // MARK: Configuration

    @Test func `a scan uses the configured timeout`() async throws {
        let folder = try Folder()
        let config = folder.path + "/config.toml"
        try Data("timeout = 3\n".utf8).write(to: URL(fileURLWithPath: config))
        let istep = Command(folder: folder)
        #expect(try await istep("scan", "--config", config).error.contains("Scanning for 3 seconds"))
        #expect(try await istep("scan", "--config", config, "--timeout", "2").error.contains("Scanning for 2 seconds"))
        #expect(try await istep("scan").error.contains("Scanning for 10 seconds"))
    }

    /// `.packaging/release` and the notes of a release need both.
    @Test func `the version is the newest of the changelog`() async throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let changelog = try String(contentsOf: root.appendingPathComponent(".github/CHANGELOG.md"), encoding: .utf8)
        let newest = try #require(changelog.firstMatch(of: /\n## \[(\d+\.\d+\.\d+)\] - \d{4}-\d{2}-\d{2}\n/)?.1)
        #expect(try await Command(folder: try Folder())("--version").output == "\(newest)\n")
    }

    /// The parser wraps at 80 columns and does not indent what it wraps: half of an example would be pasted as a
    /// command.
    @Test func `examples in the help fit on their lines`() async throws {
        let istep = Command(folder: try Folder())
        let all = try await istep("--help").output
        let commands = Self.subcommands(all)
        try #require(commands.count > 20)
        for command in commands + [""] {
            let help = command.isEmpty ? all : try await istep("help", command).output
            let overview = try #require(help.components(separatedBy: "USAGE:").first)
            var isExample = false
            for line in overview.split(separator: "\n", omittingEmptySubsequences: false) {
                #expect(!isExample || line.isEmpty || line.hasPrefix(" "), "\(command): \(line)")
                isExample = line.hasPrefix("  ")
            }
        }
    }

    /// The names in the section of the subcommands of a help text.
    private static func subcommands(_ help: String) -> [String] {
        guard let start = help.range(of: "\nPEDOMETERS:") ?? help.range(of: "\nSUBCOMMANDS:") else { return [] }
        return help[start.upperBound...].matches(of: /\n  ([a-z]+)/).map { String($0.1) }
    }

    @Test func `a command in advice gets just the options that its subcommand takes`() async throws {
        let istep = Command(folder: try Folder())
        // Some take --user only because it is one of the common options.
        let declared = Istep.adviceOptions
        let options = CommandOptions(
            user: "anna", database: "history", configuration: "file", subcommands: declared)
        let all = Self.subcommands(try await istep("help").output)
        try #require(all.count > 20 && Set(all) == Set(declared.keys))
        for command in all {
            let nested = Self.subcommands(try await istep("help", command).output)
            for words in nested.isEmpty ? [[command]] : nested.map({ [command, $0] }) {
                let help = try await istep.run(["help"] + words).output
                var taken = Set(["--user", "--db", "--config"].filter { help.contains("\n  \($0) <") })
                if declared[command] != .ofUser { taken.remove("--user") }
                let line = ShellCommand((["istep"] + words).joined(separator: " ")).with(options).text()
                let given = Set(line.split(separator: " ").filter { $0.hasPrefix("--") }.map { String($0) })
                #expect(given == taken, "\(line)")
            }
        }
    }

    @Test func `the exit codes follow the commands, which are in groups`() async throws {
        let istep = Command(folder: try Folder())
        for words in [["--help"], ["help"]] {
            let help = try await istep.run(words)
            #expect(help.status == 0)
            let (groups, codes) = (help.output.range(of: "\nSHARING:"), help.output.range(of: "EXIT CODES:"))
            #expect(
                groups.map { groups in codes.map { groups.lowerBound < $0.lowerBound } } == true,
                "\(words): \(help.output)")
        }
        #expect(try await istep("help", "show").output.contains("EXIT CODES:") == false)
    }

    @Test func `without a history the first steps are shown on one screen`() async throws {
        let first = try await Command(folder: try Folder()).run([])
        #expect(first.status == 0 && first.output.split(separator: "\n", omittingEmptySubsequences: false).count <= 24)
        for words in ["istep add ADDRESS", "istep import FILE", "istep demo", "All commands: istep help"] {
            #expect(first.output.contains(words), "\(first)")
        }
    }

    @Test func `an error of a command that runs shows the usage of that command`() async throws {
        let result = try await Command(folder: try Folder())("correct", "yesterday")
        #expect(result.status == 64 && result.error.contains("Usage: istep correct <day>"), "\(result)")
    }

    @Test func `without a subcommand today is shown, and how to go on`() async throws {
        let istep = Command(folder: try Folder())
        _ = try await istep("correct", "today", "--steps", "4321")
        let (bare, show) = try await (istep.run([]), istep("today"))
        #expect(bare.status == 0 && show.status == 0 && show.output.contains("4,321"))
        #expect(
            bare.output.hasPrefix(show.output) && bare.output.hasSuffix("All commands: istep help\n"), "\(bare.output)")
    }

    @Test func `the help lists every command`() async throws {
        let folder = try Folder()
        let istep = Command(folder: folder)
        let help = try await istep("--help")
        #expect(help.status == 0)
        for command in [
            "scan", "add", "devices", "forget", "sync", "show", "history", "browse", "correct", "profile", "plan",
            "status", "demo",
        ] {
            #expect(help.output.contains("\n  \(command) ") || help.output.contains("\n  \(command), "), "\(command)")
        }
    }
}
