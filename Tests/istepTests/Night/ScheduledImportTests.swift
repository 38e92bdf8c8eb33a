import Foundation
import StepDatabase
import StepDomain
import TestSupport
import Testing

/// `[import.NAME]` of the configuration, as the nightly sync reads it.
@Suite(.timeLimit(.minutes(5))) struct ScheduledImportTests {
    private func setUp(_ folder: Folder, _ configuration: String) throws {
        let config = folder.path + "/config/istep"
        for path in [config, folder.path + "/Sync"] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
        try Data(configuration.utf8).write(to: URL(fileURLWithPath: config + "/config.toml"))
    }

    private func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }

    /// Its output without the ends of lines, which depend on the length of paths.
    private func words(_ result: Command.Result) -> String {
        result.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    @Test func `the newest file of a folder is read when it has changed`() async throws {
        let folder = try Folder()
        let istep = Command(folder: folder)
        try setUp(folder, "[import.phone]\npath = \"~/Sync\"\nuser = \"anna\"\n")
        let none = try await istep("sync", "--unattended")
        #expect(none.status == 69 && none.error.contains("[import.phone]: there is no history yet."), "\(none)")
        _ = try await istep("plan", "8000")
        #expect(try await istep("status").output.contains("Import phone: not read yet"))
        try write("Date,Steps\n2019-04-01,5000\n", to: folder.path + "/Sync/a.csv")
        try write("half of a", to: folder.path + "/Sync/b.part")
        let first = try await istep("sync", "--unattended")
        #expect(first.status == 0 && first.output.contains("import phone: 1 day new"), "\(first)")
        #expect(try await istep("show", "2019-04-01", "--json").json["steps"] as? Int == 5000)
        let again = try await istep("sync", "--unattended")
        #expect(again.status == 0 && again.output.contains("import phone: nothing new"), "\(again)")
        try write("Date,Steps\n2019-04-01,5500\n2019-04-02,7\n", to: folder.path + "/Sync/a.csv")
        let changed = try await istep("sync", "--unattended", "--json")
        #expect(changed.status == 0, "\(changed)")
        let entry = try #require((changed.json["imports"] as? [[String: Any]])?.first)
        #expect(
            entry["outcome"] as? String == "imported" && entry["newDays"] as? Int == 1
                && entry["changedDays"] as? Int == 1)
        let status = try await istep("status")
        #expect(status.output.contains("Import phone: last read") && status.output.contains("a.csv"), "\(status)")
        #expect(try await istep("sync").status != 0, "without pedometers there is nothing to sync by hand")
        let doctor = try await istep("doctor", "--no-radio", "--no-network", "--json").output
        #expect(doctor.contains("last read"), "\(doctor)")
    }

    @Test func `a folder that is one export is read as a whole`() async throws {
        let folder = try Folder()
        let istep = Command(folder: folder)
        try setUp(folder, "[import.laptop]\npath = \"~/Sync/out\"\n")
        try write("start,steps\n2019-04-01T10:00:00,50\n2019-04-02T10:00:00,70\n", to: folder.path + "/a.csv")
        #expect(try await istep("import", folder.path + "/a.csv", "--yes").status == 0)
        #expect(try await istep("export", folder.path + "/Sync/out").status == 0)
        #expect(try await istep("imports", "remove", "1", "--yes").status == 0)
        let read = try await istep("sync", "--unattended")
        #expect(read.status == 0 && read.output.contains("import laptop: 2 days new"), "\(read)")
        #expect(try await istep("sync", "--unattended").output.contains("import laptop: nothing new"))
    }

    @Test func `a failure is reported with its name and its exit code, and the others are read`() async throws {
        let folder = try Folder()
        let istep = Command(folder: folder)
        try setUp(
            folder,
            "[import.gone]\npath = \"/nowhere/a.csv\"\n[import.phone]\npath = \"\(folder.path)/Sync/a.csv\"\n")
        _ = try await istep("plan", "8000")
        try write("Date,Steps\n2019-04-01,5000\n", to: folder.path + "/Sync/a.csv")
        let result = try await istep("sync", "--unattended")
        #expect(
            result.status == 69 && result.error.contains("[import.gone]: There is no file /nowhere/a.csv"), "\(result)")
        #expect(result.output.contains("import gone: failed; import phone: 1 day new"), "\(result)")
        #expect(try await istep("status").output.contains("Import gone: failed"))
        try write("Date,Steps\n2019-04-01,1000000000\n", to: folder.path + "/Sync/a.csv")
        let bad = try await istep("sync", "--unattended")
        #expect(bad.status == 65 && bad.error.contains("[import.phone]: \(folder.path)/Sync/a.csv: "), "\(bad)")
        #expect(bad.error.contains("istep import --skip-impossible \(folder.path)/Sync/a.csv"), "\(bad)")
        #expect(try await istep("show", "2019-04-01", "--json").json["steps"] as? Int == 5000)
    }

    @Test func `a damaged file of a folder is passed over and named, unless there is no other`() async throws {
        let folder = try Folder()
        let istep = Command(folder: folder)
        try setUp(folder, "[import.phone]\npath = \"~/Sync\"\n")
        _ = try await istep("plan", "8000")
        let (good, bad) = (folder.path + "/Sync/a.csv", folder.path + "/Sync/b.zip")
        try write("Date,Steps\n2019-04-01,5000\n", to: good)
        try write("PK\u{3}\u{4}cut", to: bad)
        func age(_ path: String, _ seconds: Int) throws {
            let date = Date(timeIntervalSinceNow: TimeInterval(-seconds))
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
        }
        try age(good, 90_000)
        let first = try await istep("sync", "--unattended")
        #expect(first.status == 0 && first.output.contains("import phone: 1 day new"), "\(first)")
        try age(bad, 80_000)
        let damaged = try await istep("sync", "--unattended")
        #expect(
            damaged.status == 0 && damaged.output.contains("import phone: nothing new, b.zip cannot be read"),
            "\(damaged)")
        #expect(try await istep("status").output.contains("Import phone: last read"))
        let document = try await istep("sync", "--unattended", "--json").json
        #expect((document["imports"] as? [[String: Any]])?.first?["damaged"] as? [String] == [bad])
        try FileManager.default.removeItem(atPath: good)
        let only = try await istep("sync", "--unattended")
        #expect(only.status == 65 && only.error.contains(bad), "\(only)")
        let status = try await istep("status")
        #expect(status.output.contains("istep import --dry-run FILE"), "\(status)")
    }

    @Test func `a file whose damage shows only when it is read is passed over and named, too`() async throws {
        let folder = try Folder()
        // Times of Apple have the offset of the phone when it wrote them: their days are those of the zone here.
        let istep = Command(folder: folder, timeZone: "UTC0")
        try setUp(folder, "[import.phone]\npath = \"~/Sync\"\n")
        _ = try await istep("plan", "8000")
        let (good, bad) = (folder.path + "/Sync/a.xml", folder.path + "/Sync/b.xml")
        let records = (10..<60).map { minute in
            let time = "2019-04-01 10:\(minute):"
            return """
                 <Record type="HKQuantityTypeIdentifierStepCount" sourceName="Phone" unit="count" \
                startDate="\(time)00 +0000" endDate="\(time)30 +0000" value="10"/>

                """
        }
        let export = "<?xml version=\"1.0\"?>\n<HealthData locale=\"en_US\">\n\(records.joined())</HealthData>\n"
        try write(export, to: good)
        try write(String(export.prefix(export.count / 2)), to: bad)
        for (path, seconds) in [(good, 7200), (bad, 3600)] {
            let date = Date(timeIntervalSinceNow: TimeInterval(-seconds))
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
        }
        let first = try await istep("sync", "--unattended")
        #expect(first.status == 0 && first.output.contains("import phone: 1 day new, b.xml cannot be read"), "\(first)")
        #expect(try await istep("show", "2019-04-01", "--json").json["steps"] as? Int == 500)
        let again = try await istep("sync", "--unattended")
        #expect(again.status == 0 && again.output.contains("nothing new, b.xml cannot be read"), "\(again)")
        let status = try await istep("status")
        #expect(words(status).contains("Import phone: last read") && words(status).contains("b.xml cannot be read"))
        #expect(status.output.contains("istep import --dry-run \(bad)"), "\(status)")
        let document = try await istep("status", "--json").json
        #expect((document["imports"] as? [[String: Any]])?.first?["damaged"] as? [String] == [bad])
        let doctor = try await istep("doctor", "--no-radio", "--no-network")
        #expect(words(doctor).contains("b.xml cannot be read"), "\(doctor)")
        try FileManager.default.removeItem(atPath: good)
        let only = try await istep("sync", "--unattended")
        #expect(only.status == 65 && only.error.contains("[import.phone]: \(bad) cannot be imported"), "\(only)")
        try write(export, to: bad)
        #expect(try await istep("sync", "--unattended").status == 0)
        #expect(try await !words(istep("status")).contains("cannot be read"))
    }

    @Test func `changed settings have the file read again`() async throws {
        let folder = try Folder()
        let istep = Command(folder: folder)
        for user in ["anna", "carl"] { _ = try await istep("plan", "8000", "--user", user) }
        try write("start,steps\n2019-04-01T10:00:00,50\n", to: folder.path + "/a.csv")
        func sync(_ keys: String) async throws -> Command.Result {
            try setUp(folder, "[import.phone]\npath = \"~/a.csv\"\n\(keys)\n")
            return try await istep("sync", "--unattended")
        }
        let none = try await sync("")
        #expect(none.status == 64 && none.error.contains("as user into [import.phone]"), "\(none)")
        #expect(!none.error.contains("--user"), "\(none)")
        #expect(try await sync("user = \"anna\"").output.contains("import phone: 1 day new"))
        #expect(try await sync("user = \"anna\"").output.contains("import phone: nothing new"))
        let other = try await sync("user = \"carl\"")
        #expect(other.status == 0 && other.output.contains("import phone: 1 day new"), "\(other)")
        #expect(try await istep("show", "2019-04-01", "--user", "carl", "--json").json["steps"] as? Int == 50)
        #expect(try await sync("user = \"carl\"").output.contains("import phone: nothing new"))
        let zone = try await sync("user = \"carl\"\nzone = \"Asia/Tokyo\"")
        #expect(zone.status == 64 && zone.error.contains("in another time zone"), "\(zone)")
        let format = try await sync("user = \"carl\"\nformat = \"gadgetbridge\"")
        #expect(format.status == 64 && format.error.contains("not of the format gadgetbridge"), "\(format)")
        let unknown = try await sync("user = \"dora\"")
        #expect(unknown.status == 64 && unknown.error.contains("Correct user in [import.phone]"), "\(unknown)")
    }

    @Test func `columns of a table can be named`() async throws {
        let folder = try Folder()
        let istep = Command(folder: folder)
        _ = try await istep("plan", "8000")
        try write("Tag,Gang\n2019-04-01,5000\n", to: folder.path + "/a.csv")
        let table = "[import.phone]\npath = \"~/a.csv\"\nformat = \"csv\"\n"
        try setUp(folder, table)
        let none = try await istep("sync", "--unattended")
        #expect(none.status == 64 && none.error.contains("as columns into [import.phone]"), "\(none)")
        for (columns, status) in [("day=Tag,step=Gang", 78), ("day=Tag,steps=Gang", 0)] {
            try setUp(folder, table + "columns = \"\(columns)\"\n")
            let sync = try await istep("sync", "--unattended")
            #expect(sync.status == status, "\(sync)")
        }
        #expect(try await istep("show", "2019-04-01", "--json").json["steps"] as? Int == 5000)
    }

    /// Versions before stored no settings.
    @Test func `what an earlier version has imported and the user has taken back does not return`() async throws {
        let folder = try Folder()
        let istep = Command(folder: folder)
        try setUp(folder, "[import.phone]\npath = \"~/a.csv\"\n")
        _ = try await istep("plan", "8000")
        try write("start,steps\n2019-04-01T10:00:00,50\n", to: folder.path + "/a.csv")
        #expect(try await istep("sync", "--unattended").output.contains("import phone: 1 day new"))
        #expect(try await istep("imports", "remove", "1", "--yes").status == 0)
        let history = try StepDatabase(path: folder.path + "/data/istep/history.sqlite", for: .writing)
        var state = try #require(try history.scheduledImports().first)
        state.settings = nil
        try history.store(state)
        try history.close()
        let again = try await istep("sync", "--unattended")
        #expect(again.status == 0 && again.output.contains("import phone: nothing new"), "\(again)")
        #expect(try await istep("imports").output.contains("Nothing was imported"))
        try setUp(folder, "[import.phone]\npath = \"~/a.csv\"\nzone = \"Asia/Tokyo\"\n")
        #expect(try await istep("sync", "--unattended").output.contains("import phone: 1 day new"))
    }

    @Test func `exports of several nights are files, not one export`() async throws {
        let folder = try Folder()
        let istep = Command(folder: folder)
        try setUp(
            folder,
            "[import.laptop]\npath = \"~/Sync\"\nuser = \"anna\"\nfrom-user = \"ben\"\n")
        _ = try await istep("plan", "8000", "--user", "anna")
        let other = Command(folder: try Folder())
        try write("start,steps\n2019-04-01T10:00:00,50\n", to: folder.path + "/a.csv")
        #expect(try await other("import", folder.path + "/a.csv", "--yes", "--user", "ben").status == 0)
        #expect(try await other("plan", "8000", "--user", "carl").status == 0)
        for name in ["1.sqlite", "2.sqlite", "3.jsonl"] {
            #expect(try await other("export", folder.path + "/Sync/" + name).status == 0)
        }
        let read = try await istep("sync", "--unattended")
        #expect(read.status == 0 && read.output.contains("import laptop: 1 day new"), "\(read)")
        #expect(try await istep("show", "2019-04-01", "--json").json["steps"] as? Int == 50)
    }

    @Test func `wrong tables are errors of the configuration`() async throws {
        let folder = try Folder()
        let istep = Command(folder: folder)
        for (table, text) in [
            ("[import.phone]\n", "path"), ("[import.phone]\npath = \"relative\"\n", "path"),
            ("[import.phone]\npath = \"/a\"\nformat = \"x\"\n", "format"),
            ("[import.phone]\npath = \"/a\"\nzone = \"Mars/Base\"\n", "Mars/Base"),
            ("[import.phone]\npath = \"/a\"\npaths = 1\n", "paths"), ("import = 5\n", "import"),
            ("[import.\"a b\"]\npath = \"/a\"\n", "a b"),
        ] {
            try setUp(folder, table)
            let result = try await istep("config", "check")
            #expect(result.status == 78 && (result.output + result.error).contains(text), "\(table): \(result)")
        }
    }

    @Test func `users that the history does not have are errors of the configuration`() async throws {
        let folder = try Folder()
        let istep = Command(folder: folder)
        let text = "user = \"ben\"\n[import.phone]\npath = \"/a\"\nuser = \"eve\"\n"
        try setUp(folder, text)
        #expect(try await istep("config", "check").status == 0, "there is no user yet")
        #expect(try await istep("plan", "8000", "--user", "anna").status == 0)
        let problems = try #require(try await istep("config", "check", "--json").json["problems"] as? [String])
        try #require(problems.count == 2, "\(problems)")
        #expect(
            problems[0].hasSuffix(
                "config.toml\", line 1: `user` names the user ben, who is not in the history; known users: anna"))
        #expect(problems[1].contains("config.toml\", line 4: [import.phone]: names the user eve"), "\(problems)")
    }

    @Test func `the documents match the schema`() async throws {
        let folder = try Folder()
        let istep = Command(folder: folder)
        try setUp(folder, "[import.phone]\npath = \"~/Sync\"\n")
        _ = try await istep("plan", "8000")
        var check = JSONSchemaCheck(schema: try await istep("json", "--schema").output)
        check.add(try await istep("sync", "--unattended", "--json").output, as: "sync", "sync")
        check.add(try await istep("status", "--json").output, as: "status", "status")
        check.add(try await istep("doctor", "--no-radio", "--no-network", "--json").output, as: "doctor", "doctor")
        let complaints = try check.complaints()
        #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
    }
}
