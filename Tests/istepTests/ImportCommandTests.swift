import Foundation
import TestSupport
import Testing

/// `istep import` and `istep imports` as a user runs them.
@Suite(.timeLimit(.minutes(5))) struct ImportCommandTests {
    private func file(_ folder: Folder, _ text: String, _ name: String = "steps.csv") throws -> String {
        let path = folder.path + "/" + name
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    private let table = "Date,Steps\n2019-04-01,5000\n2019-04-02,6000\n"

    @Test func `of a history with several users the one with the name of the user here comes in`() async throws {
        let (folder, elsewhere) = (try Folder(), try Folder())
        let (istep, other) = (Command(folder: folder), Command(folder: elsewhere))
        let path = try file(elsewhere, table)
        for user in ["anna", "bob"] {
            #expect(try await other("users", "add", user).status == 0)
            #expect(try await other("import", path, "--yes", "--user", user).status == 0)
        }
        let history = elsewhere.path + "/data/istep/history.sqlite"
        for _ in 0..<2 {
            let found = try await istep("import", history, "--dry-run")
            #expect(found.status == 0 && found.output.contains("11,000 steps"), "\(found)")
            #expect(try await istep("plan", "8000").status == 0, "from now on there is a history")
        }
    }

    @Test func `a history that a newer istep has written ends with 65 and the advice to update`() async throws {
        let (folder, elsewhere) = (try Folder(), try Folder())
        let (istep, other) = (Command(folder: folder), Command(folder: elsewhere))
        let path = try file(elsewhere, table)
        #expect(try await other("import", path, "--yes").status == 0)
        let copy = folder.path + "/other.sqlite"
        #expect(try await other("backup", copy).status == 0)
        #expect(try await istep("import", copy, "--dry-run").status == 0)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: copy))
        // The user version in the header (https://www.sqlite.org/fileformat2.html#user_version_number).
        bytes.replaceSubrange(60..<64, with: [0, 0, 0, 99] as [UInt8])
        try bytes.write(to: URL(fileURLWithPath: copy))
        let found = try await istep("import", copy, "--dry-run")
        #expect(found.status == 65 && found.error.contains("newer istep") && found.error.contains("Update istep"))
    }

    @Test func `a file is previewed, imported, shown and taken back`() async throws {
        let folder = try Folder()
        let istep = Command(folder: folder)
        let path = try file(folder, table)
        let dry = try await istep("import", path, "--dry-run")
        #expect(dry.status == 0, "\(dry.error)")
        #expect(
            dry.output.contains("2019-04-01 to 2019-04-02: 2 days, 11,000 steps") && dry.output.contains("Would add"),
            "\(dry.output)")
        #expect(
            !FileManager.default.fileExists(atPath: folder.path + "/data/istep/history.sqlite"),
            "a preview makes no history")
        let asked = try await istep("import", path)
        #expect(asked.status == 64 && asked.error.contains("istep import --yes \(path)"), "\(asked.error)")
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/data/istep/history.sqlite"))

        let done = try await istep("import", path, "--yes", "--zone", "Europe/Berlin")
        #expect(done.status == 0, "\(done.error)")
        #expect(
            done.output.contains("Europe/Berlin, as you said") && done.output.contains("istep imports remove 1"),
            "\(done.output)")
        #expect(try await istep("show", "2019-04-02", "--json").json["steps"] as? Int == 6000)
        #expect(try await istep("devices").output.contains("imported from CSV"))
        #expect(try await istep("imports").output.contains(path))
        let again = try await istep("import", path, "--zone", "Europe/Berlin")
        #expect(again.status == 0 && again.output.contains("nothing changes"), "\(again)")

        let newer = try file(
            folder, table + "2019-04-03,100\n2019-04-02,6500\n".replacing("2019-04-02,6500\n", with: ""), "steps2.csv")
        let json = try await istep("import", newer, "--zone", "Europe/Berlin", "--yes", "--json").json
        #expect((json["changes"] as? [[String: Any]])?.map { $0["day"] as? String } == ["2019-04-03"])
        #expect(FileManager.default.fileExists(atPath: try #require(json["backup"] as? String)))

        #expect(try await istep("imports", "remove", "2").status == 64)
        #expect(try await istep("imports", "remove", "2", "--yes").status == 0)
        #expect(try await istep("imports", "remove", "1", "--yes").status == 0)
        #expect(try await istep("show", "2019-04-02", "--json").json["steps"] is NSNull)
        #expect(try await istep("imports", "remove", "1", "--yes").status == 64)
        #expect(!(try await istep("devices").output.contains("steps")))
    }

    @Test func `bad files and bad options end with their exit codes and store nothing`() async throws {
        let folder = try Folder()
        let istep = Command(folder: folder)
        let path = try file(folder, "Date,Steps\n2019-04-01,1000000000\n")
        for (words, status, text) in [
            ([path], 65, "1000000000 steps on 2019-04-01"), ([folder.path + "/no.csv"], 69, "There is no file"),
            ([path, "--zone", "Mars/Base"], 64, "no time zone Mars/Base"),
            ([path, "--format", "x"], 64, "no format x"),
            ([path, "--format", "gadgetbridge"], 64, "not of the format"),
            ([path, "--columns", "x=y"], 64, "--columns"),
            ([path, "--columns", "steps=Count", "--format", "gadgetbridge"], 64, "--columns is for a table"),
            ([""], 64, "Name one file or folder"),
            ([], 64, "Name one file"),
        ] as [([String], Int32, String)] {
            let result = try await istep.run(["import", "--yes"] + words)
            #expect(result.status == status && result.error.contains(text), "\(words): \(result)")
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/data/istep/history.sqlite"))
        let skipped = try await istep(
            "import", try file(folder, "Date,Steps\n2019-04-01,5\n2100-01-01,7\n"), "--skip-impossible", "-n")
        #expect(skipped.status == 0 && skipped.output.contains("1 record"), "\(skipped)")
    }

    @Test func `a source is renamed and forgotten like a pedometer, and its next import brings it back`() async throws {
        let folder = try Folder()
        let istep = Command(folder: folder)
        let path = try file(folder, table)
        #expect(try await istep("import", path, "--yes").status == 0)
        let listed = try await istep("devices")
        #expect(listed.output.contains("last import") && !listed.output.contains("synced"), "\(listed)")
        #expect(!(try await istep("show", "2019-04-01").output.contains("just now")))
        #expect(try await istep("devices", "steps", "--rename", "old phone").status == 0)
        #expect(try await istep("devices", "old phone").output.contains("old phone"))
        #expect(try await istep("forget", "old phone").status == 0)
        #expect(!(try await istep("devices").output.contains("old phone")))
        #expect(try await istep("show", "2019-04-02", "--json").json["steps"] as? Int == 6000)
        let newer = try file(folder, table + "2019-04-03,100\n", "steps.csv")
        #expect(try await istep("import", newer, "--yes").status == 0)
        #expect(try await istep("devices").output.contains("last import"))
        #expect(try await istep("imports").output.contains("added or changed 1 day"))
    }

    @Test func `corrections of another history come in and are taken back with it`() async throws {
        let (folder, other) = (try Folder(), try Folder())
        let (istep, there) = (Command(folder: folder), Command(folder: other))
        #expect(try await there("import", try file(other, table), "--yes").status == 0)
        #expect(try await there("correct", "2019-04-01", "--steps", "9000", "--reason", "forgot").status == 0)
        #expect(try await there("correct", "2019-04-02", "--steps", "4000").status == 0)
        #expect(try await istep("import", try file(folder, "Date,Steps\n2019-04-03,10\n"), "--yes").status == 0)
        #expect(try await istep("correct", "2019-04-02", "--steps", "7").status == 0)
        let path = other.path + "/data/istep/history.sqlite"
        let dry = try await istep("import", path, "--dry-run", "--json").json
        #expect(dry["corrections"] as? Int == 1 && dry["correctionsLeftOut"] as? Int == 1, "\(dry)")
        let shown = try await istep("import", path, "--dry-run").output
        #expect(
            shown.contains("1 corrected day") && shown.contains("what you have decided here counts"), "\(shown)")
        #expect(try await istep("import", path, "--yes").status == 0)
        #expect(try await istep("show", "2019-04-01", "--json").json["steps"] as? Int == 9000)
        #expect(try await istep("show", "2019-04-02", "--json").json["steps"] as? Int == 7)
        let again = try await istep("import", path).output
        #expect(again.contains("nothing changes") && again.contains("what you have decided here counts"), "\(again)")
        let listed = try await istep("imports").output
        #expect(listed.contains("1 corrected day\n"), "\(listed)")
        let removed = try await istep("imports", "remove", "2", "--yes", "--json").json
        #expect(removed["corrections"] as? Int == 1, "\(removed)")
        #expect(try await istep("show", "2019-04-01", "--json").json["steps"] is NSNull)
        #expect(try await istep("show", "2019-04-02", "--json").json["steps"] as? Int == 7)
    }

    @Test func `an older export that comes late says why it does not count, and what to do`() async throws {
        let folder = try Folder()
        let istep = Command(folder: folder)
        #expect(try await istep("import", try file(folder, table + "2019-04-03,100\n"), "--yes").status == 0)
        let older = try file(folder, "Date,Steps\n2019-04-01,5000\n2019-04-02,6500\n")
        let dry = try await istep("import", older, "--dry-run")
        #expect(
            dry.output.contains("Of 1 day of steps, import 1 says otherwise and counts")
                && dry.output.contains("import it and then take the other one back")
                && dry.output.contains("istep imports remove 1"), "\(dry)")
        let stored = try await istep("import", older, "--yes", "--json").json
        let superseded = try #require((stored["superseded"] as? [[String: Any]])?.first, "\(stored)")
        #expect(superseded["import"] as? Int == 1 && superseded["days"] as? Int == 1)
        #expect(try await istep("show", "2019-04-02", "--json").json["steps"] as? Int == 6000)
        #expect(try await istep("import", older).output.contains("If this file is the right one, take the other"))
        let taken = try await istep("imports", "remove", "1", "--yes").output
        #expect(
            taken.contains("1 day, 2019-04-03, 100 steps") && taken.contains("2019-04-02  6,000 to 6,500"), "\(taken)")
        #expect(try await istep("show", "2019-04-02", "--json").json["steps"] as? Int == 6500)
    }

    @Test func `backups before imports are limited in number`() async throws {
        let folder = try Folder()
        let istep = Command(folder: folder)
        var text = table
        for day in 3..<10 {
            text += "2019-04-0\(day),100\n"
            #expect(try await istep("import", try file(folder, text), "--yes").status == 0)
        }
        let backups = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/data/istep/backups")
        #expect(backups.count == 4 && backups.allSatisfy { $0.hasSuffix(".import.sqlite") }, "\(backups)")
    }

    @Test func `the documents match the schema`() async throws {
        let folder = try Folder()
        let istep = Command(folder: folder)
        var check = JSONSchemaCheck(schema: try await istep("json", "--schema").output)
        let path = try file(folder, table)
        check.add(try await istep("import", "--formats", "--json").output, as: "formats", "formats")
        check.add(try await istep("import", path, "--dry-run", "--json").output, as: "import", "import --dry-run")
        check.add(try await istep("import", path, "--yes", "--json").output, as: "import", "import")
        check.add(try await istep("imports", "--json").output, as: "imports", "imports")
        check.add(try await istep("devices", "--json").output, as: "devices", "devices")
        check.add(try await istep("imports", "remove", "1", "--yes", "--json").output, as: "removal", "imports remove")
        let complaints = try check.complaints()
        #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
    }
}
