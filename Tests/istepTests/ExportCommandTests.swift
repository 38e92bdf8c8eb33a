import Foundation
import StepDatabase
import StepDomain
import TestSupport
import Testing

/// `istep export`, and what `istep import` makes of it.
@Suite(.timeLimit(.minutes(10))) struct ExportCommandTests {
    private static let first = Day(year: 2024, month: 1, day: 1)!

    /// A year of two users with three pedometers, corrections, excluded time and a journey.
    private func fill(_ path: String, days: Int = 366) throws {
        let history = try StepDatabase(path: path)
        let users = try ["anna", "Ben, \"B\""].map(history.addUser)
        for (number, user) in [users[0], users[0], users[1]].enumerated() {
            let pedometer = try history.addPedometer(
                Pedometer(
                    user: user.id, model: "colmi", address: "30:34:42:00:00:0\(number)", addressType: "public",
                    name: "ring \(number)"))
            for month in 0..<(days + 29) / 30 {
                // Two weeks of each summer are in Tokyo.
                let isAway = month == 6
                let zone = LocalTime.fixed(isAway ? 9 * 3600 : 3600)
                let start = zone.moment(Self.first.advanced(by: month * 30))
                let sync = try history.beginSync(of: pedometer.id, at: start)
                let samples = (0..<min(30, days - month * 30) * 12).map { slot in
                    StepSample(
                        start: start + slot * 7200 + number * 900, length: 900, steps: slot * 7 % 500 + number,
                        distance: slot % 3 == 0 ? Double(slot) / 3 : nil, utcOffset: isAway ? 9 * 3600 : 3600)
                }
                _ = try history.merge(
                    SampleBatch(samples: samples, coverage: [TimeSpan(start, start + 29 * 86_400)]), sync: sync,
                    localTime: zone)
                try history.endSync(
                    sync, at: start + 30 * 86_400, outcome: .complete, battery: 80 - month, failure: nil, cause: nil)
            }
        }
        let noon = LocalTime.fixed(3600).moment(Self.first, seconds: 12 * 3600)
        for user in users {
            try history.setProfile(
                Profile(validFrom: Self.first, height: 1.7, weight: 70.25, sex: .female), of: user.id)
            try history.setCorrection(
                StepCorrection(steps: 12_345, reason: "left it, \"at home\""), of: user.id,
                on: Self.first.advanced(by: 40), at: noon)
            try history.exclude(
                Exclusion(TimeSpan(noon, noon + 5400), utcOffset: 3600, reason: "drive"), of: user.id, at: noon)
        }
        try history.close()
    }

    /// The files of a folder.
    private func files(_ folder: String) throws -> [String: String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).reduce(into: [:]) {
            $0[$1] = try String(contentsOfFile: folder + "/" + $1, encoding: .utf8)
        }
    }

    @Test(arguments: ["csv", "jsonl", "sqlite"])
    func `an import of an export gives the same history in every table`(form: String) async throws {
        let folder = try Folder(), other = try Folder()
        let (istep, second) = (Command(folder: folder), Command(folder: other))
        try FileManager.default.createDirectory(atPath: folder.path + "/data/istep", withIntermediateDirectories: true)
        try fill(folder.path + "/data/istep/history.sqlite")
        let csv = folder.path + "/csv"
        let export = try await istep("export", csv)
        #expect(export.status == 0 && export.output.contains("samples"), "\(export)")
        var source = csv
        if form != "csv" {
            source = folder.path + "/all." + form
            #expect(try await istep("export", source).status == 0)
        }
        let preview = try await second("import", source, "-n")
        #expect(preview.status == 0 && preview.output.contains("would become"), "\(preview)")
        #expect(!FileManager.default.fileExists(atPath: other.path + "/data/istep/history.sqlite"))
        let done = try await second("import", source, "--yes")
        #expect(done.status == 0 && done.output.contains("is the history now"), "\(done)")
        #expect(try await second("export", other.path + "/csv").status == 0)
        let (before, after) = (try files(csv), try files(other.path + "/csv"))
        #expect(before.count == ExportTable.all.count)
        for (name, text) in before { #expect(after[name] == text, "\(name)") }
        #expect(before["samples.csv"]?.split(separator: "\n").count ?? 0 > 13_000)
        #expect(before["samples.csv"]?.contains("+09:00") == true)
        #expect(try await second("doctor", "--json").output.contains("history"))
    }

    @Test(arguments: ["", ".jsonl", ".sqlite"])
    func `an export comes into a history that is there as the sources of one user`(suffix: String) async throws {
        let folder = try Folder(), other = try Folder()
        let (istep, second) = (Command(folder: folder), Command(folder: other))
        try FileManager.default.createDirectory(atPath: folder.path + "/data/istep", withIntermediateDirectories: true)
        try fill(folder.path + "/data/istep/history.sqlite", days: 60)
        let path = folder.path + "/all" + suffix
        #expect(try await istep("export", path).status == 0)
        #expect(try await second("plan", "8000").status == 0)
        let several = try await second("import", path, "--yes", "--user", "me")
        #expect(several.status == 64, "\(several)")
        let done = try await second("import", path, "--yes", "--user", "anna")
        #expect(done.status == 0 && done.output.contains("ring 1") && !done.output.contains("ring 2"), "\(done)")
        let day = "2024-01-15"
        #expect(
            try await second("show", day, "--json").json["steps"] as? Int
                == istep("show", day, "--json", "--user", "anna").json["steps"] as? Int)
        #expect(try await second("imports", "remove", "1", "--yes").status == 0)
    }

    @Test(arguments: ["/all", "/all.jsonl", "/all.sqlite", "/data/istep/history.sqlite"])
    func `the steps of one of several users come in for another one`(source: String) async throws {
        let folder = try Folder(), other = try Folder()
        let (istep, second) = (Command(folder: folder), Command(folder: other))
        try FileManager.default.createDirectory(atPath: folder.path + "/data/istep", withIntermediateDirectories: true)
        try fill(folder.path + "/data/istep/history.sqlite", days: 60)
        let path = folder.path + source
        if source.hasPrefix("/all") { #expect(try await istep("export", path).status == 0) }
        _ = try await second("plan", "8000", "--user", "carl")
        _ = try await second("plan", "8000", "--user", "dora")
        let several = try await second("import", path, "--yes", "--user", "carl")
        #expect(several.status == 64 && several.error.contains("--from-user"), "\(several)")
        let unknown = try await second("import", path, "--yes", "--user", "carl", "--from-user", "eve")
        #expect(unknown.status == 64 && unknown.error.contains("no steps of a user eve, only of"), "\(unknown)")
        let asked = try await second("import", path, "--user", "carl", "--from-user", "anna", "--skip-impossible")
        #expect(asked.status == 64, "\(asked)")
        let words = "istep import --yes --from-user anna --skip-impossible \(path) --user carl"
        #expect(asked.error.contains(words), "\(asked.error)")
        let done = try await second.run(words.split(separator: " ").dropFirst().map(String.init))
        #expect(done.status == 0 && done.output.contains("ring 1") && !done.output.contains("ring 2"), "\(done)")
        let (day, anna) = ("2024-01-15", try await istep("show", "2024-01-15", "--json", "--user", "anna"))
        let carl = try await second("show", day, "--json", "--user", "carl")
        #expect(carl.json["steps"] as? Int == anna.json["steps"] as? Int && carl.json["steps"] is Int)
        #expect(try await second("show", day, "--json", "--user", "dora").json["steps"] is NSNull)
    }

    @Test func `one user of an export comes into a new history, and a file without users has none`() async throws {
        let folder = try Folder(), other = try Folder()
        let (istep, second) = (Command(folder: folder), Command(folder: other))
        try FileManager.default.createDirectory(atPath: folder.path + "/data/istep", withIntermediateDirectories: true)
        try fill(folder.path + "/data/istep/history.sqlite", days: 60)
        #expect(try await istep("export", folder.path + "/all").status == 0)
        let done = try await second("import", folder.path + "/all", "--yes", "--from-user", "ANNA", "--user", "carl")
        #expect(
            done.status == 0 && done.output.contains("profiles are not taken over")
                && done.output.contains("1 corrected day") && done.output.contains("1 block of excluded time"),
            "\(done)")
        #expect(try await second("status").output.contains("carl"))
        try Data("Date,Steps\n2019-04-01,5\n".utf8).write(to: URL(fileURLWithPath: folder.path + "/a.csv"))
        let none = try await second("import", folder.path + "/a.csv", "--yes", "--from-user", "anna")
        #expect(none.status == 64 && none.error.contains("does not name the users"), "\(none)")
    }

    @Test func `samples without their pedometers say what they are`() async throws {
        let folder = try Folder()
        let istep = Command(folder: folder)
        try FileManager.default.createDirectory(atPath: folder.path + "/data/istep", withIntermediateDirectories: true)
        try fill(folder.path + "/data/istep/history.sqlite", days: 10)
        let path = folder.path + "/samples"
        #expect(try await istep("export", path, "--what", "samples", "--user", "anna").status == 0)
        let preview = try await istep("import", path, "-n", "--user", "anna")
        #expect(preview.status == 0 && preview.output.contains("it lacks the table pedometers"), "\(preview)")
        let named = folder.path + "/named"
        #expect(try await istep("export", named, "--what", "samples,pedometers", "--user", "anna").status == 0)
        let same = try await istep("import", named, "-n", "--user", "anna")
        #expect(
            same.output.contains("The same pedometers have all of this in the history already: nothing changes."),
            "\(same)")
    }

    @Test(arguments: ["csv", "jsonl", "sqlite", "cut"])
    func `a part of a history, or one without its list of tables, comes in with all that it has`(form: String)
        async throws
    {
        let folder = try Folder(), other = try Folder()
        let (istep, second) = (Command(folder: folder), Command(folder: other))
        try FileManager.default.createDirectory(atPath: folder.path + "/data/istep", withIntermediateDirectories: true)
        try fill(folder.path + "/data/istep/history.sqlite", days: 60)
        let part = folder.path + "/part" + (["jsonl", "sqlite"].contains(form) ? "." + form : "")
        let days = form == "cut" ? [] : ["--from", "2024-02-01"]
        #expect(try await istep.run(["export", part] + days).status == 0)
        if form == "cut" { try FileManager.default.removeItem(atPath: part + "/tables.csv") }
        let preview = try await second("import", part, "-n")
        let missing = form == "cut" ? "it cannot be told whether" : "it lacks imports"
        #expect(preview.status == 0 && preview.output.contains(missing), "\(preview)")
        let done = try await second("import", part, "--yes", "--json")
        let tables = form == "cut" ? ["tables"] : (ExportTable.ofImports + ExportTable.ofImportedDecisions).map(\.name)
        #expect(done.status == 0 && done.json["missing"] as? [String] == tables, "\(done)")
        for day in ["2024-02-10", "2024-02-12"] {
            let (before, after) = (
                try await istep("show", day, "--json", "--user", "anna"),
                try await second("show", day, "--json", "--user", "anna")
            )
            #expect(before.output == after.output)
        }
        let profile = try await second("profile", "--user", "anna", "--json")
        #expect(try await istep("profile", "--user", "anna", "--json").output == profile.output && profile.status == 0)
        let again = try await second("import", part, "--yes", "--user", "anna")
        #expect(again.status == 0 && again.output.contains("nothing changes"), "\(again)")
        #expect(try await second("imports", "--json").json["imports"] as? [String] == [])
    }

    @Test func `one table, one day and other forms`() async throws {
        let folder = try Folder()
        let istep = Command(folder: folder)
        try FileManager.default.createDirectory(atPath: folder.path + "/data/istep", withIntermediateDirectories: true)
        try fill(folder.path + "/data/istep/history.sqlite", days: 10)
        let days = try await istep("export", "--what", "days", "--from", "2024-01-02", "--to", "2024-01-03")
        let lines = days.output.split(separator: "\n").map(String.init)
        #expect(days.status == 0 && lines.count == 5, "\(days)")
        #expect(lines[0] == ExportTable.days.columns.map(\.name).joined(separator: ","))
        let shown = try await istep("show", "2024-01-02", "--csv", "--user", "anna")
        let listed = try await istep(
            "history", "--from", "2024-01-02", "--to", "2024-01-02", "--csv", "--user", "anna")
        #expect(shown.status == 0 && shown.output == listed.output && !shown.output.isEmpty)
        #expect(lines[1] == "anna," + shown.output.split(separator: "\n")[1])
        let points = try await istep("export", "--format", "omh", "--user", "anna")
        #expect(points.status == 0 && points.output.split(separator: "\n").count == 240, "\(points.error)")
        #expect(try await istep("export", folder.path + "/a.sqlite").status == 0)
        let database = try Data(contentsOf: URL(fileURLWithPath: folder.path + "/a.sqlite"))
        #expect(database.starts(with: Data("SQLite format 3".utf8)))
    }

    @Test func `bad options end with their exit codes, and nothing is replaced`() async throws {
        let folder = try Folder()
        let istep = Command(folder: folder)
        let none = try await istep("export", folder.path + "/x")
        #expect(none.status == 69 && !FileManager.default.fileExists(atPath: folder.path + "/x"), "\(none)")
        _ = try await istep("plan", "8000")
        try Data("mine".utf8).write(to: URL(fileURLWithPath: folder.path + "/mine.jsonl"))
        for name in ["mine.sqlite", "none.jsonl"] {
            try Data().write(to: URL(fileURLWithPath: folder.path + "/" + name))
        }
        for (words, status, text) in [
            ([], 64, "--what"), (["--what", "days,hours"], 64, "--what"), (["--what", "x"], 64, "no table 'x'"),
            (["--format", "sqlite"], 64, "not printed"), (["--format", "omh", "--what", "days"], 64, "only samples"),
            (["--what", "days", "--json"], 64, "--json"), ([folder.path], 64, "exists"),
            ([folder.path + "/mine.jsonl"], 64, "exists"),
            ([folder.path + "/mine.sqlite"], 64, "mine.sqlite' exists"), ([folder.path + "/none.jsonl"], 64, "exists"),
            ([folder.path + "/no/x"], 64, "could not be written"),
            ([folder.path + "/x", "--from", "2024-02-01", "--to", "2024-01-01"], 64, "ends before it begins"),
        ] as [([String], Int32, String)] {
            let result = try await istep.run(["export"] + words)
            #expect(result.status == status && result.error.contains(text), "\(words): \(result)")
        }
        #expect(try String(contentsOfFile: folder.path + "/mine.jsonl", encoding: .utf8) == "mine")
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(!left.contains { $0.hasSuffix(".tmp") }, "\(left)")
    }

    @Test func `a file that was cut off is refused`() async throws {
        let folder = try Folder(), other = try Folder()
        let istep = Command(folder: folder)
        _ = try await istep("plan", "8000")
        let all = try await istep("export", "--format", "jsonl")
        let cut = folder.path + "/cut.jsonl"
        try Data(
            all.output.split(separator: "\n").filter { !$0.contains("\"table\":\"tables\"") }.joined(separator: "\n")
                .utf8
        ).write(
            to: URL(fileURLWithPath: cut))
        let refused = try await Command(folder: other)("import", cut, "--yes")
        #expect(refused.status == 65 && refused.error.contains("truncated"), "\(refused)")
    }

    @Test func `the documents match the schema`() async throws {
        let folder = try Folder(), other = try Folder()
        let istep = Command(folder: folder)
        var check = JSONSchemaCheck(schema: try await istep("json", "--schema").output)
        _ = try await istep("correct", "2014-04-20", "--steps", "9000")
        check.add(try await istep("export", folder.path + "/a", "--json").output, as: "export", "export")
        let second = Command(folder: other)
        let words = ["import", folder.path + "/a", "--json"]
        check.add(try await second.run(words + ["-n"]).output, as: "takeover", "import -n")
        check.add(try await second.run(words + ["--yes"]).output, as: "takeover", "import")
        let excluded = try await istep(
            "correct", "2014-04-20", "--from", "10:00", "--to", "10:30", "--steps", "0", "--json")
        check.add(excluded.output, as: "show", "correct --from")
        #expect((excluded.json["excluded"] as? [[String: Any]])?.count == 1)
        let complaints = try check.complaints()
        #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
    }
}
