import Foundation
import TestSupport
import Testing

/// `istep correct --from --to`.
@Suite(.timeLimit(.minutes(5))) struct ExcludeCommandTests {
    @Test func `an option with a typing error is named, not the one that is missing`() async throws {
        let istep = Command(folder: try Folder())
        for (words, cause) in [
            (["--step", "9000"], "Unknown option '--step'"), (["9000"], "Unexpected argument '9000'"),
            ([], "Give the steps with --steps, or --remove."),
        ] {
            let wrong = try await istep.run(["correct", "2014-04-20"] + words)
            #expect(wrong.status == 64 && wrong.error.contains(cause), "\(wrong)")
        }
    }

    @Test func `a block is excluded, shown, and counted again`() async throws {
        let folder = try Folder()
        let istep = Command(folder: folder)
        let table = "Date,Steps\n2019-04-01 09:00,500\n2019-04-01 10:00,600\n2019-04-01 10:15,40\n"
        try Data(table.utf8).write(to: URL(fileURLWithPath: folder.path + "/a.csv"))
        #expect(try await istep("import", folder.path + "/a.csv", "--yes").status == 0)
        let before = try await istep("show", "2019-04-01", "--json").json["steps"] as? Int
        let words = ["correct", "2019-04-01", "--from", "10:00", "--to", "10:30"]
        let excluded = try await istep.run(words + ["--steps", "0", "--reason", "drive"])
        #expect(excluded.status == 0 && excluded.output.contains("10:00 to 10:30"), "\(excluded)")
        #expect(excluded.output.contains("not counted (drive)"))
        #expect(
            excluded.output.contains("istep correct 2019-04-01 --from 10:00 --to 10:30 --remove\n"), "\(excluded)")
        let uncorrected = try await istep("correct", "2019-04-01", "--remove")
        #expect(
            uncorrected.status == 64
                && uncorrected.error.contains("Excluded time is removed with its beginning and end"),
            "\(uncorrected)")
        let after = try await istep("show", "2019-04-01", "--json").json["steps"] as? Int
        #expect(try #require(after) < #require(before))
        #expect(try await istep("import", folder.path + "/a.csv", "--yes").status == 0)
        #expect(try await istep("show", "2019-04-01", "--json").json["steps"] as? Int == after)
        #expect(try await istep("history", "2019-04", "--json").output.contains("\"steps\" : \(after ?? 0)"))
        let removed = try await istep.run(words + ["--remove"])
        #expect(removed.status == 0 && !removed.output.contains("Excluded"), "\(removed)")
        #expect(try await istep("show", "2019-04-01", "--json").json["steps"] as? Int == before)
        let again = try await istep.run(words + ["--remove"])
        #expect(again.status == 64 && again.error.contains("Nothing of this time is excluded"), "\(again)")
    }

    @Test func `a block on the days of clock changes has the times that clocks show`() async throws {
        let istep = Command(folder: try Folder(), timeZone: "CET-1CEST,M3.5.0,M10.5.0/3")
        _ = try await istep("plan", "8000")
        func block(_ day: String, _ words: String...) async throws -> Command.Result {
            let times = ["--from", words[0], "--to", words[1]]
            return try await istep.run(["correct", day] + times + words.dropFirst(2))
        }
        let skipped = try await block("2014-03-30", "02:00", "03:00", "--steps", "0")
        #expect(skipped.status == 64 && skipped.error.contains("does not exist on 2014-03-30"), "\(skipped)")
        let spring = try await block("2014-03-30", "01:00", "03:15", "--steps", "0", "--json")
        let blocks = try #require(spring.json["excluded"] as? [[String: Any]])
        #expect(blocks.map { $0["end"] as? String } == ["2014-03-30T03:15:00+02:00"], "\(spring)")
        #expect(try await istep("show", "2014-03-30").output.contains("01:00 to 03:15"))
        #expect(try await block("2014-03-30", "02:00", "03:00", "--remove").status == 64)
        #expect(try await block("2014-03-30", "01:00", "03:15", "--remove").status == 0)
        #expect(try await !istep("show", "2014-03-30").output.contains("Excluded"))
        let autumn = try await block("2014-10-26", "02:00", "03:00", "--steps", "0")
        #expect(autumn.output.contains("02:00 to 03:00"), "\(autumn)")
        #expect(try await block("2014-10-26", "02:00", "03:00", "--remove").status == 0)
        let second = try await block("2014-10-26", "02:15+01:00", "03:00", "--steps", "0", "--json")
        let alone = try #require((second.json["excluded"] as? [[String: Any]])?.first)
        #expect(alone["start"] as? String == "2014-10-26T02:15:00+01:00", "\(second)")
        #expect(alone["end"] as? String == "2014-10-26T03:00:00+01:00", "\(second)")
        let unclear = try await block("2014-10-26", "02:15+01:00", "02:30", "--steps", "0")
        #expect(unclear.status == 64 && unclear.error.contains("such as 02:15+01:00"), "\(unclear)")
        #expect(try await block("2014-10-26", "02:15+01:00", "02:30+01:00", "--remove").status == 0)
        let rest = try await istep("show", "2014-10-26").output
        #expect(rest.contains("02:30+01:00 to 03:00+01:00"), "times alone name another block: \(rest)")
        #expect(try await block("2014-10-26", "02:15+15:00", "03:00", "--steps", "0").status == 64)
    }

    @Test(arguments: ["UTC0", "EST5EDT,M3.2.0,M11.1.0", "<+07>-7"])
    func `the times of a block are those where the day was walked, as the hours are`(zone: String) async throws {
        let folder = try Folder()
        let istep = Command(folder: folder, timeZone: zone)
        let table = "Date,Steps\n2019-04-01 00:15,30\n2019-04-01 21:00,600\n2019-04-01 22:00,40\n2019-04-01 23:00,7\n"
        try Data(table.utf8).write(to: URL(fileURLWithPath: folder.path + "/a.csv"))
        #expect(try await istep("import", folder.path + "/a.csv", "--zone", "Asia/Ho_Chi_Minh", "--yes").status == 0)
        func hours(_ result: Command.Result) throws -> [Int] {
            let hours = try #require(result.json["hours"] as? [[String: Any]], "\(result)")
            #expect(hours.allSatisfy { ($0["start"] as? String)?.hasSuffix(":00:00+07:00") == true }, "\(result)")
            return hours.map { $0["steps"] as? Int ?? 0 }
        }
        let before = try await hours(istep("show", "2019-04-01", "--json"))
        #expect(before[21] > 0 && before[22] > 0)
        let words = ["correct", "2019-04-01", "--from", "22:00", "--to", "23:00"]
        var expected = before
        expected[22] = 0
        #expect(try await hours(istep.run(words + ["--steps", "0", "--json"])) == expected)
        let shown = try await istep("show", "2019-04-01")
        #expect(shown.output.contains("22:00 to 23:00: \(before[22]) steps, not counted"), "\(shown)")
        #expect(try await hours(istep.run(words + ["--remove", "--json"])) == before)
        let whole = try await istep(
            "correct", "2019-04-01", "--from", "00:00", "--to", "24:00", "--steps", "0", "--json")
        #expect(whole.json["steps"] as? Int == 0, "\(whole)")
    }

    @Test func `the command that lets a block count again works, whatever offset the block was given by`() async throws
    {
        let folder = try Folder()
        let istep = Command(folder: folder, timeZone: "UTC0")
        let table = "Date,Steps\n2019-04-01 21:00,600\n2019-04-01 22:00,40\n"
        try Data(table.utf8).write(to: URL(fileURLWithPath: folder.path + "/a.csv"))
        #expect(try await istep("import", folder.path + "/a.csv", "--zone", "Asia/Ho_Chi_Minh", "--yes").status == 0)
        for times in [["22:00+07:00", "23:00+07:00"], ["14:00+00:00", "15:00+00:00"], ["22:00+07:00", "23:00"]] {
            let words = ["correct", "2019-04-01", "--from", times[0], "--to", times[1], "--steps", "0"]
            let excluded = try await istep.run(words)
            let hint = try #require(
                excluded.output.split(separator: "\n").first { $0.contains("--remove") }, "\(excluded)")
            let removal = hint.split(separator: " ").dropFirst().map(String.init)
            let removed = try await istep.run(removal)
            #expect(removed.status == 0 && !removed.output.contains("Excluded"), "\(times): \(removed)")
        }
    }

    @Test func `a time of a journey that steps of several offsets have needs its offset`() async throws {
        let folder = try Folder()
        let istep = Command(folder: folder)
        let table = """
            start,steps
            2019-04-01T08:00:00+07:00,100
            2019-04-01T09:00:00+07:00,200
            2019-04-01T10:00:00+07:00,50
            2019-04-01T09:00:00+02:00,300
            2019-04-01T10:00:00+02:00,400

            """
        try Data(table.utf8).write(to: URL(fileURLWithPath: folder.path + "/a.csv"))
        #expect(try await istep("import", folder.path + "/a.csv", "--yes").status == 0)
        let unclear = try await istep("correct", "2019-04-01", "--from", "09:00", "--to", "10:00", "--steps", "0")
        #expect(unclear.status == 64 && unclear.error.contains("several UTC offsets"), "\(unclear)")
        #expect(unclear.error.contains("such as 22:00+07:00"), "\(unclear)")
        for (times, steps) in [(["09:00+02:00", "10:00+02:00"], 750), (["00:00", "24:00"], 0)] {
            let words = ["correct", "2019-04-01", "--from", times[0], "--to", times[1]]
            let excluded = try await istep.run(words + ["--steps", "0", "--json"])
            #expect(excluded.json["steps"] as? Int == steps, "\(excluded)")
            #expect(try await istep.run(words + ["--remove", "--json"]).json["steps"] as? Int == 1050)
        }
        let long = try await istep(
            "correct", "2019-04-01", "--from", "00:00+07:00", "--to", "24:00+02:00", "--steps", "0")
        #expect(long.status == 64 && long.error.contains("longer than 25 hours"), "\(long)")
    }

    /// In Hanoi the next day begins at 19 o'clock in Berlin.
    @Test func `a block beside the day after a journey counts again by the command that is shown`() async throws {
        let folder = try Folder()
        let istep = Command(folder: folder, timeZone: "CET-1CEST,M3.5.0,M10.5.0/3")
        let table = """
            start,steps
            2019-04-01T14:00:00+02:00,100
            2019-04-02T00:00:00+07:00,200

            """
        try Data(table.utf8).write(to: URL(fileURLWithPath: folder.path + "/a.csv"))
        #expect(try await istep("import", folder.path + "/a.csv", "--yes").status == 0)
        let excluded = try await istep(
            "correct", "2019-04-01", "--from", "13:00+02:00", "--to", "20:00+02:00", "--steps", "0")
        let hint = try #require(excluded.output.split(separator: "\n").first { $0.contains("--remove") }, "\(excluded)")
        let removed = try await istep.run(hint.split(separator: " ").dropFirst().map(String.init))
        #expect(removed.status == 0 && !removed.output.contains("Excluded"), "\(removed)")
        let other = try await istep("correct", "2019-04-01", "--from", "19:00", "--to", "24:00", "--steps", "0")
        #expect(other.status == 64 && other.error.contains("count on the day before or after 2019-04-01"), "\(other)")
    }

    @Test func `wrong blocks are refused`() async throws {
        let istep = Command(folder: try Folder())
        for (words, text) in [
            (["--from", "10:00", "--steps", "0"], "both"),
            (["--from", "10:00", "--to", "09:00", "--steps", "0"], "later"),
            (["--from", "10:00", "--to", "11:00", "--steps", "5"], "--steps 0"),
            (["--from", "25:00", "--to", "26:00", "--steps", "0"], "10:30"),
            (["--from", "10", "--to", "11", "--steps", "0"], "10:30"),
        ] {
            let result = try await istep.run(["correct", "yesterday"] + words)
            #expect(result.status == 64 && result.error.contains(text), "\(words): \(result)")
        }
    }
}
