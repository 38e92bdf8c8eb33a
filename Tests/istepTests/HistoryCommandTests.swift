import Foundation
import SimulatedBlueZ
import Testing
import TestSupport

/// `istep history` as a user runs it.
@Suite(.timeLimit(.minutes(5))) struct HistoryCommandTests {
    /// A history of corrected days, which need no pedometer.
    private func corrected(_ steps: [Int], _ istep: Command) async throws {
        for (ago, steps) in steps.enumerated() {
            let result = try await istep("correct", "-\(ago)", "--steps", "\(steps)")
            try #require(result.status == 0, "\(result.error)")
        }
    }

    @Test func `the history shows the same figures as each day by itself`() async throws {
        try await Household.live { home in
            _ = try await home.istep("plan", "8000")
            _ = try await home.istep("add", home.ring.address, "--timeout", "120", "--name", "ring")
            let empty = try await home.istep("history")
            #expect(
                empty.status == 0 && empty.output.contains("Nothing is known yet.")
                    && empty.output.contains("istep sync"))
            _ = try await home.istep("sync")
            let history = try await home.istep("history", "--json").json
            let days = try #require(history["days"] as? [[String: Any]])
            #expect(days.count >= 7)
            for (ago, entry) in days.reversed().enumerated().prefix(4) {
                let shown = try await home.istep("show", "-\(ago)", "--json").json
                for key in ["day", "steps", "goal", "completeness", "distanceMetres", "energyKilocalories"] {
                    #expect("\(entry[key] ?? "")" == "\(shown[key] ?? "")", "\(key) of \(entry["day"] ?? "")")
                }
            }
            let text = try await home.istep("history")
            #expect(text.status == 0 && text.output.contains("Total") && text.output.contains("│ goal"))
            // A sync that brings more is seen at once, though sums of days are stored.
            let before = days.compactMap { $0["steps"] as? Int }.reduce(0, +)
            _ = try await home.istep("correct", "yesterday", "--steps", "1")
            let after = try await home.istep("history", "--json").json["total"] as? [String: Any]
            #expect(after?["steps"] as? Int == before - home.walked(daysAgo: 1) + 1)
        }
    }

    /// Only `istep status` said that the days are those of UTC.
    @Test(arguments: [
        ["show"], ["show", "--json"], ["show", "--csv"], ["history", "--csv"], ["status"],
        ["export", "--what", "days"],
    ])
    func `a zone that the machine does not have is reported once`(words: [String]) async throws {
        let istep = Command(folder: try Folder(), timeZone: "Europe/Nowhere")
        try await corrected([7000], istep)
        let result = try await istep.run(words)
        #expect(result.status == 0 && !result.output.contains("Nowhere"), "\(result)")
        #expect(result.error.matches(of: /does not know the time zone 'Europe\/Nowhere'/).count == 1, "\(result)")
    }

    @Test func `every period and every grouping has a history`() async throws {
        let istep = Command(folder: try Folder())
        try await corrected([7000, 0, 12_000], istep)
        for words in [
            ["week"], ["month"], ["year"], ["all"], ["all", "--by", "hour"], ["--from", "-2"], ["--to", "yesterday"],
            ["month", "--on", "-1"],
            ["this", "week"], ["This", "Year"], ["yesterday"],
        ] {
            let result = try await istep.run(["history"] + words)
            #expect(result.status == 0, "\(words): \(result.error)")
            #expect(result.output.contains("Total"), "\(words)")
        }
        let csv = try await istep("history", "--from", "-2", "--csv")
        #expect(
            csv.output.split(separator: "\n").map { $0.split(separator: ",")[1] } == ["steps", "12000", "0", "7000"])
        let json = try await istep("history", "all", "--by", "weekday", "--json").json
        #expect(json["by"] as? String == "weekday" && (json["weekdays"] as? [Any])?.count == 7)
    }

    @Test func `before there is a history programs get tables and documents without figures`() async throws {
        let folder = try Folder(), istep = Command(folder: folder)
        for words in [["history", "--csv"], ["show", "--csv"], ["history", "week", "--csv"]] {
            let result = try await istep.run(words)
            #expect(result.status == 0 && result.output.hasPrefix("day,steps,"), "\(words): \(result)")
            #expect(result.output.split(separator: "\n").count == 1)
        }
        #expect(try await istep("history", "year", "--csv").output.hasPrefix("first_day,last_day,steps,"))
        let history = try await istep("history", "--json")
        #expect(history.status == 0 && (history.json["days"] as? [Any])?.isEmpty == true, "\(history)")
        #expect(history.json["user"] as? String == "anna" && history.json["total"] is NSNull)
        #expect(try await istep("show", "tomorrow", "--csv").status == 64)
        #expect(try await istep("history").error.contains("istep add"))
        // One that was named should be there: its name may be wrong.
        for words in [["history", "--csv"], ["history", "--json"], ["show", "--csv"]] {
            #expect(try await istep.run(words + ["--db", folder.path + "/other.sqlite"]).status == 69, "\(words)")
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/data/istep/history.sqlite"))
    }

    @Test func `a wrong range gets an error with advice`() async throws {
        let istep = Command(folder: try Folder())
        #expect(try await istep("history").status == 69, "there is no history")
        try await corrected([7000], istep)
        for (words, message) in [
            (
                ["--from", "2014-04-20", "--to", "2014-04-01"],
                "The range ends before it begins: 2014-04-20 to 2014-04-01."
            ),
            (["--from", "2999-01-01"], "2999-01-01 has not begun."),
            (["week", "--from", "-3"], "A period cannot be combined with --from or --to."),
            (["--on", "-3"], "--on needs a period"), (["all", "--on", "-3"], "--on needs a period"),
            (["decade"], "'decade' is not a period"),
            (["2014-13"], "'2014-13' is not a period"), (["last"], "last month, 2026, 2026-10"),
            (["last", "all"], "is not a period"),
            (["week", "month"], "is not a period"),
            (["week", "--on", "2014-04"], "--on takes a day"), (["2014", "--on", "2014-04"], "--on takes a day"),
            (["2999"], "has not begun"), (["--by", "minute"], "minute"),
            (["--csv", "--json"], "--csv cannot be combined with --json."),
        ] {
            let result = try await istep.run(["history"] + words)
            #expect(result.status == 64, "\(words)")
            #expect(result.error.contains(message), "\(words): \(result.error)")
        }
        #expect(
            try await istep("history", "--from", "2014-04-20", "--to", "2014-04-01").error.contains(
                "the first one is 2014-04-01, and the last one 2014-04-20"))
    }

    /// As of a single day, which has unknown steps.
    @Test func `a period before the history is answered, and nothing is known of it`() async throws {
        let istep = Command(folder: try Folder())
        try await corrected([7000], istep)
        for words in [
            ["--to", "2014-04-20"], ["--from", "2014-01-01", "--to", "2014-04-20"], ["week", "--on", "2014-04-20"],
            ["2014"], ["last", "year"], ["--on", "2014-04"], ["month", "--on", "2014-04"],
        ] {
            let result = try await istep.run(["history"] + words)
            #expect(result.status == 0 && result.output.contains("The history begins on"), "\(words): \(result)")
            #expect(result.output.contains("istep history all"), "\(words): \(result)")
            let json = try await istep.run(["history", "--json"] + words)
            #expect(json.status == 0 && (json.json["days"] as? [Any])?.isEmpty == true, "\(words): \(json)")
            #expect(try await istep.run(["history", "--csv"] + words).status == 0, "\(words)")
        }
        #expect(try await istep("show", "2014-04-20").status == 0)
    }

    /// Scripts read it by its name, which is also that of the key in JSON.
    @Test func `the help explains the column running of the CSV`() async throws {
        let istep = Command(folder: try Folder())
        let help = try await istep("history", "--help").output.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
        #expect(
            help.contains(
                "\"running\" is true for a day that is not over. The steps that were run are \"running_steps\""),
            "\(help)")
        try await corrected([7000, 8000], istep)
        let csv = try await istep("history", "--from", "-1", "--csv").output.split(separator: "\n")
        let rows = csv.map { $0.split(separator: ",", omittingEmptySubsequences: false) }
        let column = try #require(rows.first?.firstIndex(of: "running"))
        #expect(rows.dropFirst().map { $0[column] } == ["false", "true"])
    }

    /// The configuration, then the locale of the machine, if it is installed.
    @Test func `the week begins on the configured day`() async throws {
        let folder = try Folder()
        let istep = Command(folder: folder)
        try await corrected([7000], istep)
        func first() async throws -> String? {
            try await istep("history", "week", "--json").json["firstDay"] as? String
        }
        func weekday(_ word: String) throws -> Int {
            let parts = word.split(separator: "-").compactMap { Int($0) }
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = .gmt
            let date = try #require(calendar.date(from: DateComponents(year: parts[0], month: parts[1], day: parts[2])))
            return calendar.component(.weekday, from: date)
        }
        #expect(try weekday(try #require(try await first())) == 2, "Monday where the locale is C.UTF-8")
        try folder.configure("week-start = \"Sunday\"\n")
        #expect(try weekday(try #require(try await first())) == 1)
        try folder.configure("week-start = \"easter\"\n")
        let wrong = try await istep("history", "week")
        #expect(wrong.status == 78 && wrong.error.contains("week-start"), "\(wrong.error)")
    }
}
