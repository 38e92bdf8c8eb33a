import Foundation
import SimulatedBlueZ
import StepDomain
import Testing

/// What unattended runs record, and how users see it, with the built program.
@Suite(.timeLimit(.minutes(5))) struct NightTests {
    @Test func `three failed nights are shown as new once`() async throws {
        try await Household.live { home in
            try await home.addRing()
            try home.failedNights(1...2, "no answer", .other)
            await home.stack.inject(.refuseConnect(), for: home.ring.address)
            let night = try await home.istep("sync", "--unattended")
            #expect(night.status == 75)
            #expect(night.output == "ring: failed\n")
            #expect(night.error.contains("ring: could not be read for 3 nights"))
            // The next run finds the same and does not report it again.
            #expect(try await !home.istep("sync", "--unattended").error.contains("nights"))

            let first = try await home.istep("status")
            #expect(first.output.hasPrefix("New: ring: could not be read for 3 nights\n"))
            let second = try await home.istep("status")
            #expect(second.output.hasPrefix("ring: could not be read for 3 nights\n"))

            await home.stack.clearFaults()
            #expect(try await home.istep("sync", "--unattended").status == 0)
            #expect(try await !home.istep("status").output.contains("nights"))
        }
    }

    @Test func `an absent pedometer is not reported as broken`() async throws {
        try await Household.live { home in
            try await home.addRing()
            try home.failedNights(1...4, "C0:DE was not heard within 20 s", .outOfRange)
            await home.stack.inject(.outOfRange, for: home.ring.address)
            let night = try await home.istep("sync", "--unattended", "--timeout", "1")
            #expect(night.status == 75)
            #expect(night.output == "ring: not in range\n")
            let status = try await home.istep("status")
            #expect(status.output.hasPrefix("New: ring: not in range since it was added\n"), "\(status.output)")
        }
    }

    @Test func `broken Bluetooth is reported once for all pedometers`() async throws {
        try await Household.live { home in
            try await home.addRing()
            try await home.addWatch()
            try home.failedNights(1...2, "off", .machine)
            await home.stack.setPowered(false)
            let sync = try await home.istep("sync")
            #expect(sync.status == 69)
            // The output of the sync has reported that Bluetooth is off: for how long is not new any more.
            let status = try await home.istep("status", "--json")
            let notices = try #require(status.json["notices"] as? [[String: Any]])
            #expect(notices.map { $0["kind"] as? String } == ["nightsFailed"])
            #expect(notices.map { $0["subject"] is NSNull } == [true])
            #expect(notices.map { $0["isNew"] as? Bool } == [false])
        }
    }

    @Test func `a reached goal is shown once`() async throws {
        try await Household.live { home in
            try await home.addRing()
            _ = try await home.istep("plan", "1")
            #expect(try await home.istep("sync", "--unattended").status == 0)
            // A program that reads the status does not make a notice seen.
            for _ in 0..<2 {
                let json = try await home.istep("status", "--json").json["notices"] as? [[String: Any]]
                #expect(json?.map { $0["kind"] as? String } == ["goalReached", "goalReached"])
                #expect(json?.allSatisfy { $0["isNew"] as? Bool == true } == true)
            }
            let status = try await home.istep("status").output
            #expect(status.contains("New: Goal reached today: \(home.grouped(daysAgo: 0)) of 1 step\n"), "\(status)")
            #expect(
                status.contains("New: Goal reached yesterday: \(home.grouped(daysAgo: 1)) of 1 step\n"), "\(status)")
            #expect(try await !home.istep("status").output.contains("Goal"))
            home.ring.addSteps(100, at: home.ring.clock)
            #expect(try await home.istep("sync", "--unattended").status == 0)
            #expect(try await !home.istep("status").output.contains("Goal"))
        }
    }

    @Test func `a rest day has no goal notice`() async throws {
        try await Household.live { home in
            try await home.addRing()
            _ = try await home.istep("plan", "0")
            _ = try await home.istep("sync", "--unattended")
            #expect((try await home.istep("status", "--json").json["notices"] as? [Any])?.isEmpty == true)
        }
    }

    @Test func `a rejected day is reported until it is shown`() async throws {
        try await Household.live { home in
            try await home.addRing()
            try home.folder.configure(
                "[share.mine]\nkind = \"command\"\ncommand = [\"/bin/sh\", \"-c\", \"exit $CODE\"]\nidempotent = true\nenvironment = [\"CODE\"]\n"
            )
            var istep = home.istep
            istep.environment["CODE"] = "65"
            let night = try await istep("sync", "--unattended")
            #expect(night.status == 65)
            #expect(night.output.contains("; mine: 1 day rejected\n"), "\(night.output)")
            #expect(night.error.contains("rejected"))
            #expect(try await istep("status").output.hasPrefix("New: mine: "))
            #expect(try await !istep("status").output.contains("rejected"))

            // An interactive sync has shown it to the user.
            home.ring.addSteps(100, at: home.ring.clock)
            #expect(try await istep("sync").output.contains("rejected"))
            #expect(try await !istep("status").output.contains("rejected"))
            #expect(try await istep("share", "yesterday").output.contains("rejected"))
            #expect(try await !istep("status").output.contains("rejected"))
        }
    }

    private func rejections(_ istep: Command) async throws -> Int {
        let notices = try #require(try await istep("status", "--json").json["notices"] as? [[String: Any]])
        return notices.count { $0["kind"] as? String == "shareRejected" }
    }

    @Test func `a notice about a rejected day ends when the day is dropped or sent`() async throws {
        try await Household.live { home in
            let command =
                "kind = \"command\"\ncommand = [\"/bin/sh\", \"-c\", \"exit $CODE\"]\nenvironment = [\"CODE\"]\nidempotent = true\n"
            try home.folder.configure("[share.one]\n\(command)[share.two]\n\(command)")
            var istep = home.istep
            istep.environment["CODE"] = "65"
            #expect(try await istep("correct", "yesterday", "--steps", "6000").status == 0)
            #expect(try await istep("share", "yesterday", "--json").status == 65)
            #expect(try await rejections(istep) == 2)
            #expect(try await istep("outbox", "drop", "one").status == 0)
            #expect(try await rejections(istep) == 1)
            istep.environment["CODE"] = "0"
            #expect(try await istep("outbox", "retry", "two", "--json").status == 0)
            #expect(try await rejections(istep) == 0)
        }
    }

    @Test func `refused credentials are reported until they are renewed`() async throws {
        try await Household.live { home in
            try await home.addRing()
            try home.folder.configure(
                "[share.mine]\nkind = \"command\"\ncommand = [\"/bin/sh\", \"-c\", \"exit $CODE\"]\nidempotent = true\nenvironment = [\"CODE\"]\n"
            )
            var istep = home.istep
            istep.environment["CODE"] = "77"
            #expect(try await istep("sync", "--unattended").status == 77)
            #expect(try await istep("status").output.contains("New: mine: paused: credentials rejected"))
            #expect(try await istep("status").output.contains("mine: paused"))
            istep.environment["CODE"] = "0"
            #expect(try await istep("outbox", "retry", "mine").status == 0)
            #expect(try await istep("sync", "--unattended").status == 0)
            #expect(try await !istep("status").output.contains("paused"))
        }
    }

    @Test func `the status of a user shows only their notices`() async throws {
        try await Household.live { home in
            try await home.addRing()
            _ = try await home.istep("plan", "1")
            try await home.addWatch("--user", "ben")
            _ = try await home.istep("sync", "--unattended")
            #expect(try await !home.istep("status", "--user", "ben").output.contains("goal"))
            #expect(try await home.istep("status", "--user", "anna").output.contains("New: anna: goal reached today"))
        }
    }
}
