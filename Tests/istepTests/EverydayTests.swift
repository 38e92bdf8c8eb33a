import Foundation
import SimulatedBlueZ
import Testing

/// Everyday use, from the first scan on, with the built program.
@Suite(.timeLimit(.minutes(5))) struct EverydayTests {
    @Test func `a pedometer is found, added, synced and shown for a week`() async throws {
        try await Household.live { home in
            let scan = try await home.istep("scan", "--timeout", "4", "--json")
            #expect(scan.status == 0)
            let found = scan.json["peripherals"] as? [[String: Any]]
            let models = Dictionary(
                uniqueKeysWithValues: (found ?? []).map { ($0["address"] as? String ?? "", $0["model"] as? String) })
            #expect(models == [home.ring.address: "colmi", home.watch.address: "infinitime"])

            let unclear = try await home.istep("add", "--timeout", "4", "--name", "ring")
            #expect(unclear.status == 64 && unclear.error.contains("2 pedometers are in range"))
            await home.stack.inject(.outOfRange, for: home.watch.address)
            #expect(try await home.istep("add", "--timeout", "4", "--name", "ring").status == 0)
            let sync = try await home.istep("sync")
            #expect(sync.status == 0, "\(sync.error)")
            for daysAgo in 0...7 {
                let day = try await home.istep("show", "-\(daysAgo)", "--json")
                #expect(day.status == 0)
                #expect(day.json["steps"] as? Int == home.walked(daysAgo: daysAgo))
                #expect(day.json["completeness"] as? String == (daysAgo == 0 ? "partial" : "complete"))
            }
            await home.expectNothingLeftOpen()
        }
    }

    @Test func `a second sync without new steps changes nothing`() async throws {
        try await Household.live { home in
            _ = try await home.istep("add", home.ring.address, "--timeout", "120")
            _ = try await home.istep("sync")
            let before = try await home.istep("show", "yesterday", "--json").output
            let again = try await home.istep("sync", "--json")
            #expect(again.status == 0)
            let report = (again.json["pedometers"] as? [[String: Any]])?.first
            #expect(report?["added"] as? Int == 0)
            #expect(report?["steps"] as? Int == 0)
            let after = try await home.istep("show", "yesterday", "--json").output
            #expect(withoutSync(after) == withoutSync(before))
        }
    }

    @Test func `new steps in an existing slot are added`() async throws {
        try await Household.live { home in
            _ = try await home.istep("add", home.ring.address, "--timeout", "120")
            _ = try await home.istep("sync")
            let before = home.walked(daysAgo: 0)
            home.ring.addSteps(321, at: home.ring.clock)
            _ = try await home.istep("sync")
            let day = try await home.istep("show", "--json")
            #expect(day.json["steps"] as? Int == home.walked(daysAgo: 0))
            #expect(home.walked(daysAgo: 0) >= before + 321)
        }
    }

    @Test func `a pedometer described by the user is read`() async throws {
        try await Household.live { home in
            let add = try await home.istep(
                "add", "InfiniTime", "--model", "generic", "--counts", "today", "--format", "u32le",
                "--service", home.watch.steps.service.text, "--characteristic", home.watch.steps.characteristic.text,
                "--timeout", "120")
            #expect(add.status == 0, "\(add.error)")
            home.watch.set(4321)
            #expect(try await home.istep("sync").status == 0)
            #expect(try await home.istep("show", "--json").json["steps"] as? Int == 4321)
        }
    }

    /// What it advertises shows no model.
    @Test func `a scan lists a generic pedometer that is registered`() async throws {
        try await Household.live { home in
            await home.stack.add(
                SimulatedGeneric(
                    address: "C0:DE:57:E9:00:07", name: "Stepper", advertisedServices: ["fff0"],
                    steps: CharacteristicID("fff0", "fff1"),
                    source: .manual(52_000)))
            let before = try await home.istep("scan", "--timeout", "4")
            #expect(before.status == 0 && !before.output.contains("Stepper"), "\(before.output)")
            let add = try await home.istep(
                "add", "Stepper", "--model", "generic", "--service", "fff0", "--characteristic", "fff1", "--timeout",
                "120")
            #expect(add.status == 0, "\(add.error)")
            let after = try await home.istep("scan", "--timeout", "4")
            #expect(after.status == 0 && after.output.contains("registered as 'Stepper'"), "\(after.output)")
        }
    }

    @Test func `names in range match in upper and lower case, and are listed if none matches`() async throws {
        try await Household.live { home in
            let scan = try await home.istep("scan", "--name", "INFINI", "--timeout", "4", "--json")
            let found = scan.json["peripherals"] as? [[String: Any]] ?? []
            #expect(found.map { $0["name"] as? String } == ["InfiniTime"], "\(scan)")
            let none = try await home.istep("scan", "--name", "band", "--timeout", "4")
            #expect(none.status == 0 && none.output.contains("'band'") && none.output.contains("InfiniTime"), "\(none)")
            let add = try await home.istep("add", "band", "--timeout", "4")
            #expect(add.status == 75 && add.error.contains("'band'") && add.error.contains("InfiniTime"), "\(add)")
            #expect(try await home.istep("add", "r02_", "--timeout", "120").status == 0)
        }
    }

    @Test func `two pedometers of one user count once`() async throws {
        try await Household.live { home in
            _ = try await home.istep("add", home.ring.address, "--timeout", "120")
            _ = try await home.istep("sync")
            let ringOnly = try await home.istep("show", "--json").json["steps"] as? Int
            _ = try await home.istep(
                "add", "InfiniTime", "--model", "generic", "--counts", "today",
                "--service", home.watch.steps.service.text, "--characteristic", home.watch.steps.characteristic.text,
                "--timeout", "120")
            home.watch.set(1)
            #expect(try await home.istep("sync").status == 0)
            #expect(try await home.istep("show", "--json").json["steps"] as? Int == ringOnly)
        }
    }

    @Test func `users of a household have separate data`() async throws {
        try await Household.live { home in
            _ = try await home.istep("add", home.ring.address, "--user", "anna", "--timeout", "120")
            let ben = try await home.istep(
                "add", "InfiniTime", "--user", "ben", "--model", "generic", "--counts", "today",
                "--service", home.watch.steps.service.text, "--characteristic", home.watch.steps.characteristic.text,
                "--timeout", "120")
            #expect(ben.status == 0, "\(ben.error)")
            #expect(try await home.istep("plan", "6000", "--user", "ben").status == 0)
            _ = try await home.istep("sync")
            #expect(
                try await home.istep("show", "-1", "--user", "anna", "--json").json["steps"] as? Int
                    == home.walked(daysAgo: 1))
            let day = try await home.istep("show", "-1", "--user", "ben", "--json")
            #expect(day.json["steps"] is NSNull || day.json["steps"] == nil)
            #expect(day.json["completeness"] as? String == "unknown")
        }
    }

    @Test func `past days retain their earlier plan`() async throws {
        try await Household.live { home in
            _ = try await home.istep("add", home.ring.address, "--timeout", "120")
            _ = try await home.istep("sync")
            _ = try await home.istep("plan", "8000")
            _ = try await home.istep("plan", "4000")
            #expect(try await home.istep("show", "-1", "--json").json["goal"] as? Int == 8000)
            #expect(try await home.istep("show", "--json").json["goal"] as? Int == 4000)
        }
    }

    @Test func `forgetting a pedometer retains its steps for a later add`() async throws {
        try await Household.live { home in
            _ = try await home.istep("add", home.ring.address, "--timeout", "120", "--name", "ring")
            _ = try await home.istep("sync")
            let forgotten = try await home.istep("forget", "ring", "--json")
            #expect(forgotten.status == 0)
            let pedometers = forgotten.json["pedometers"] as? [[String: Any]]
            #expect(pedometers?.compactMap { $0["name"] as? String } == ["ring"])
            #expect(pedometers?.first?["lastSync"] is [String: Any])
            #expect(try await home.istep("sync").status == 64)
            #expect(try await home.istep("show", "-1", "--json").json["steps"] as? Int == home.walked(daysAgo: 1))
            #expect(try await home.istep("add", home.ring.address, "--timeout", "120", "--name", "ring").status == 0)
            let sync = try await home.istep("sync", "--json")
            #expect((sync.json["pedometers"] as? [[String: Any]])?.first?["added"] as? Int == 0)
        }
    }

    @Test func `a renamed pedometer keeps its steps, and is read by its new name`() async throws {
        try await Household.live { home in
            try await home.addRing()
            try await home.addWatch()
            #expect(try await home.istep("sync", "ring").status == 0)
            let before = try await home.istep("show", "yesterday", "--json")
            let renamed = try await home.istep("devices", "RING", "--rename", "bedroom")
            #expect(renamed.status == 0 && renamed.output == "Renamed ring to bedroom.\n", "\(renamed)")
            let taken = try await home.istep("devices", "bedroom", "--rename", "Watch")
            #expect(taken.status == 64 && taken.error.contains("'watch' exists already"), "\(taken)")
            #expect(try await home.istep("devices", "bedroom", "--rename", home.watch.address).status == 64)
            #expect(try await home.istep("sync", "ring").status == 64)
            let sync = try await home.istep("sync", "bedroom", "--json")
            #expect((sync.json["pedometers"] as? [[String: Any]])?.first?["added"] as? Int == 0, "\(sync)")
            let after = try await home.istep("show", "yesterday", "--json")
            #expect(
                after.json["steps"] as? Int == before.json["steps"] as? Int
                    && after.json["steps"] as? Int == home.walked(daysAgo: 1))
            let one = try await home.istep("devices", "bedroom", "--json").json["pedometers"] as? [[String: Any]]
            #expect(
                one?.map { $0["address"] as? String } == [home.ring.address] && one?.first?["readThrough"] is String)
        }
    }

    private func withoutSync(_ json: String) -> String {
        json.split(separator: "\n").filter { !$0.contains("lastSync") }.joined()
    }
}
