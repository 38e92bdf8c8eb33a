import Foundation
import SimulatedBlueZ
import Testing

/// A watch that is known by its name, and the commands for devices that are not known, with the built program.
@Suite(.timeLimit(.minutes(5))) struct GATTCommandTests {
    @Test func `a watch is added by its name alone, and a capture of its sync is a file without its address`()
        async throws
    {
        try await Household.live { home in
            let add = try await home.istep("add", "InfiniTime", "--timeout", "120")
            #expect(add.status == 0, "\(add.error)")
            home.watch.set(4_321)
            // Before the sync: what it receives is not sent again.
            let missing = home.folder.path + "/missing/capture.txt"
            let nowhere = try await home.istep("gatt", "capture", "InfiniTime", "--output", missing)
            #expect(nowhere.status == 64 && nowhere.error.contains("No such file"), "\(nowhere)")
            #expect(try await home.istep("devices", "InfiniTime").output.contains("never synced"))
            let file = home.folder.path + "/capture.txt"
            let capture = try await home.istep("gatt", "capture", "InfiniTime", "--output", file, "--json")
            #expect(capture.status == 0, "\(capture.error)")
            #expect(capture.json["frames"] as? Int == 1)
            let text = try String(contentsOfFile: file, encoding: .utf8)
            #expect(text.hasPrefix("pedometer capture 1\nmodel: infinitime\n"))
            #expect(text.contains("\n< e1 10 00 00\n"))
            let attributes = try FileManager.default.attributesOfItem(atPath: file)
            #expect(attributes[.posixPermissions] as? Int == 0o600, "steps and their times are the user's")
            // Its firmware is not known, so its first count is stored as undecided.
            let devices = try await home.istep("devices", "InfiniTime", "--json").json["pedometers"] as? [[String: Any]]
            #expect(devices?.first?["lastComplete"] is [String: Any], "the sync is a real one")
            let again = try await home.istep("gatt", "capture", "InfiniTime", "--output", file)
            #expect(again.status == 64 && again.error.contains("exists already"))
            await home.expectNothingLeftOpen()
        }
    }

    @Test func `services are listed, and values are read, written and followed by UUIDs`() async throws {
        try await Household.live { home in
            home.watch.set(10_000)
            let (address, steps) = (home.watch.address, home.watch.steps)
            let list = try await home.istep("gatt", "list", address, "--json")
            #expect(list.status == 0, "\(list.error)")
            let services = list.json["services"] as? [[String: Any]]
            #expect(services?.contains { $0["uuid"] as? String == steps.service.text } == true)
            let read = try await home.istep(
                "gatt", "read", address, steps.service.text, steps.characteristic.text, "--format", "u32le")
            #expect(read.output == "10000\n")
            #expect(try await home.istep("gatt", "read", address, "180f", "2a19", "--format", "u8").output == "61\n")
            #expect(try await home.istep("gatt", "read", address, "180f", "ffff").status == 69)
            #expect(try await home.istep("gatt", "write", address, "180f", "2a19", "05").status == 65)
            let time = try await home.istep("gatt", "notify", address, "180f", "2a19", "--seconds", "0.2")
            #expect(time.status == 0 && time.output.isEmpty, "\(time.error)")
            // It takes only writes without a response.
            let write = [
                "gatt", "write", home.ring.address, SimulatedColmi.service.text,
                SimulatedColmi.commands.characteristic.text, "03",
            ]
            #expect(try await home.istep.run(write + ["--no-response"]).status == 0)
            #expect(try await home.istep.run(write).status == 0)
            #expect(home.ring.received == [[3], [3]])
            await home.expectNothingLeftOpen()
        }
    }

    @Test
    func `a value of another length than the format is an error that names both, not a number of its first bytes`()
        async throws
    {
        try await Household.live { home in
            // 66,536 is e8 03 01 00: its first two bytes are 1,000.
            home.watch.set(66_536)
            let steps = [home.watch.address, home.watch.steps.service.text, home.watch.steps.characteristic.text]
            for (format, words) in [("u16le", "2 bytes"), ("u24be", "3 bytes"), ("u8", "1 byte")] {
                let read = try await home.istep.run(["gatt", "read"] + steps + ["--format", format])
                #expect(read.status == 65 && read.output.isEmpty, "\(format): \(read.output)")
                for part in ["4 bytes", words, format, "--format hex"] {
                    #expect(read.error.contains(part), "\(part): \(read.error)")
                }
            }
            // The battery's level is shorter than the number.
            let battery = try await home.istep("gatt", "read", home.watch.address, "180f", "2a19", "--format", "u32le")
            #expect(battery.status == 65 && battery.error.contains("1 byte"), "\(battery.error)")
            let json = try await home.istep.run(["gatt", "read"] + steps + ["--format", "u16le", "--json"])
            let failure = json.json["error"] as? [String: Any]
            #expect(json.status == 65 && failure?["category"] as? String == "data", "\(json.output)")
            #expect(try await home.istep.run(["gatt", "read"] + steps + ["--format", "u32le"]).output == "66536\n")
            #expect(try await home.istep.run(["gatt", "read"] + steps).output == "e8 03 01 00\n")
            await home.expectNothingLeftOpen()
        }
    }

    @Test func `a generic pedometer whose value is too short for the format is not registered`() async throws {
        try await Household.live { home in
            let steps = home.watch.steps
            let add = try await home.istep(
                "add", home.watch.address, "--timeout", "120", "--model", "generic", "--service", steps.service.text,
                "--characteristic",
                steps.characteristic.text, "--format", "u32le@9")
            #expect(add.status == 64 && add.error.contains("has 4 bytes, and this format needs 13"), "\(add.error)")
            #expect(try await !home.istep("devices").output.contains(home.watch.address))
            await home.expectNothingLeftOpen()
        }
    }

    @Test
    func `the name of a registered pedometer is accepted, and any other name is an error that says what an address is`()
        async throws
    {
        try await Household.live { home in
            let read = try await home.istep("gatt", "list", "InfiniTime")
            #expect(read.status == 64 && read.error.contains("looks like C0:DE:1F:71:00:01"), "\(read.error)")
            let add = try await home.istep("add", "InfiniTime", "--name", "my watch", "--timeout", "120")
            #expect(add.status == 0, "\(add.error)")
            let list = try await home.istep("gatt", "list", "my watch", "--no-values", "--json")
            #expect(list.status == 0 && list.json["address"] as? String == home.watch.address, "\(list)")
            #expect(try await home.istep("gatt", "read", "My Watch", "180f", "2a19", "--format", "u8").output == "61\n")
            #expect(try await home.istep("gatt", "list", "InfiniTime").status == 64)
            let other = home.folder.path + "/other"
            try Data("no history".utf8).write(to: URL(fileURLWithPath: other))
            let unreadable = try await home.istep("gatt", "list", "my watch", "--db", other)
            #expect(unreadable.status == 65 && unreadable.error.contains(other), "\(unreadable)")
            await home.expectNothingLeftOpen()
        }
    }

    @Test func `a scan with probe identifies devices by their services`() async throws {
        try await Household.live { home in
            let scan = try await home.istep("scan", "--probe", "--timeout", "10", "--json")
            #expect(scan.status == 0, "\(scan.error)")
            let found = scan.json["peripherals"] as? [[String: Any]] ?? []
            #expect(found.count == 2 && found.allSatisfy { $0["evidence"] as? String == "services" })
            await home.expectNothingLeftOpen()
        }
    }
}
