import Foundation
import SimulatedBlueZ
import StepDatabase
import TestSupport
import Testing

/// `istep watch` as a user or systemd runs it: it keeps running, reads pedometers that come into range, and ends on a
/// signal.
@Suite(.timeLimit(.minutes(5))) struct WatchTests {
    /// A ring that was added, in or out of range, with advertisement monitors: what comes into range is reported at
    /// once.
    private func withRing(inRange: Bool = true, isExperimental: Bool = true, _ body: (Household) async throws -> Void)
        async throws
    {
        var quirks = Quirks()
        quirks.isExperimental = isExperimental
        try await Household.live(quirks: quirks) { home in
            let add = try await home.istep("add", home.ring.address, "--name", "ring", "--timeout", "120")
            #expect(add.status == 0, "\(add.error)")
            if !inRange { await home.stack.inject(.outOfRange, for: home.ring.address) }
            try await body(home)
            await home.expectNothingLeftOpen()
            #expect(await home.stack.snapshot.monitors == 0)
        }
    }

    private func end(_ running: Running) async -> Command.Result {
        running.send(SIGTERM)
        return await running.result
    }

    @Test(arguments: [true, false]) func `a pedometer in range is read`(isExperimental: Bool) async throws {
        try await withRing(isExperimental: isExperimental) { home in
            let running = try home.istep.start(["watch"])
            try await running.until { $0.contains("new steps") }
            let result = await end(running)
            #expect(result.status == 0, "\(result.error)")
            #expect(result.error.contains("Watching for ring."))
            #expect(result.output.contains("  ring: "))
            #expect(try await home.istep("show", "-1", "--json").json["steps"] as? Int == home.walked(daysAgo: 1))
        }
    }

    @Test func `a pedometer is read when it comes into range`() async throws {
        try await withRing(inRange: false) { home in
            let running = try home.istep.start(["watch", "--unattended"])
            for await event in home.stack.events where event == .monitoring(true) { break }
            #expect(running.outputSoFar.isEmpty)
            await home.stack.remove(.outOfRange, for: home.ring.address)
            try await running.until { $0.contains("new steps") }
            let result = await end(running)
            #expect(result.status == 0)
            #expect(result.output.split(separator: "\n").count == 1)
            #expect(try await home.istep("show", "-1", "--json").json["steps"] as? Int == home.walked(daysAgo: 1))
        }
    }

    @Test func `the watch waits for a restarted bluetoothd`() async throws {
        try await withRing(inRange: false) { home in
            let running = try home.istep.start(["watch", "--unattended"])
            for await event in home.stack.events where event == .monitoring(true) { break }
            try await home.stack.restart()
            await home.stack.remove(.outOfRange, for: home.ring.address)
            try await running.until { $0.contains("new steps") }
            let result = await end(running)
            #expect(result.status == 0)
            // bluetoothd removes its adapters, then exits: which of the two the program sees depends on timing. It may
            // see neither: BlueZ releases the monitor, and is there again when the next one is registered.
            let reports = ["bluetoothd", "the Bluetooth adapter hci0 is no longer available"]
            #expect(result.error.isEmpty || reports.contains { result.error.contains($0) }, "\(result.error)")
        }
    }

    @Test func `the watch waits for a bluetoothd that left the bus`() async throws {
        try await withRing(inRange: false) { home in
            let running = try home.istep.start(["watch", "--unattended"])
            for await event in home.stack.events where event == .monitoring(true) { break }
            await home.stack.leaveBus()
            try await running.untilError { $0.contains("bluetoothd") }
            try await home.stack.returnToBus()
            await home.stack.remove(.outOfRange, for: home.ring.address)
            try await running.until { $0.contains("new steps") }
            #expect(await end(running).status == 0)
        }
    }

    @Test func `the watch waits for a removed adapter`() async throws {
        try await withRing { home in
            await home.stack.unplug()
            let running = try home.istep.start(["watch", "--unattended"])
            await home.stack.plug()
            try await running.until { $0.contains("new steps") }
            #expect(await end(running).status == 0)
        }
    }

    @Test func `pedometers are read one after the other`() async throws {
        try await withRing { home in
            let add = try await home.istep(
                "add", home.watch.address, "--name", "watch", "--model", "generic", "--service",
                home.watch.steps.service.text,
                "--characteristic", home.watch.steps.characteristic.text, "--counts", "today", "--timeout", "120")
            #expect(add.status == 0, "\(add.error)")
            let running = try home.istep.start(["watch", "--unattended"])
            try await running.until { $0.contains("ring: ") && $0.contains("watch: ") }
            #expect(await end(running).status == 0)
        }
    }

    @Test func `an interrupted watch disconnects the ring`() async throws {
        try await withRing { home in
            home.ring.behaviour.ignored = [0x03]
            let running = try home.istep.start(["watch"])
            // Adding it has asked whether it requires bonding.
            for await event in home.stack.events {
                if case .wrote(_, _, let bytes) = event, bytes.first != 0x3c { break }
            }
            #expect(await end(running).status == 0)
        }
    }

    /// As `nohup` does, and as shells do for background jobs.
    @Test func `a signal ignored at the start remains ignored`() async throws {
        try await withRing(inRange: false) { home in
            let running = try home.istep.start(["watch"], by: "env --ignore-signal=HUP,INT")
            for await event in home.stack.events where event == .monitoring(true) { break }
            running.send(SIGHUP)
            running.send(SIGINT)
            await home.stack.remove(.outOfRange, for: home.ring.address)
            try await running.until { $0.contains("new steps") || !running.isAlive }
            #expect(running.isAlive)
            let result = await end(running)
            #expect(result.status == 0 && result.output.contains("new steps"), "\(result.error)")
        }
    }

    /// A signal of a moment in which it is ignored is lost: the program would go on.
    @Test func `a signal is not ignored while the program starts`() async throws {
        let istep = Command(folder: try Folder())
        #expect(try await istep("plan", "8000").status == 0)
        for _ in 0..<20 {
            let running = try istep.start(["serve", "--port", "0"], by: "env --default-signal=HUP,INT,TERM")
            var ignored: UInt64 = 0
            // The signals are looked at again and again: what is ignored only for a moment announces itself in no way.
            while running.outputSoFar.isEmpty, running.isAlive {
                let status = try String(contentsOfFile: "/proc/\(running.processIdentifier)/status", encoding: .utf8)
                let mask = status.split(separator: "\n").first { $0.hasPrefix("SigIgn:") }?.split(separator: "\t").last
                ignored |= mask.flatMap { UInt64($0, radix: 16) } ?? 0
                try await letOthersRun()
            }
            for signal in [SIGHUP, SIGINT, SIGTERM] { #expect(ignored & (1 << UInt64(signal - 1)) == 0, "\(signal)") }
            #expect(await end(running).status == 0)
        }
    }

    /// Whatever signals these tests were started to ignore.
    @Test(arguments: [SIGHUP, SIGINT]) func `a signal with the default action ends the watch`(signal: Int32)
        async throws
    {
        try await withRing(inRange: false) { home in
            let running = try home.istep.start(["watch"], by: "env --default-signal=HUP,INT")
            for await event in home.stack.events where event == .monitoring(true) { break }
            running.send(signal)
            #expect(await running.result.status == 0)
        }
    }

    /// When a terminal is closed, SIGHUP comes from the kernel and from the shell.
    @Test func `more than one SIGHUP is one request to end`() async throws {
        try await withRing { home in
            home.ring.behaviour.ignored = [0x03]
            let running = try home.istep.start(["watch"], by: "env --default-signal=HUP")
            for await event in home.stack.events {
                if case .wrote(_, _, let bytes) = event, bytes.first != 0x3c { break }
            }
            while running.isAlive {
                running.send(SIGHUP)
                try await letOthersRun()
            }
            #expect(await running.result.status == 0, "129: ended before it had disconnected")
        }
    }

    @Test func `the watch waits for another running sync`() async throws {
        try await withRing { home in
            let database = home.folder.path + "/data/istep/history.sqlite"
            let result = try await HistoryLock.hold(ofDatabase: database) {
                let running = try home.istep.start(["watch"])
                for await event in home.stack.events where event == .monitoring(true) { break }
                for await event in home.stack.events where event == .monitoring(false) { break }
                return await end(running)
            }
            #expect(result.status == 0)
            #expect(home.ring.received.allSatisfy { $0.first == 0x3c }, "more than the question of adding it")
        }
    }

    @Test func `live steps are shown as they are counted`() async throws {
        try await withRing { home in
            let running = try home.istep.start(["watch", "--live"])
            try await running.until { $0.contains("new steps") }
            let today = home.walked(daysAgo: 0)
            try await running.until {
                home.ring.announceSteps()
                return $0.contains("steps today")
            }
            let result = await end(running)
            #expect(result.status == 0)
            let grouped = today.formatted(.number.locale(Locale(identifier: "en_US")))
            #expect(result.output.contains("ring: \(grouped) steps today"))
        }
    }

    @Test func `live steps are JSON documents next to those of syncs`() async throws {
        try await withRing { home in
            let running = try home.istep.start(["watch", "--live", "--json"])
            let today = home.walked(daysAgo: 0)
            try await running.until {
                home.ring.announceSteps()
                // One document is written on connection, before the ring has reported anything.
                return $0.components(separatedBy: "\"live\"").count > 2 || $0.contains("steps today")
            }
            let result = await end(running)
            #expect(result.status == 0, "\(result.error)")
            let documents = try documents(result.output)
            let syncs = documents.filter { $0["pedometers"] != nil }
            let live = documents.compactMap { $0["live"] as? [[String: Any]] }
            #expect(syncs.count + live.count == documents.count && !syncs.isEmpty && live.count > 1)
            #expect(
                live.allSatisfy {
                    $0.map { $0["name"] as? String } == ["ring"] && $0.map { $0["steps"] as? Int } == [today]
                })
            #expect(
                result.output.split(separator: "\n").count { $0.hasPrefix("{\"live\":") && $0.hasSuffix("}") }
                    == live.count)
        }
    }

    /// It went on, with the link open and nobody to read it.
    @Test func `a watch ends when the reader of its output has gone`() async throws {
        try await withRing { home in
            let running = try home.istep.start(["watch", "--live", "--json"], redirected: "| head -1")
            while running.isAlive {
                home.ring.announceSteps()
                try await letOthersRun()
            }
            let result = await running.result
            #expect(result.output.split(separator: "\n").count == 1, "\(result)")
        }
    }

    /// A stream of documents: each begins and ends a line.
    private func documents(_ output: String) throws -> [[String: Any]] {
        var lines: [Substring] = [], documents: [[String: Any]] = []
        for line in output.split(separator: "\n") {
            lines.append(line)
            let text = lines.joined(separator: "\n")
            guard let document = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] else {
                continue
            }
            documents.append(document)
            lines = []
        }
        #expect(lines.isEmpty, "no JSON: \(lines)")
        return documents
    }

    // MARK: Before the first pedometer

    @Test func `a watch without a pedometer shows how to add one`() async throws {
        let folder = try Folder()
        let result = try await Command(folder: folder)("watch")
        #expect(result.status == 69)
        #expect(result.error.contains("istep add"))
        #expect(try await Command(folder: folder)("watch", "--every", "0").status == 64)
    }

    @Test func `a service waits for the first pedometer and the bus`() async throws {
        let folder = try Folder()
        let socket = try DatagramSocket(folder.path + "/notify")
        var istep = Command(folder: folder)
        istep.environment["NOTIFY_SOCKET"] = socket.name
        let running = try istep.start(["watch", "--unattended"])
        #expect(try await socket.next().hasPrefix("READY=1\nSTATUS=No pedometer to watch."))
        running.send(SIGTERM)
        #expect(await running.result.status == 0)
        #expect(try await socket.next() == "STOPPING=1")
    }

    /// A file that is not a history does not become one: systemd should see that the service has failed.
    @Test func `a service does not wait for a damaged history`() async throws {
        let folder = try Folder()
        let data = folder.path + "/data/istep"
        try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
        try Data("no history".utf8).write(to: URL(fileURLWithPath: data + "/history.sqlite"))
        let result = try await Command(folder: folder)("watch", "--unattended")
        #expect(result.status == 65, "\(result.error)")
    }

    // MARK: Under systemd

    @Test func `the watch notifies systemd that it is alive`() async throws {
        try await withRing(inRange: false) { home in
            let socket = try DatagramSocket(home.folder.path + "/notify")
            var istep = home.istep
            istep.environment["NOTIFY_SOCKET"] = socket.name
            istep.environment["WATCHDOG_USEC"] = "2000000"
            let running = try istep.start(["watch", "--unattended"])
            var received: [String] = []
            // A sign of life at the start and again, though nothing happens.
            while received.filter({ $0 == "WATCHDOG=1" }).count < 3 { received.append(try await socket.next()) }
            #expect(received.contains("READY=1\nSTATUS=Looking for ring"))
            #expect(await end(running).status == 0)
            var last = received.last
            while last != "STOPPING=1" { last = try await socket.next() }
        }
    }
}

/// A pedometer that is read without a connection.
@Suite(.timeLimit(.minutes(5))) struct WatchBandTests {
    @Test(arguments: [true, false]) func `a band that comes into range is read from its advertisements`(
        isExperimental: Bool
    ) async throws {
        var quirks = Quirks()
        quirks.isExperimental = isExperimental
        try await Household.live(quirks: quirks) { home in
            let band = SimulatedMiBand(steps: 2_345)
            await home.stack.add(band)
            let add = try await home.istep("add", band.address, "--name", "band", "--timeout", "120")
            #expect(add.status == 0 && add.output.contains("experimental"), "\(add.error)")
            let running = try home.istep.start(["watch"])
            try await running.until { $0.contains("new steps") }
            running.send(SIGTERM)
            let result = await running.result
            #expect(result.status == 0, "\(result.error)")
            #expect(try await home.istep("show", "--json").json["steps"] as? Int == 2_345)
            #expect(!home.stack.history.contains { if case .connected(band.address) = $0 { true } else { false } })
            await home.expectNothingLeftOpen()
        }
    }
}
