import Foundation
import SimulatedBlueZ
import Testing

/// Sharing as people meet it: the configuration, a day, the outbox, by the program as it is built.
@Suite(.timeLimit(.minutes(5))) struct ShareTests {
    /// A household that has synced, and a configuration.
    private func live(_ configuration: String, _ body: (Household) async throws -> Void) async throws {
        try await Household.live { home in
            _ = try await home.istep("add", home.ring.address, "--timeout", "30", "--name", "ring")
            #expect(try await home.istep("sync").status == 0)
            try configure(home, configuration)
            try await body(home)
        }
    }

    private func configure(_ home: Household, _ text: String) throws {
        let folder = home.folder.path + "/config/istep"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(text.replacing("FOLDER", with: home.folder.path).utf8).write(to: URL(fileURLWithPath: folder + "/config.toml"))
    }

    private func text(_ home: Household, _ name: String) -> String {
        (try? String(contentsOfFile: home.folder.path + "/" + name, encoding: .utf8)) ?? ""
    }

    private static let diary = """
        [share.diary]
        kind = "file"
        path = "FOLDER/steps.csv"

        """

    @Test func aDayIsPreviewedSharedAndThereAlready() async throws {
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

            #expect(try await home.istep("share", "yesterday").output.contains("there already"))
            #expect(try await home.istep("outbox").output == "The outbox is empty.\n")
            #expect(try await home.istep("outbox", "--all").output.contains("sent"))
        }
    }

    @Test func aRangeOfDays() async throws {
        try await live(Self.diary) { home in
            let share = try await home.istep("share", "--from", "-5", "--to-day", "-2")
            #expect(share.output == "diary: 4 days sent\n", "\(share.error)")
            for daysAgo in 2...5 { #expect(text(home, "steps.csv").contains(",\(home.walked(daysAgo: daysAgo)),")) }
            #expect(!text(home, "steps.csv").contains(",\(home.walked(daysAgo: 1)),"))
        }
    }

    @Test func everySyncSharesWhatIsDue() async throws {
        try await live(Self.diary + "since = 2020-01-01\n") { home in
            let sync = try await home.istep("sync")
            #expect(sync.output.contains("diary: 8 days sent"), "\(sync.output)\(sync.error)")
            #expect(text(home, "steps.csv").split(separator: "\n").count == 9)
            let again = try await home.istep("sync", "--json")
            #expect((again.json["shares"] as? [[String: Any]])?.count == 1)
            #expect(try await home.istep("sync", "--no-share").output.contains("diary") == false)
        }
    }

    @Test func withoutADestinationItSaysHowToSetOneUp() async throws {
        try await live("") { home in
            let share = try await home.istep("share")
            #expect(share.status == 78)
            #expect(share.error.contains("istep config kinds"))
            #expect(try await home.istep("share", "--list").output.contains("istep config kinds"))
            #expect(try await home.istep("share", "--to", "nowhere").status == 64)
        }
    }

    @Test func aServerThatIsNotThereLeavesTheDayInTheOutbox() async throws {
        let later = "[share.mine]\nkind = \"command\"\ncommand = [\"/bin/sh\", \"-c\", \"exit $CODE\"]\nidempotent = true\n"
        try await live(later) { home in
            var istep = home.istep
            istep.environment["CODE"] = "75"
            let share = try await istep("share", "yesterday")
            #expect(share.status == 75)
            #expect(share.output.contains("1 day stays in the outbox"))
            #expect(try await istep("outbox").output.contains("to be sent, 1 try"))
            // Left alone for a minute.
            let day = try await istep("sync")
            #expect(day.status == 75)

            istep.environment["CODE"] = "77"
            let refused = try await istep("outbox", "retry", "mine")
            #expect(refused.status == 77, "\(refused.output)")
            #expect(try await istep("share", "--list").output.contains("stopped"))

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

    @Test func whatIsQueuedGoesOutWithTheNextSync() async throws {
        try await live(Self.diary) { home in
            let queued = try await home.istep("share", "-3", "--queue")
            #expect(queued.status == 0)
            #expect(text(home, "steps.csv").isEmpty)
            #expect(try await home.istep("sync").output.contains("sent"))
            #expect(text(home, "steps.csv").contains(",\(home.walked(daysAgo: 3)),"))
        }
    }

    @Test func whatIsDroppedIsNotSent() async throws {
        try await live(Self.diary) { home in
            _ = try await home.istep("share", "-3", "--queue")
            #expect(try await home.istep("outbox", "drop", "diary", "-3").output.hasPrefix("1 day dropped"))
            _ = try await home.istep("sync")
            #expect(!text(home, "steps.csv").contains(",\(home.walked(daysAgo: 3)),"))
        }
    }

    @Test func aBrokenDestinationDoesNotKeepStepsFromComingHome() async throws {
        try await live("[share.diary]\nkind = \"flie\"\n") { home in
            #expect(try await home.istep("show").status == 0)
            let sync = try await home.istep("sync")
            #expect(sync.status == 78)
            #expect(sync.output.contains("ring: "))
            #expect(sync.error.contains("did you mean `file`?"))
        }
    }

    @Test func theConfigurationIsCheckedToTheLast() async throws {
        try await live("timeuot = 3\n[share.diary]\nkind = \"file\"\npaht = \"/tmp/x.csv\"\n[share.mine]\nkind = \"command\"\n") { home in
            let check = try await home.istep("config", "check")
            #expect(check.status == 78)
            let problems = try #require(try await home.istep("config", "check", "--json").json["problems"] as? [String])
            #expect(problems.count == 4, "\(problems)")
            #expect(problems[0].contains("line 1: unknown key \"timeuot\"; did you mean `timeout`?"))
            #expect(problems.contains { $0.contains("line 4") && $0.contains("did you mean `path`?") })

            try configure(home, Self.diary)
            let sound = try await home.istep("config", "check")
            #expect(sound.status == 0)
            #expect(sound.output.contains("Days are shared with: diary"))
        }
    }

    @Test func oneShareAtATime() async throws {
        let slow = "[share.mine]\nkind = \"command\"\ncommand = [\"/bin/sh\", \"-c\", \": > FOLDER/begun; while [ ! -e FOLDER/end ]; do sleep 0.05; done\"]\n"
        try await live(slow) { home in
            let first = try home.istep.start(["share", "-2"])
            while !FileManager.default.fileExists(atPath: home.folder.path + "/begun") { try await Task.sleep(for: .milliseconds(20)) }
            let second = try await home.istep("share", "-3")
            #expect(second.status == 75)
            #expect(second.error.contains("another share of this history is running"))
            try Data().write(to: URL(fileURLWithPath: home.folder.path + "/end"))
            #expect(await first.result.status == 0)
        }
    }

    @Test func everyExampleCanBeChecked() async throws {
        let folder = try Folder()
        let istep = Command(folder: folder)
        let kinds = try #require(try await istep("config", "kinds", "--json").json["kinds"] as? [[String: Any]])
        #expect(kinds.count > 1)
        for kind in kinds.compactMap({ $0["key"] as? String }) {
            let example = try await istep("config", "example", kind)
            #expect(example.output.contains("kind = \"\(kind)\""))
        }
        #expect(try await istep("config", "example", "pigeon").status == 64)
    }
}
