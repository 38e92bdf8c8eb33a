import DBus
import Foundation
import SimulatedBlueZ
import Testing

/// What units run: one line per run, priorities for the journal, and no failure if there is nothing to do.
@Suite(.timeLimit(.minutes(5))) struct UnattendedTests {
    @Test func `an unattended run prints one line`() async throws {
        try await Household.live { home in
            try await home.addRing()
            try home.folder.configure("[share.diary]\nkind = \"file\"\npath = '\(home.folder.path)/steps.csv'\n")
            let first = try await home.istep("sync", "--unattended")
            #expect(first.status == 0, "\(first.error)")
            #expect(
                first.output.hasPrefix("ring: ")
                    && first.output.hasSuffix(" new steps, battery 76 %; diary: 1 day sent\n"), "\(first.output)")
            #expect(first.error == "")
            let second = try await home.istep("sync", "--unattended")
            #expect(second.output == "ring: nothing new, battery 76 %\n")
            await home.expectNothingLeftOpen()
        }
    }

    @Test func `an unattended run prints the JSON document on request`() async throws {
        try await Household.live { home in
            try await home.addRing()
            let sync = try await home.istep("sync", "--unattended", "--json")
            #expect((sync.json["pedometers"] as? [Any])?.count == 1)
            #expect(sync.output.hasPrefix("{"))
        }
    }

    @Test func `an unattended run without a pedometer is not an error`() async throws {
        let istep = Command(folder: try Folder())
        for words in [["sync", "--unattended"], ["sync", "--unattended", "--json"]] {
            let sync = try await istep.run(words)
            #expect(sync.status == 0)
            let advice = "No pedometer yet. Find a pedometer: istep scan, then add it: istep add ADDRESS\n"
            #expect(sync.output == advice || (sync.json["pedometers"] as? [Any])?.isEmpty == true)
            #expect(sync.error == "")
        }
        let counters = try await istep("sync", "--unattended", "--counters")
        #expect(counters.status == 0 && counters.output == "" && counters.error == "")
        _ = try await istep("plan", "8000")
        #expect(try await istep("sync", "--unattended").status == 0)
        #expect(try await istep("sync").status == 64)
    }

    @Test func `only counts of today are read before midnight`() async throws {
        try await Household.live { home in
            try await home.addRing()
            let none = try await home.istep("sync", "--unattended", "--counters")
            #expect(none.status == 0 && none.output == "" && none.error == "")
            try await home.addWatch()
            home.watch.set(4321)
            let evening = try await home.istep("sync", "--unattended", "--counters")
            #expect(evening.status == 0, "\(evening.error)")
            #expect(
                evening.output == "watch: 4,321 new steps\n"
                    || evening.output.hasPrefix("watch: 4,321 new steps, battery"))
        }
    }

    @Test func `a sync waits for an adapter that is starting`() async throws {
        try await Household.live { home in
            try await home.addRing()
            await home.stack.setPowered(false)
            // A bus numbers its clients: later ones have greater numbers.
            let mine = try await DBusConnection.open(.address(home.stack.address))
            let running = try home.istep.start(["sync", "--unattended"])
            for await event in home.stack.events {
                // The program has finished its first look at the adapter.
                if case .clientLeft(let name) = event, number(name) > number(mine.uniqueName) { break }
            }
            await mine.close()
            await home.stack.setPowered(true)
            let sync = await running.result
            #expect(sync.status == 0, "\(sync.error)")
        }
    }

    /// The 42 of `:1.42`.
    private func number(_ uniqueName: String) -> Int { uniqueName.split(separator: ".").last.flatMap { Int($0) } ?? 0 }

    @Test func `output to the journal has priorities`() async throws {
        try await Household.live { home in
            try await home.addRing()
            await home.stack.inject(.refuseConnect(), for: home.ring.address)
            let journal = home.folder.path + "/journal"
            try Data().write(to: URL(fileURLWithPath: journal))
            var status = stat()
            try #require(stat(journal, &status) == 0)
            var istep = home.istep
            istep.environment["JOURNAL_STREAM"] = "\(status.st_dev):\(status.st_ino)"

            let both = try await istep.start(["sync", "--unattended"], redirected: ">>'\(journal)' 2>&1").result
            #expect(both.status == 75)
            let lines = try String(contentsOfFile: journal, encoding: .utf8).split(separator: "\n")
            #expect(lines.allSatisfy { $0.hasPrefix("<3>ring: ") || $0 == "<5>ring: failed" }, "\(lines)")
            #expect(lines.last == "<5>ring: failed")

            // Standard output does not go to the journal here.
            await home.stack.clearFaults()
            await home.stack.inject(.outOfRange, for: home.ring.address)
            let error = try await istep.start(
                ["sync", "--unattended", "--timeout", "1"], redirected: "2>>'\(journal)'"
            ).result
            #expect(error.output == "ring: not in range\n")
            let last = try String(contentsOfFile: journal, encoding: .utf8).split(separator: "\n").last
            #expect(last?.hasPrefix("<4>ring: ") == true && last?.contains("not heard") == true)

            // Errors that end a run have priorities, too, on every line.
            _ = try await istep.start(["show", "someday"], redirected: "2>>'\(journal)'").result
            let all = try String(contentsOfFile: journal, encoding: .utf8).split(separator: "\n")
            #expect(all.allSatisfy { $0.hasPrefix("<") })
        }
    }
}
