import Foundation
import SimulatedBlueZ
import StepDatabase
import StepDomain
import Testing

/// `istep correct` as a user runs it.
@Suite(.timeLimit(.minutes(5))) struct CorrectCommandTests {
    @Test func `a day is corrected, shown as such, and set back`() async throws {
        let folder = try Folder()
        let istep = Command(folder: folder)
        let corrected = try await istep("correct", "2014-04-20", "--steps", "9000", "--reason", "left the ring at home")
        #expect(corrected.status == 0, "\(corrected.error)")
        #expect(corrected.output.contains("9,000") && corrected.output.contains("entered by hand"))
        #expect(corrected.output.contains("istep correct 2014-04-20 --remove\n"), "\(corrected.output)")
        #expect(corrected.error.hasPrefix("A new history begins: \(folder.path)"), "\(corrected.error)")
        let shown = try await istep("show", "2014-04-20", "--json").json
        #expect(shown["steps"] as? Int == 9000 && shown["corrected"] as? Bool == true)
        #expect(try #require(shown["correctionTime"] as? String).hasPrefix("20"))
        #expect(shown["correctionReason"] as? String == "left the ring at home" && shown["countedSteps"] is NSNull)

        let removed = try await istep("correct", "2014-04-20", "--remove", "--json")
        #expect(removed.status == 0 && removed.json["corrected"] as? Bool == false && removed.json["steps"] is NSNull)
        let again = try await istep("correct", "2014-04-20", "--remove")
        #expect(again.status == 64 && again.error.contains("2014-04-20 has no correction."))
    }

    @Test func `a correction of a day that was shared says that it is not shared yet`() async throws {
        let folder = try Folder()
        let istep = Command(folder: folder), diary = folder.path + "/steps.csv"
        try folder.configure("[share.diary]\nkind = \"file\"\npath = \"\(diary)\"\n")
        func correct(_ steps: String) async throws -> String {
            let corrected = try await istep("correct", "2014-04-20", "--steps", steps)
            #expect(corrected.status == 0, "\(corrected)")
            return corrected.output
        }
        let unsent = "diary will get these figures with the next sync"
        #expect(try await !correct("9,000").contains("diary"))
        #expect(try await istep("share", "2014-04-20").status == 0)
        let corrected = try await correct("9.500")
        #expect(corrected.contains(unsent) && corrected.contains("istep share 2014-04-20\n"), "\(corrected)")
        #expect(try await istep("show", "2014-04-20").output.contains(unsent))
        let outbox = try await istep("outbox")
        #expect(outbox.output.contains("2014-04-20  changed since it was sent"), "\(outbox)")
        let entries = try await istep("outbox", "--json").json["entries"] as? [[String: Any]]
        #expect(entries?.map { $0["changed"] as? Bool } == [true])
        #expect(try await istep("share", "--list").output.contains("1 day sent, 1 sent day changed since"))
        #expect(try await correct("9000").contains("diary") == false, "it has these")
        _ = try await correct("9500")
        #expect(try await istep("outbox", "send").status == 0)
        #expect(try await istep("outbox").output.contains("The outbox is empty."))
        #expect(try String(contentsOfFile: diary, encoding: .utf8).contains("9500"))
    }

    @Test func `a corrected day names a destination that gets nothing, and what ends that`() async throws {
        let folder = try Folder()
        let istep = Command(folder: folder), diary = folder.path + "/steps.csv"
        try folder.configure("[share.diary]\nkind = \"file\"\npath = \"\(diary)\"\n")
        _ = try await istep("correct", "2014-04-20", "--steps", "9000")
        #expect(try await istep("share", "2014-04-20").status == 0)
        func record(_ change: (inout DestinationState) -> Void) throws {
            let database = try StepDatabase(path: folder.path + "/data/istep/history.sqlite")
            var state = try database.state(of: "diary")
            change(&state)
            try database.record(state)
        }
        try record { $0.stopped = "the server answered 401" }
        let paused = try await istep("correct", "2014-04-20", "--steps", "9500").output
        #expect(paused.contains("diary will get these figures after its pause"), "\(paused)")
        #expect(paused.contains("istep outbox retry diary") && !paused.contains("next sync"), "\(paused)")
        try record {
            ($0.stopped, $0.failures, $0.notBefore) = (nil, 1, Timestamp(Int(Date().timeIntervalSince1970)) + 3600)
        }
        let failing = try await istep("show", "2014-04-20").output
        #expect(failing.contains("diary will get these figures after the next attempt"), "\(failing)")
    }

    @Test func `a correction stays when the day is synced again`() async throws {
        try await Household.live { home in
            _ = try await home.istep("add", home.ring.address, "--timeout", "120", "--name", "ring")
            let before = try await home.istep("show", "yesterday", "--json")
            #expect(before.json["steps"] is NSNull)
            #expect(try await home.istep("correct", "yesterday", "--steps", "12345").status == 0)
            let sync = try await home.istep("sync")
            #expect(sync.status == 0, "\(sync.error)")
            let day = try await home.istep("show", "-1", "--json").json
            #expect(day["steps"] as? Int == 12_345)
            let counted = try #require(day["countedSteps"] as? Int)
            #expect(counted > 0 && counted != 12_345)
            let removed = try await home.istep("correct", "-1", "--remove", "--json")
            #expect(removed.json["steps"] as? Int == counted)
        }
    }

    @Test func `plans and profiles are listed with their days, and removed`() async throws {
        let istep = Command(folder: try Folder())
        for words in [["plan", "8000"], ["plan", "9000", "--from", "2014-04-20"], ["profile", "--height", "178"]] {
            #expect(try await istep.run(words).status == 0)
        }
        let before = try await istep("plan").output
        #expect(before.contains("from 2014-04-20: every day 9,000") && before.contains("from the beginning"))
        let wrong = try await istep("plan", "--remove", "2014-04-21")
        #expect(wrong.status == 64 && wrong.error.contains("No plan begins on 2014-04-21."), "\(wrong)")
        #expect(wrong.error.contains("beginning, 2014-04-20"))
        let removed = try await istep("plan", "--remove", "2014-04-20")
        #expect(removed.status == 0 && !removed.output.contains("9,000") && removed.output.contains("8,000"))
        #expect(try await istep("plan", "--remove", "beginning").output.contains("has no plan yet"))
        #expect(try await istep("plan", "--remove", "beginning").status == 64)
        // The word of the list is one that both options take.
        #expect(try await istep("plan", "7000", "--from", "Beginning").output.contains("from the beginning: every"))
        #expect(
            try await istep("profile", "--weight", "70", "--from", "beginning").output.contains("178 cm, weight 70"))
        #expect(try await istep("plan", "--json").json["plans"].map { ($0 as? [Any])?.count } == 1)
        _ = try await istep("profile", "--step-length", "70")
        #expect(try await istep("profile", "--step-length", "none").output.contains("by height"))
        #expect(try await istep("profile", "--json").json["profiles"].map { ($0 as? [Any])?.count } == 1)
        #expect(try await istep("profile", "--remove", "beginning").output.contains("are not known"))
        #expect(try await istep("profile", "--remove", "-3").status == 64)
        #expect(try await istep("profile", "--remove", "beginning", "--weight", "70").status == 64)
        #expect(try await istep("plan", "8000", "--remove", "beginning").status == 64)
    }

    @Test func `a plan and a profile begin another user, but not by a typing error`() async throws {
        let istep = Command(folder: try Folder())
        _ = try await istep("plan", "8000")
        for words in [["plan", "9000", "--user", "anan"], ["profile", "--height", "170", "--user", "ana"]] {
            let typing = try await istep.run(words)
            #expect(typing.status == 64 && typing.error.contains("Is it 'anna'?"), "\(typing)")
            #expect(typing.error.contains("istep users add \(words.last ?? "")"))
        }
        let plan = try await istep("plan", "9000", "--user", "Bob")
        #expect(plan.status == 0 && plan.output.contains("Bob\n  from the beginning: every day 9,000"), "\(plan)")
        #expect(try await istep("profile", "--height", "170", "--user", "zoe").output.contains("height 170 cm"))
        #expect(try await istep("plan", "--user", "anna").output.contains("8,000"))
        #expect(try await istep("plan", "7000", "--user", "bob").output.hasPrefix("Bob\n"))
        // To look adds nobody.
        #expect(try await istep("plan", "--user", "carl").status == 64)
        #expect(try await istep("plan", "--remove", "beginning", "--user", "carl").status == 64)
    }

    @Test func `each user has corrections of their own`() async throws {
        let istep = Command(folder: try Folder())
        _ = try await istep("plan", "8000", "--user", "anna")
        let typing = try await istep("correct", "2014-04-20", "--steps", "1", "--user", "anan")
        #expect(typing.status == 64 && typing.error.contains("anna"))
        #expect(
            try await istep("correct", "2014-04-20", "--steps", "7000", "--user", "anna", "--json").json["user"]
                as? String == "anna")
        #expect(try await istep("show", "2014-04-20", "--user", "anna", "--json").json["steps"] as? Int == 7000)
    }

    /// Pasted as they are, they must not change another user or another history.
    @Test func `the commands in the output are for the same user and the same history`() async throws {
        let folder = try Folder()
        let istep = Command(folder: folder), history = folder.path + "/other history.sqlite"
        let options = ["--user", "anna", "--db", history], suffix = " --user anna --db '\(history)'"
        #expect(try await istep.run(["correct", "2014-04-20", "--steps", "7000"] + options).status == 0)
        let shown = try await istep.run(["show", "2014-04-20"] + options).output
        for command in ["istep profile --height CM", "istep profile --weight KG", "istep plan 8000"] {
            #expect(shown.contains(command + suffix + "\n"), "\(shown)")
        }
        let unknown = try await istep.run(["show", "2014-04-21"] + options).output
        #expect(unknown.contains("istep import FILE" + suffix + "\n"), "\(unknown)")
        #expect(try await istep.run(["plan"] + options).output.contains("istep plan 8000 --on sun=rest" + suffix))
        let failed = try await istep.run(["correct", "2014-04-21", "--remove"] + options)
        #expect(failed.status == 64 && failed.error.contains("`istep show 2014-04-21\(suffix)`"), "\(failed.error)")
        #expect(
            try await istep("show", "2014-04-20", "--db", history).output.contains(
                "istep plan 8000 --db '\(history)'\n"))
    }

    @Test func `a refused correction creates no history and says what is possible`() async throws {
        let folder = try Folder()
        let istep = Command(folder: folder)
        let future = try await istep("correct", "2999-01-01", "--steps", "5")
        #expect(future.status == 64 && future.error.contains("2999-01-01 has not begun."))
        let many = try await istep("correct", "yesterday", "--steps", "200001")
        #expect(many.status == 64 && many.error.contains("0 to 200,000 steps"))
        #expect(try await istep("correct", "yesterday", "--remove").status == 69, "there is no history")
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/data/istep/history.sqlite"))
    }
}
