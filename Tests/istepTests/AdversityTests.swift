import Foundation
import SimulatedBlueZ
import StepDatabase
import Testing

/// Failures: an error that says what to do, the documented exit code, nothing lost, nothing left open.
@Suite(.timeLimit(.minutes(5))) struct AdversityTests {
    private func withRing(_ body: (Household) async throws -> Void) async throws {
        try await Household.live { home in
            let add = try await home.istep("add", home.ring.address, "--name", "ring", "--timeout", "120")
            #expect(add.status == 0, "\(add.error)")
            try await body(home)
            await home.expectNothingLeftOpen()
        }
    }

    @Test func `a pedometer out of range gives exit code 75`() async throws {
        try await withRing { home in
            await home.stack.inject(.outOfRange, for: home.ring.address)
            let sync = try await home.istep("sync", "--timeout", "1")
            #expect(sync.status == 75)
            await home.stack.clearFaults()
            #expect(try await home.istep("sync").status == 0)
        }
    }

    /// Coming nearer does not help, and a unit that runs at night has failed.
    @Test(arguments: [DiscoveryFault.busy, .stalled]) func `a stuck adapter gives exit code 69`(_ fault: DiscoveryFault)
        async throws
    {
        try await withRing { home in
            await home.stack.setDiscoveryFault(fault)
            let sync = try await home.istep("sync", "--unattended")
            #expect(sync.status == 69, "\(sync.error)")
            #expect(
                sync.error.contains("does not scan") && sync.error.contains("systemctl restart bluetooth"),
                "\(sync.error)")
            await home.stack.setDiscoveryFault(nil)
            #expect(try await home.istep("sync").status == 0)
        }
    }

    @Test func `the next sync continues after a dropped link`() async throws {
        try await withRing { home in
            await home.stack.inject(.drop(afterPackets: 100), for: home.ring.address)
            let sync = try await home.istep("sync")
            #expect(sync.status == 75 || sync.status == 0)
            await home.stack.clearFaults()
            #expect(try await home.istep("sync").status == 0)
            for daysAgo in 1...7 {
                #expect(
                    try await home.istep("show", "-\(daysAgo)", "--json").json["steps"] as? Int
                        == home.walked(daysAgo: daysAgo))
            }
        }
    }

    @Test func `one refused connection is retried, repeated refusals give exit code 75`() async throws {
        try await withRing { home in
            await home.stack.inject(
                .refuseConnect("le-connection-abort-by-local", name: "org.bluez.Error.Failed", .first(1)),
                for: home.ring.address)
            #expect(try await home.istep("sync").status == 0)
            await home.stack.inject(.refuseConnect(), for: home.ring.address)
            let sync = try await home.istep("sync")
            #expect(sync.status == 75)
            #expect(sync.error.contains("istep:") || sync.output.contains("ring"))
        }
    }

    @Test func `a device without the expected service gives exit code 69`() async throws {
        try await withRing { home in
            await home.stack.inject(.missingService(SimulatedColmi.service), for: home.ring.address)
            let sync = try await home.istep("sync")
            #expect(sync.status == 69)
        }
    }

    @Test func `an adapter that is off gives exit code 69`() async throws {
        try await withRing { home in
            await home.stack.setPowered(false)
            let sync = try await home.istep("sync")
            #expect(sync.status == 69)
            await home.stack.setPowered(true)
        }
    }

    @Test func `a missing D-Bus is reported with exit code 69`() async throws {
        let folder = try Folder()
        let scan = try await Command(folder: folder)("scan", "--timeout", "1")
        #expect(scan.status == 69)
        #expect(scan.error.contains("D-Bus"))
    }

    @Test func `a second sync at the same time gives exit code 75`() async throws {
        try await withRing { home in
            let database = home.folder.path + "/data/istep/history.sqlite"
            let sync = try await HistoryLock.hold(ofDatabase: database) { try await home.istep("sync") }
            #expect(sync.status == 75)
            #expect(try await home.istep("sync").status == 0)
        }
    }

    @Test func `an interrupted sync disconnects the ring`() async throws {
        try await withRing { home in
            // The ring never answers the battery request: the program waits when the signal comes.
            home.ring.behaviour.ignored = [0x03]
            let running = try home.istep.start(["sync"])
            for await event in home.stack.events {
                if case .wrote(_, _, let bytes) = event, bytes.first == 0x03 { break }
            }
            running.send(SIGTERM)
            let result = await running.result
            #expect(result.status == 128 + SIGTERM)
            #expect(
                result.output.contains("interrupted") && !result.output.contains("Received data"), "\(result.output)")
            await home.expectNothingLeftOpen()
            home.ring.behaviour.ignored = []
            #expect(try await home.istep("sync").status == 0)
        }
    }

    @Test func `control characters in a device name are not printed`() async throws {
        try await Household.live { home in
            await home.stack.inject(.name("R02_\u{1b}[2J\u{7}\u{202e}evil"), for: home.ring.address)
            let scan = try await home.istep("scan", "--timeout", "4")
            #expect(scan.status == 0)
            #expect(scan.output.contains("R02_"))
            let scalars = scan.output.unicodeScalars.filter {
                $0.value < 32 && $0 != "\n" || $0.value == 0x202e || $0.value == 0x7f
            }
            #expect(scalars.isEmpty)
        }
    }

    // MARK: The history

    @Test func `commands without a history show how to add a pedometer`() async throws {
        let folder = try Folder()
        for command in ["show", "devices", "status", "sync"] {
            let result = try await Command(folder: folder)(command)
            #expect(result.status == 69)
            #expect(result.error.contains("istep add"))
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/data"))
    }

    @Test func `a file that is not a database remains unchanged`() async throws {
        let folder = try Folder()
        let path = folder.path + "/mine.txt"
        try Data("not a database, but precious".utf8).write(to: URL(fileURLWithPath: path))
        let result = try await Command(folder: folder)("plan", "8000", "--db", path)
        #expect(result.status == 65)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "not a database, but precious")
    }
}
