import Foundation
import SimulatedBlueZ
import StepDatabase
import StepDomain
import TestSupport
import Testing

/// `istep replay` after syncs of simulated pedometers.
@Suite(.timeLimit(.minutes(5))) struct ReplayCommandTests {
    private func replayed(_ result: Command.Result) -> [[String: Any]] {
        result.json["pedometers"] as? [[String: Any]] ?? []
    }

    @Test func `frames of several syncs say again what is stored`() async throws {
        try await Household.live { home in
            try await home.addRing()
            try await home.addWatch()
            home.watch.set(500)
            #expect(try await home.istep("sync").status == 0)
            home.ring.addSteps(321, at: home.ring.clock)
            home.watch.set(900)
            #expect(try await home.istep("sync").status == 0)
            await home.stack.inject(.outOfRange, for: home.ring.address)
            _ = try await home.istep("sync", "--timeout", "1")
            let before = try await home.istep("show", "--json").output
            let same = try await home.istep("replay", "--yes", "--json")
            #expect(same.status == 0 && same.json["isDone"] as? Bool == false, "\(same)")
            #expect(replayed(same).count == 2, "\(same)")
            for pedometer in replayed(same) {
                #expect(pedometer["samples"] as? Int == 0 && pedometer["kept"] as? Int == 0, "\(pedometer)")
                #expect(pedometer["decoded"] as? Int ?? 0 >= 2, "\(pedometer)")
            }
            #expect(try await home.istep("show", "--json").output == before)
        }
    }

    /// Stores 77 steps at 3:00 of yesterday, as an earlier decoder could have found them.
    private func decodeWrongly(_ home: Household) throws {
        let history = try StepDatabase(path: home.database)
        let ring = try #require(history.pedometers().first)
        let sync = try #require(history.syncs(of: ring.id, limit: 1).first)
        let zone = LocalTime.zone(home.zone)
        let night = zone.moment(zone.day(of: Timestamp(Int(Date().timeIntervalSince1970))).advanced(by: -1)) + 3 * 3600
        _ = try history.merge(
            SampleBatch(samples: [
                StepSample(start: night, length: 900, steps: 77, utcOffset: zone.utcOffset(night))
            ]), sync: sync.id, localTime: zone)
        try history.close()
    }

    @Test func `figures that change leave decisions of the user alone, and destinations get them again`() async throws {
        try await Household.live { home in
            try await home.addRing()
            #expect(try await home.istep("sync").status == 0)
            let yesterday = try await home.istep("show", "yesterday", "--json").json
            let day = try #require(yesterday["day"] as? String), right = try #require(yesterday["steps"] as? Int)
            try decodeWrongly(home)
            let diary = home.folder.path + "/steps.csv"
            try home.folder.configure("[share.diary]\nkind = \"file\"\npath = \"\(diary)\"\n")
            #expect(
                try await home.istep("correct", "yesterday", "--from", "12:00", "--to", "13:00", "--steps", "0").status
                    == 0)
            let excluded = try #require(
                try await home.istep("show", "yesterday", "--json").json["excluded"] as? [[String: Any]])
            let lost = try #require(excluded.first?["steps"] as? Int)
            #expect(try await home.istep("correct", "-2", "--steps", "4321").status == 0)
            #expect(try await home.istep("share", "yesterday").status == 0)
            func line() throws -> String? {
                try String(contentsOfFile: diary, encoding: .utf8).split(separator: "\n").map(String.init)
                    .first { $0.hasPrefix(day) }
            }
            var shared = try line()
            #expect(shared?.contains(",\(right + 77 - lost),") == true, "\(shared ?? "")")

            let done = try await home.istep("replay", "--yes", "--json")
            #expect(done.status == 0, "\(done)")
            let changes = replayed(done).first?["changes"] as? [[String: Any]]
            #expect(changes?.count == 1 && changes?.first?["after"] as? Int == right - lost, "\(done)")
            #expect(try await home.istep("show", "yesterday", "--json").json["steps"] as? Int == right - lost)
            #expect(try await home.istep("show", "-2", "--json").json["steps"] as? Int == 4321)
            #expect(try await home.istep("share").status == 0)
            shared = try line()
            #expect(shared?.contains(",\(right - lost),") == true, "\(shared ?? "")")
            // A deletion takes the frames with it.
            #expect(try await home.istep("delete", "-3", "--yes").status == 0)
            let again = try await home.istep("replay", "--yes", "--json")
            #expect(
                again.json["isDone"] as? Bool == false && replayed(again).first?["withoutFrames"] as? Int == 1,
                "\(again)")
            #expect(try await home.istep("show", "-3", "--json").json["steps"] is NSNull)
        }
    }

    @Test func `what an earlier decoder has stored wrongly is shown, and corrected once the user agrees`() async throws
    {
        try await Household.live { home in
            try await home.addRing()
            #expect(try await home.istep("sync").status == 0)
            let right = try await home.istep("show", "yesterday", "--json").json["steps"] as? Int
            try decodeWrongly(home)
            let wrong = try await home.istep("show", "yesterday", "--json").json["steps"] as? Int
            #expect(wrong == right.map { $0 + 77 })

            let preview = try await home.istep("replay", "ring", "-n")
            #expect(preview.status == 0 && preview.output.contains("1 sample would change"), "\(preview)")
            let asked = try await home.istep("replay", "ring")
            #expect(asked.status == 64 && asked.error.contains("istep replay --yes ring"), "\(asked)")
            #expect(try await home.istep("show", "yesterday", "--json").json["steps"] as? Int == wrong)
            let done = try await home.istep("replay", "ring", "--yes", "--json")
            #expect(done.status == 0 && done.json["isDone"] as? Bool == true, "\(done)")
            let change = (replayed(done).first?["changes"] as? [[String: Any]])?.first
            #expect(change?["before"] as? Int == wrong && change?["after"] as? Int == right, "\(done)")
            #expect(FileManager.default.fileExists(atPath: try #require(done.json["backup"] as? String)))
            #expect(try await home.istep("show", "yesterday", "--json").json["steps"] as? Int == right)
            let again = try await home.istep("replay", "ring")
            #expect(again.status == 0 && again.output.contains("Nothing changes."), "\(again)")
            #expect(try await home.istep("doctor", "--no-radio", "--no-network").output.contains("history"))
            var check = JSONSchemaCheck(schema: try await home.istep("json", "--schema").output)
            check.add(done.output, as: "replay", "replay")
            let complaints = try check.complaints()
            #expect(complaints.isEmpty, "\(complaints)")
        }
    }

    @Test func `without a history, and of a pedometer that is not registered, there is nothing to decode`() async throws
    {
        let istep = Command(folder: try Folder())
        #expect(try await istep("replay").status == 69)
        _ = try await istep("plan", "8000")
        let none = try await istep("replay")
        #expect(none.status == 0 && none.output.contains("There are no pedometers."), "\(none)")
        #expect(try await istep("replay", "ring").status == 64)
    }
}
