import Foundation
import TestSupport
import Testing
import WebTestSupport

/// `istep delete` and `istep users` as a user runs them.
@Suite(.timeLimit(.minutes(5))) struct DeleteCommandTests {
    /// A history with two days of 2019 from a table.
    private func withDays(_ body: (Folder, Command, _ file: String) async throws -> Void) async throws {
        let folder = try Folder()
        let istep = Command(folder: folder)
        let path = folder.path + "/phone.csv"
        try Data("Date,Steps\n2019-04-01,5000\n2019-04-02,6000\n".utf8).write(to: URL(fileURLWithPath: path))
        let imported = try await istep("import", path, "--yes")
        try #require(imported.status == 0, "\(imported.error)")
        try await body(folder, istep, path)
    }

    private func steps(_ day: String, _ istep: Command) async throws -> Int? {
        try await istep("show", day, "--json").json["steps"] as? Int
    }

    @Test func `a day is shown, deleted after a yes, left out by the next import, and comes back with the backup`()
        async throws
    {
        try await withDays { folder, istep, path in
            let dry = try await istep("delete", "2019-04-01", "--dry-run")
            #expect(dry.status == 0 && dry.output.contains("Would delete: 2019-04-01 of anna"), "\(dry)")
            let asked = try await istep("delete", "2019-04-01")
            #expect(asked.status == 64 && asked.error.contains("istep delete --yes 2019-04-01"), "\(asked)")
            #expect(try await steps("2019-04-01", istep) == 5000)

            let done = try await istep("delete", "2019-04-01", "--yes", "--json")
            let backup = try #require(done.json["backup"] as? String, "\(done)")
            #expect(done.json["isDone"] as? Bool == true && done.json["steps"] as? Int == 5000)
            #expect(try await steps("2019-04-01", istep) == nil)
            #expect(try await steps("2019-04-02", istep) == 6000)
            let shown = try await istep("show", "2019-04-01")
            #expect(shown.output.contains("syncs and imports leave the day out"), "\(shown)")
            #expect(shown.output.contains("istep delete --readmit 2019-04-01"), "\(shown)")
            let listed = try await istep("delete", "--list")
            #expect(listed.status == 0 && listed.output.contains("leave out 1 day of anna:\n  2019-04-01"), "\(listed)")
            let again = try await istep("import", path, "--yes")
            #expect(again.output.contains("1 day that you have deleted"), "\(again)")
            #expect(try await steps("2019-04-01", istep) == nil)
            #expect(try await istep("delete", "2019-04-01", "--yes").status == 64, "nothing is known of it any more")

            #expect(try await istep("delete", "--readmit", "2019-04-01").status == 0)
            #expect(try await istep("delete", "--readmit", "2019-04-01").status == 64)
            #expect(try await istep("delete", "--list").output.contains("No day of anna is left out"))
            #expect(try await istep("import", path, "--yes").status == 0)
            #expect(try await steps("2019-04-01", istep) == 5000)
            #expect(try await istep("delete", "2019-04-01", "2019-04-02", "--yes").status == 0)
            #expect(try await istep("devices").output.contains("No pedometer yet"))
            #expect(try await istep("restore", backup, "--yes").status == 0)
            #expect(try await steps("2019-04-01", istep) == 5000)
            _ = folder
        }
    }

    @Test func `the next sync does not bring a day back that the ring still holds`() async throws {
        try await Household.live { home in
            try await home.addRing()
            #expect(try await home.istep("sync").status == 0)
            let before = try await home.istep("show", "-2", "--json")
            let day = try #require(before.json["day"] as? String)
            #expect(before.json["steps"] as? Int == home.walked(daysAgo: 2))
            #expect(try await home.istep("delete", "-2", "--yes").status == 0)
            #expect(try await home.istep("sync").status == 0)
            #expect(try await home.istep("show", day, "--json").json["steps"] is NSNull)
            // A pedometer that is deleted and added again is read from its beginning.
            #expect(try await home.istep("delete", "--source", "ring", "--yes").status == 0)
            #expect(try await home.istep("devices").output.contains("No pedometer yet"))
            try await home.addRing()
            #expect(try await home.istep("sync").status == 0)
            #expect(try await home.istep("show", day, "--json").json["steps"] is NSNull)
            #expect(try await steps("-3", home.istep) == home.walked(daysAgo: 3))
            #expect(try await home.istep("delete", "--readmit", day).status == 0)
            #expect(try await home.istep("sync").status == 0)
            #expect(try await steps(day, home.istep) == home.walked(daysAgo: 2), "the ring still holds it")
        }
    }

    @Test func `destinations are told with the next share, or named`() async throws {
        try await withDays { folder, istep, _ in
            let config = folder.path + "/config/istep"
            try FileManager.default.createDirectory(atPath: config, withIntermediateDirectories: true)
            let text = """
                [share.diary]
                kind = "file"
                path = "\(folder.path)/steps.csv"
                [share.once]
                kind = "command"
                command = ["/bin/cat"]
                """
            try Data(text.utf8).write(to: URL(fileURLWithPath: config + "/config.toml"))
            #expect(try await istep("share", "2019-04-01").status == 0)
            let done = try await istep("delete", "2019-04-01", "--yes")
            #expect(done.output.contains("diary: 1 day there; the next share or sync sends 0 steps"), "\(done)")
            #expect(done.output.contains("once: 1 day there, and keeps it"), "\(done)")
            #expect(try await istep("share").status == 0)
            let renamed = try await istep("users", "rename", "anna", "Ann")
            #expect(renamed.output.contains("diary may keep 1 day under the name anna: delete it there."), "\(renamed)")
            #expect(
                renamed.output.contains("istep share --from 2019-04-01 --again --with diary --user Ann"), "\(renamed)")
            #expect(!renamed.output.contains("once"), "each day is a run of the command: \(renamed)")
            let file = try String(contentsOfFile: folder.path + "/steps.csv", encoding: .utf8)
            #expect(file.contains("2019-04-01,anna,0,") && !file.contains("5000"), "\(file)")
        }
    }

    @Test func `nothing is to be deleted where a renamed user keeps the place`() async throws {
        try await withDays { folder, istep, _ in
            let server = try LoopbackServer.start { _ in .reply(status: 204) }
            defer { server.stop() }
            try folder.configure(
                """
                [share.mine]
                kind = "rest"
                url = "\(server.url)/{date}"
                [share.ours]
                kind = "rest"
                url = "\(server.url)/{user}/{date}"
                """)
            #expect(try await istep("share", "2019-04-01").status == 0)
            let renamed = try await istep("users", "rename", "anna", "ANNA")
            #expect(renamed.output.contains("ours may keep 1 day under the name anna"), "\(renamed)")
            #expect(!renamed.output.contains("mine"), "its address does not contain the name: \(renamed)")
        }
    }

    /// An import that is taken back, and a correction of a day without samples, leave days of which nothing is known.
    @Test func `destinations are told of days that are not known any more`() async throws {
        try await withDays { folder, istep, path in
            let config = folder.path + "/config/istep"
            try FileManager.default.createDirectory(atPath: config, withIntermediateDirectories: true)
            let text = """
                [share.diary]
                kind = "file"
                path = "\(folder.path)/steps.csv"
                [share.once]
                kind = "command"
                command = ["/bin/cat"]
                """
            try Data(text.utf8).write(to: URL(fileURLWithPath: config + "/config.toml"))
            #expect(try await istep("correct", "2019-04-03", "--steps", "700").status == 0)
            #expect(try await istep("share", "--from", "2019-04-01", "--to", "2019-04-03").status == 0)
            func file() throws -> String { try String(contentsOfFile: folder.path + "/steps.csv", encoding: .utf8) }
            #expect(try file().contains("2019-04-03,anna,700,") && file().contains("2019-04-01,anna,5000,"))
            #expect(try await istep("correct", "2019-04-03", "--remove").status == 0)
            let dry = try await istep("imports", "remove", "1", "--dry-run")
            #expect(
                dry.output.contains("diary: 2 days there; the next share or sync sends 0 steps")
                    && dry.output.contains("once: 2 days there, and keeps them"), "\(dry)")
            let done = try await istep("imports", "remove", "1", "--yes", "--json")
            #expect((done.json["shared"] as? [[String: Any]])?.map { $0["name"] as? String } == ["once"], "\(done)")
            #expect(try await istep("share").status == 0)
            let told = try file()
            for day in 1...3 { #expect(told.contains("2019-04-0\(day),anna,0,"), "\(told)") }
            #expect(try await steps("2019-04-01", istep) == nil)
            #expect(try await istep("import", path, "--yes").status == 0)
            #expect(try await istep("share").status == 0)
            #expect(try file().contains("2019-04-01,anna,5000,") && file().contains("2019-04-03,anna,0,"))
        }
    }

    @Test func `wrong arguments end with 64 and change nothing`() async throws {
        try await withDays { _, istep, _ in
            for (words, text) in [
                ([], "Name one thing"), (["2019-04-02", "2019-04-01"], "ends before it begins"),
                (["2018-01-01"], "Nothing is known of 2018-01-01"), (["tomorrow"], "has not begun"),
                (["--source", "pho"], "There is no pedometer 'pho'"), (["--everything"], "--everything needs --user"),
                (["--everything", "--user", "ann"], "There is no user 'ann'"),
                (["--everything", "--user", "anna"], "only user"), (["2019-04-01", "--source", "phone"], "one thing"),
                (["2019-04-01", "2019-04-02", "2019-04-03"], "one day, or the first and the last"),
                (["--list"], "--list deletes nothing"),
                (["--readmit", "2019-04-01"], "no such day is left out"),
            ] as [([String], String)] {
                let result = try await istep.run(["delete"] + words + (words.first == "--readmit" ? [] : ["--yes"]))
                #expect(result.status == 64 && result.error.contains(text), "\(words): \(result)")
            }
            #expect(try await steps("2019-04-01", istep) == 5000)
            #expect(try await istep("delete", "today", "--db", "/none/x.sqlite").status == 69)
        }
    }

    @Test func `users are added, listed, renamed and removed`() async throws {
        try await withDays { folder, istep, _ in
            #expect(try await istep("users", "add", "Bob").status == 0)
            let twice = try await istep("users", "add", "bob")
            #expect(twice.status == 64 && twice.error.contains("There is a user 'Bob' already"), "\(twice)")
            for name in ["a\u{7}b", " anna", "anna\u{a0}"] {
                #expect(try await istep("users", "add", name).status == 64, "'\(name)'")
            }
            let listed = try await istep("users")
            #expect(listed.output.contains("anna  2 days, 2019-04-01 to 2019-04-02") && listed.output.contains("Bob "))
            #expect(try await istep("users", "rename", "BOB", "bob").status == 0, "only the case changes")
            #expect(try await istep("users", "rename", "bob", "Anna").status == 64)
            #expect(try await istep("users", "rename", "eve", "Eva").status == 64)
            let unknown = try await istep("show", "--user", "eve")
            #expect(
                unknown.error.contains("istep users add NAME") && !unknown.error.contains("--user eve"), "\(unknown)")
            let planned = try await istep("plan", "8000", "--user", "Dora")
            #expect(planned.status == 0 && planned.output.hasPrefix("Added the user Dora.\n"), "\(planned)")
            #expect(try await istep("users", "remove", "Dora", "--yes").status == 0)
            let config = folder.path + "/config/istep"
            try FileManager.default.createDirectory(atPath: config, withIntermediateDirectories: true)
            try Data("user = \"anna\"\n".utf8).write(to: URL(fileURLWithPath: config + "/config.toml"))
            let renamed = try await istep("users", "rename", "anna", "Anna Maria")
            #expect(renamed.output.contains("Renamed anna to Anna Maria") && renamed.output.contains("in user: change"))
            try FileManager.default.removeItem(atPath: config + "/config.toml")
            let asked = try await istep("users", "remove", "Anna Maria")
            #expect(asked.status == 64 && asked.error.contains("istep users remove --yes 'Anna Maria'"), "\(asked)")
            #expect(try await istep("users", "remove", "Anna Maria", "--yes").status == 0)
            #expect(try await istep("users", "--json").json["users"] as? [[String: Any]] != nil)
            #expect(try await istep("devices").output.contains("No pedometer yet"))
            let last = try await istep("users", "remove", "bob", "--yes")
            #expect(last.status == 64 && last.error.contains("only user"), "\(last)")
        }
    }

    @Test func `days and sources are moved to another user, and back`() async throws {
        try await withDays { folder, istep, _ in
            #expect(try await istep("users", "add", "Bob").status == 0)
            func bobs(_ day: String) async throws -> Int? {
                try await istep("show", day, "--user", "bob", "--json").json["steps"] as? Int
            }
            let asked = try await istep("move", "2019-04-01", "--to", "bob", "--user", "anna")
            #expect(asked.status == 64 && asked.error.contains("istep move --yes --to bob 2019-04-01 --user anna"))
            #expect(asked.output.contains("2019-04-01  5,000 to nothing"), "\(asked)")
            let moved = try await istep("move", "2019-04-01", "--to", "bob", "--user", "anna", "--yes")
            #expect(moved.status == 0 && moved.output.hasPrefix("Moved: 2019-04-01 of anna to Bob."), "\(moved)")
            #expect(try await bobs("2019-04-01") == 5000)
            #expect(try await istep("move", "phone", "--user", "anna", "--to", "Bob", "-y").status == 0)
            #expect(try await bobs("2019-04-02") == 6000)
            #expect(try await istep("users", "--user", "anna").output.contains("no days yet"))
            #expect(try await istep("imports").output.contains("Bob"))
            let back = try await istep("move", "2019-04-01", "2019-04-02", "--to", "anna", "--user", "bob", "-y")
            #expect(back.status == 0, "\(back)")
            let anna = try await istep("show", "2019-04-02", "--user", "anna", "--json")
            #expect(anna.json["steps"] as? Int == 6000)
            for (words, text) in [
                (["2019-04-01", "--to", "eve"], "no user 'eve'"), (["2019-04-01", "--to", "anna"], "who has it"),
                (["today", "--to", "bob"], "is not over"), (["2018-01-01", "--to", "bob"], "Nothing is known"),
                (["2019-04-02", "2019-04-01", "--to", "bob"], "ends before it begins"), (["--to", "bob"], "one thing"),
                (["nothing", "--to", "bob"], "There is no pedometer 'nothing'"), (["2019-04-01"], "--to"),
                (["a", "b", "--to", "bob"], "unknown format"),
            ] {
                let result = try await istep.run(["move", "--user", "anna", "--yes"] + words)
                #expect(result.status == 64 && result.error.contains(text), "\(words): \(result)")
            }
            var check = JSONSchemaCheck(schema: try await istep("json", "--schema").output)
            let json = try await istep("move", "2019-04-01", "--to", "bob", "--user", "anna", "-y", "--json")
            check.add(json.output, as: "move", "move")
            #expect(try check.complaints().isEmpty)
            _ = folder
        }
    }

    @Test func `while another process shares, nothing is deleted`() async throws {
        try await withDays { folder, istep, _ in
            let lock = folder.path + "/data/istep/history.sqlite.share.lock"
            let holder = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            try #require(holder >= 0 && flock(holder, LOCK_EX | LOCK_NB) == 0)
            defer { close(holder) }
            let refused = try await istep("delete", "2019-04-01", "--yes")
            #expect(refused.status == 75 && refused.error.contains("another share"), "\(refused)")
            #expect(try await steps("2019-04-01", istep) == 5000)
        }
    }

    @Test func `the documents match the schema`() async throws {
        try await withDays { _, istep, _ in
            var check = JSONSchemaCheck(schema: try await istep("json", "--schema").output)
            check.add(try await istep("delete", "2019-04-01", "-n", "--json").output, as: "deletion", "delete -n")
            check.add(try await istep("delete", "2019-04-01", "-y", "--json").output, as: "deletion", "delete")
            check.add(try await istep("delete", "--list", "--json").output, as: "deletedDays", "delete --list")
            let readmitted = try await istep("delete", "2019-04-01", "--readmit", "--json")
            check.add(readmitted.output, as: "readmission", "delete --readmit")
            check.add(try await istep("users", "add", "Bob", "--json").output, as: "users", "users add")
            check.add(try await istep("users", "--json").output, as: "users", "users")
            check.add(try await istep("users", "rename", "Bob", "Ben", "--json").output, as: "users", "users rename")
            check.add(try await istep("users", "remove", "Ben", "-y", "--json").output, as: "deletion", "users remove")
            check.add(try await istep("delete", "2018-04-01", "-y", "--json").output, as: "error", "nothing known")
            let complaints = try check.complaints()
            #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
        }
    }
}
