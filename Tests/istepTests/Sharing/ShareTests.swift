import Foundation
import SimulatedBlueZ
import TestSupport
import Testing

/// Sharing as users see it: the configuration, a day, the outbox, with the built program.
@Suite(.timeLimit(.minutes(5))) struct ShareTests {
    /// A household that has synced, and a configuration.
    private func live(_ configuration: String, _ body: (Household) async throws -> Void) async throws {
        try await Household.live { home in
            _ = try await home.istep("add", home.ring.address, "--timeout", "120", "--name", "ring")
            #expect(try await home.istep("sync").status == 0)
            try home.folder.configure(configuration)
            try await body(home)
        }
    }

    private func text(_ home: Household, _ name: String) -> String {
        (try? String(contentsOfFile: home.folder.path + "/" + name, encoding: .utf8)) ?? ""
    }

    private static let diary = """
        [share.diary]
        kind = "file"
        path = "FOLDER/steps.csv"

        """

    @Test func `a day is previewed, shared and then reported as present`() async throws {
        try await live(Self.diary) { home in
            let preview = try await home.istep("share", "yesterday", "--dry-run")
            #expect(preview.status == 0)
            #expect(preview.output.contains(",anna,\(home.walked(daysAgo: 1)),"))
            #expect(text(home, "steps.csv").isEmpty, "a dry run wrote something")

            let share = try await home.istep("share", "-1", "--json")
            #expect(share.status == 0, "\(share.error)")
            let destination = try #require((share.json["destinations"] as? [[String: Any]])?.first)
            #expect((destination["events"] as? [[String: Any]])?.compactMap { $0["outcome"] as? String } == ["sent"])
            #expect(text(home, "steps.csv").contains(",anna,\(home.walked(daysAgo: 1)),"))

            #expect(try await home.istep("share", "yesterday").output.contains("already there"))
            #expect(try await home.istep("outbox").output == "The outbox is empty.\n")
            #expect(try await home.istep("outbox", "--all").output.contains("sent"))
        }
    }

    @Test func `a share without a day also sends a day that was corrected since`() async throws {
        try await live(Self.diary) { home in
            #expect(try await home.istep("share", "yesterday").status == 0)
            #expect(try await home.istep("share").status == 0)
            #expect(try await home.istep("correct", "yesterday", "--steps", "4321").status == 0)
            let share = try await home.istep("share")
            #expect(share.output.contains("updated"), "\(share.output)\(share.error)")
            #expect(text(home, "steps.csv").contains(",anna,4321,"))
        }
    }

    @Test func `a share of many days without a terminal has few lines of progress`() async throws {
        try await live(Self.diary) { home in
            let share = try await home.istep("share", "--from", "-6")
            let counted = share.error.split(separator: "\n").filter { $0.contains("sharing, ") }
            #expect(counted.count <= 3, "\(share.error)")
        }
    }

    @Test func `a range of days is shared`() async throws {
        try await live(Self.diary) { home in
            let share = try await home.istep("share", "--from", "-5", "--to", "-2")
            #expect(share.output == "diary: 4 days sent\n", "\(share.error)")
            for daysAgo in 2...5 { #expect(text(home, "steps.csv").contains(",\(home.walked(daysAgo: daysAgo)),")) }
            #expect(!text(home, "steps.csv").contains(",\(home.walked(daysAgo: 1)),"))
        }
    }

    @Test func `every sync shares the due days`() async throws {
        try await live(Self.diary + "since = 2020-01-01\n") { home in
            let sync = try await home.istep("sync")
            #expect(sync.output.contains("diary: 8 days sent"), "\(sync.output)\(sync.error)")
            #expect(text(home, "steps.csv").split(separator: "\n").count == 9)
            let again = try await home.istep("sync", "--json")
            #expect((again.json["shares"] as? [[String: Any]])?.count == 1)
            #expect(try await home.istep("sync", "--no-share").output.contains("diary") == false)
        }
    }

    @Test func `a share without a destination shows how to set one up`() async throws {
        try await live("") { home in
            let share = try await home.istep("share")
            #expect(share.status == 78)
            #expect(share.error.contains("istep config kinds"))
            #expect(try await home.istep("share", "--list").output.contains("istep config kinds"))
            for option in ["--with", "--to"] {
                let unknown = try await home.istep("share", option, "nowhere")
                #expect(unknown.status == 64 && unknown.error.contains("no destination 'nowhere'"), "\(unknown.error)")
            }
            let alone = try await home.istep("share", "--to", "yesterday")
            #expect(alone.status == 64 && alone.error.contains("--to needs --from"))
        }
    }

    @Test func `a failed delivery leaves the day in the outbox`() async throws {
        let later =
            "[share.mine]\nkind = \"command\"\ncommand = [\"/bin/sh\", \"-c\", \"exit $CODE\"]\nidempotent = true\nenvironment = [\"CODE\"]\n"
        try await live(later) { home in
            var istep = home.istep
            istep.environment["CODE"] = "75"
            let share = try await istep("share", "yesterday")
            #expect(share.status == 75)
            #expect(share.output.contains("1 day stays in the outbox"))
            #expect(try await istep("outbox").output.contains("waits for the next attempt; tried once"))
            // No attempt for a minute.
            let day = try await istep("sync")
            #expect(day.status == 75)

            istep.environment["CODE"] = "77"
            let refused = try await istep("outbox", "retry", "mine")
            #expect(refused.status == 77, "\(refused.output)")
            #expect(try await istep("share", "--list").output.contains("paused: credentials rejected"))

            istep.environment["CODE"] = "65"
            let rejected = try await istep("outbox", "retry", "mine")
            #expect(rejected.status == 65, "\(rejected.output)")
            let entries = try await istep("outbox", "--json").json["entries"] as? [[String: Any]]
            #expect(Set(entries?.compactMap { $0["state"] as? String } ?? []) == ["rejected"])

            istep.environment["CODE"] = "0"
            #expect(try await istep("outbox", "retry", "mine").status == 0)
            #expect(try await istep("outbox").output == "The outbox is empty.\n")
        }
    }

    @Test func `a queued day is sent by the next sync`() async throws {
        try await live(Self.diary) { home in
            let queued = try await home.istep("share", "-3", "--queue")
            #expect(queued.status == 0)
            #expect(queued.output.hasSuffix(" in the outbox; the next sync sends it\n"), "\(queued.output)")
            #expect(text(home, "steps.csv").isEmpty)
            #expect(try await home.istep("sync").output.contains("sent"))
            #expect(text(home, "steps.csv").contains(",\(home.walked(daysAgo: 3)),"))
        }
    }

    @Test func `a sent day that is put into the outbox is reported as sent already`() async throws {
        try await live(Self.diary) { home in
            #expect(try await home.istep("share", "yesterday").status == 0)
            let sent = try await home.istep("share", "yesterday", "--queue")
            #expect(
                sent.status == 0 && sent.output.hasSuffix(": already sent; use --again to send once more\n"),
                "\(sent.output)")
            #expect(try await home.istep("outbox").output == "The outbox is empty.\n")
            let again = try await home.istep("share", "yesterday", "--queue", "--again")
            #expect(again.output.hasSuffix(" in the outbox; the next sync sends it\n"), "\(again.output)")
            let mixed = try await home.istep("share", "--from", "-3", "--to-day", "-2", "--queue")
            #expect(mixed.output == "diary: 2 days in the outbox; the next sync sends them\n")
            #expect(try await home.istep("share", "yesterday", "--queue", "--quiet").output.isEmpty)
        }
    }

    @Test func `a share from another history than the usual one names both`() async throws {
        try await live(Self.diary) { home in
            let copy = home.folder.path + "/copy.sqlite"
            #expect(try await home.istep("backup", copy).status == 0)
            #expect(try await home.istep("share", "yesterday").status == 0)
            // The copy does not know that the day was sent.
            let share = try await home.istep("share", "yesterday", "--db", copy)
            #expect(share.status == 0 && share.output.hasSuffix(" sent\n"), "\(share.output)")
            #expect(share.error.contains("'\(copy)'") && share.error.contains("'\(home.database)'"), "\(share.error)")
            #expect(share.error.contains("without --db"))
            for words in [["share", "-2", "--queue"], ["outbox", "send"]] {
                #expect(try await home.istep.run(words + ["--db", copy]).error.contains("without --db"), "\(words)")
            }
            // The same history by another name, and commands that send nothing.
            let link = home.folder.path + "/link.sqlite"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: home.database)
            for words in [
                ["share", "-2", "--db", link], ["share", "-2"], ["share", "--dry-run", "--db", copy],
                ["outbox", "--db", copy],
            ] {
                #expect(try await !home.istep.run(words).error.contains("without --db"), "\(words)")
            }
            // A day can arrive twice: that is said with --quiet too.
            #expect(try await home.istep("share", "-3", "--db", copy, "--quiet").error.contains("without --db"))
            // There is no other history.
            try FileManager.default.moveItem(atPath: home.database, toPath: home.database + ".away")
            #expect(try await !home.istep("share", "-3", "--db", copy).error.contains("without --db"))
        }
    }

    @Test func `a destination for a user who is not in the history is reported`() async throws {
        try await live(Self.diary + "\nusers = [\"stranger\"]\n") { home in
            let shared = try await home.istep("share", "yesterday")
            #expect(shared.status == 78)
            #expect(
                shared.error.contains(
                    "[share.diary] names the user stranger, who is not in the history; known users: "),
                "\(shared.error)")
            let checked = try await home.istep("doctor", "--no-radio", "--no-network")
            #expect(checked.output.contains("it names the user stranger"), "\(checked.output)")
        }
    }

    @Test func `a dropped day is not sent`() async throws {
        try await live(Self.diary) { home in
            _ = try await home.istep("share", "-3", "--queue")
            #expect(try await home.istep("outbox", "drop", "diary", "-3").output.hasPrefix("1 day dropped"))
            // No day of that destination is left.
            let again = try await home.istep("outbox", "drop", "diary", "-3")
            #expect(again.status == 64 && again.error.contains("is not in the outbox of diary"), "\(again.error)")
            let stranger = try await home.istep("outbox", "drop", "nowhere", "-3")
            #expect(stranger.status == 64 && stranger.error.contains("Nothing was ever shared with 'nowhere'"))
            let unknown = try await home.istep("outbox", "list", "nowhere")
            #expect(unknown.status == 64 && unknown.error.contains("Nothing was ever shared with 'nowhere'"))
            #expect(try await home.istep("outbox", "list", "Diary").output == "The outbox is empty.\n")
            _ = try await home.istep("sync")
            #expect(!text(home, "steps.csv").contains(",\(home.walked(daysAgo: 3)),"))
        }
    }

    @Test func `dropping says what the destination keeps and what it gets nevertheless`() async throws {
        try await live(Self.diary) { home in
            for day in ["-1", "-2"] {
                let shared = try await home.istep("share", day)
                let corrected = try await home.istep("correct", day, "--steps", "4321")
                #expect(shared.status == 0 && corrected.status == 0)
            }
            let changed = "that changed after being sent will be sent again: see 'istep outbox'.\n"
            let empty = try await home.istep("outbox", "drop", "diary").output
            #expect(empty == "Nothing was dropped from the outbox of diary. 2 days \(changed)")
            #expect(try await home.istep("share", "-2", "--queue").status == 0)
            let dropped = try await home.istep("outbox", "drop", "diary", "-2").output
            #expect(
                dropped
                    == "1 day dropped from the outbox of diary. diary keeps the earlier figures of 1 day. 1 day \(changed)"
            )
            #expect(try await home.istep("share").status == 0)
            #expect(text(home, "steps.csv").components(separatedBy: ",anna,4321,").count == 3)
        }
    }

    @Test func `a day missing from the outbox is an error with advice`() async throws {
        try await live(Self.diary) { home in
            #expect(try await home.istep("share", "yesterday").status == 0)
            let sent = try await home.istep("outbox", "drop", "diary", "yesterday")
            #expect(sent.status == 64)
            #expect(sent.error.contains("was already sent to diary"))
            #expect(sent.error.contains("--with diary --again"))
            for command in ["drop", "retry"] {
                let absent = try await home.istep("outbox", command, "diary", "-5")
                #expect(absent.status == 64)
                #expect(absent.error.contains("is not in the outbox of diary"))
            }
            let empty = try await home.istep("outbox", "drop", "diary")
            #expect(empty.status == 0)
            #expect(empty.output == "The outbox of diary is empty: nothing to drop.\n")
        }
    }

    @Test func `a sent day is sent again on request`() async throws {
        try await live(Self.diary) { home in
            #expect(try await home.istep("share", "yesterday").status == 0)
            try FileManager.default.removeItem(atPath: home.folder.path + "/steps.csv")
            #expect(try await home.istep("share", "yesterday").output.contains("already there"))
            #expect(text(home, "steps.csv").isEmpty)
            #expect(try await home.istep("share", "yesterday", "--dry-run").output.contains("--again"))
            #expect(
                try await home.istep("share", "yesterday", "--dry-run", "--again").output.contains(
                    ",\(home.walked(daysAgo: 1)),"))
            #expect(try await home.istep("share", "yesterday", "--again").output.contains("sent"))
            #expect(text(home, "steps.csv").contains(",\(home.walked(daysAgo: 1)),"))
        }
    }

    @Test func `the error for an impossible range names the given option`() async throws {
        try await live(Self.diary) { home in
            let future = try await home.istep("share", "--from", "2999-01-01")
            #expect(future.status == 64)
            #expect(future.error.contains("--from 2999-01-01 has not begun") && !future.error.contains("--to"))
            let today = try await home.istep("share", "--from", "today")
            #expect(today.status == 64)
            #expect(
                today.error.contains("its last day, which is yesterday") && today.error.contains("istep share today"))
            let reversed = try await home.istep("share", "--from", "-2", "--to-day", "-4")
            #expect(reversed.status == 64)
            #expect(reversed.error.contains("is after --to "))
        }
    }

    @Test func `configuration problems are listed in the order of lines`() async throws {
        let text = """
            [share.zebra]
            kind = "command"
            command = ["/nowhere/program"]
            [share.home]
            kind = "rest"
            url = "https://steps.example.org"
            token_file = "FOLDER/no-token"
            [share.apple]
            kind = "file"
            path = "FOLDER/a.csv"
            users = ["nobody-here"]
            [share.bear]
            kind = "flie"

            """
        try await live(text) { home in
            let problems = try #require(try await home.istep("config", "check", "--json").json["problems"] as? [String])
            let lines = problems.compactMap { $0.firstMatch(of: /line (\d+)/).flatMap { Int($0.1) } }
            #expect(lines == [3, 7, 11, 13], "\(problems)")
            #expect(problems[0].contains("/nowhere/program"))
            #expect(problems[1].contains("no-token"))
        }
    }

    @Test func `an invalid configuration file is not reported as missing`() async throws {
        try await live("[share.diary\n") { home in
            let check = try await home.istep("config", "check")
            #expect(check.status == 78)
            #expect(check.output.replacing("\n", with: " ").contains("line 1"), "the line may end after 'line'")
            #expect(!check.output.contains("no configuration file"))
        }
    }

    @Test func `a broken destination does not prevent reading the pedometers`() async throws {
        try await live("[share.diary]\nkind = \"flie\"\n") { home in
            #expect(try await home.istep("show").status == 0)
            let sync = try await home.istep("sync")
            #expect(sync.status == 78)
            #expect(sync.output.contains("ring: "))
            #expect(sync.error.contains("did you mean `file`?"))
        }
    }

    @Test func `all problems of the configuration are reported`() async throws {
        try await live(
            "timeuot = 3\n[share.diary]\nkind = \"file\"\npaht = \"/tmp/x.csv\"\n[share.mine]\nkind = \"command\"\n"
        ) { home in
            let check = try await home.istep("config", "check")
            #expect(check.status == 78)
            let problems = try #require(try await home.istep("config", "check", "--json").json["problems"] as? [String])
            #expect(problems.count == 4, "\(problems)")
            #expect(problems[0].contains("line 1: unknown key \"timeuot\"; did you mean `timeout`?"))
            #expect(problems.contains { $0.contains("line 4") && $0.contains("did you mean `path`?") })

            try home.folder.configure(Self.diary)
            let sound = try await home.istep("config", "check")
            #expect(sound.status == 0)
            #expect(sound.output.contains("Days are shared with: diary"))
        }
    }

    @Test func `only one share runs at a time`() async throws {
        let slow =
            "[share.mine]\nkind = \"command\"\ncommand = [\"/bin/sh\", \"-c\", \": > FOLDER/begun; while [ ! -e FOLDER/end ]; do sleep 0.05; done\"]\n"
        try await live(slow) { home in
            let first = try home.istep.start(["share", "-2"])
            try await FileChanges.wait(in: home.folder.path) {
                FileManager.default.fileExists(atPath: home.folder.path + "/begun")
            }
            let second = try await home.istep("share", "-3")
            #expect(second.status == 75)
            #expect(second.error.contains("another share of this history is running"))
            try Data().write(to: URL(fileURLWithPath: home.folder.path + "/end"))
            #expect(await first.result.status == 0)
        }
    }

    @Test func `every kind of destination has an example`() async throws {
        let folder = try Folder()
        let istep = Command(folder: folder)
        let kinds = try #require(try await istep("config", "kinds", "--json").json["kinds"] as? [[String: Any]])
        #expect(kinds.count > 1)
        for kind in kinds.compactMap({ $0["key"] as? String }) {
            let example = try await istep("config", "example", kind)
            #expect(example.output.contains("kind = \"\(kind)\""))
            for key in ["users", "since", "unfinished", "enabled"] {
                let lines = example.output.split(separator: "\n").map { $0.trimmingPrefix("# ") }
                #expect(lines.count { $0.hasPrefix("\(key) = ") } == 1, "\(kind): \(key)")
            }
            #expect(
                example.output.hasPrefix("# in ~/config/istep/config.toml\n")
                    && !example.output.contains(".config/istep"), "\(example)")
        }
        let other = try await istep("config", "example", "rest", "--config", "/etc/istep/config.toml")
        #expect(
            other.output.hasPrefix("# in /etc/istep/config.toml\n")
                && other.output.contains("token_file = \"/etc/istep/my-server.token\""))
        #expect(try await istep("config", "example", "pigeon").status == 64)
    }
}
