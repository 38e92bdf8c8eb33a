import StepDomain
import StepServices
import TestSupport
import Testing

/// A whole checkup on machines that a test describes.
@Suite(.timeLimit(.minutes(5))) struct DoctorTests {
    private struct Broken: Error {}

    private static let address = "C0:DE:00:00:00:01"
    private let now = Timestamp(1_800_000_000)
    private let problem = Problem.reported(.unavailable, message: "none", advice: nil)

    private func examine(
        _ machine: ScriptedMachine = ScriptedMachine(), _ file: ScriptedHistoryFile? = ScriptedHistoryFile(),
        _ request: CheckupRequest = CheckupRequest()
    ) async throws -> [Finding] {
        try await Doctor(request, bluetooth: machine, system: machine, history: file, now: { now }).examine()
    }

    private func diagnoses(_ findings: [Finding], _ check: String) -> [Diagnosis] {
        findings.filter { $0.check.rawValue == check }.map(\.diagnosis)
    }

    /// A history in which each of these users has a pedometer of the same name.
    private func history(_ names: String...) -> InMemoryHistory {
        let history = InMemoryHistory()
        for (index, name) in names.enumerated() {
            let user = history.addUser(named: name)
            _ = history.addPedometer(
                Pedometer(
                    user: user.id, model: "colmi", address: "C0:DE:00:00:00:0\(index + 1)",
                    addressType: "random", name: name))
        }
        return history
    }

    private var discovered: ScanFacts {
        ScanFacts(count: 1, pedometers: [Self.address: DiscoveredDevice(address: Self.address, rssi: -60)])
    }

    // MARK: The machine

    @Test func `a healthy machine has no faults, and every check has its key`() async throws {
        let machine = ScriptedMachine { $0.scan = discovered }
        let findings = try await examine(machine, ScriptedHistoryFile(history("anna")))
        #expect(Doctor.worst(findings) == nil)
        var keys: [String] = []
        for finding in findings where keys.last != finding.check.rawValue { keys.append(finding.check.rawValue) }
        #expect(
            keys == [
                "kernel", "switch", "adapter", "bus", "daemon", "power", "clock", "configuration", "history",
                "permissions", "room", "scan",
                "syncs", "pedometer", "destination", "timer",
            ])
        #expect(machine.log == ["open", "scan 10 \(Self.address)", "examine anna", "close"])
    }

    @Test func `without Bluetooth in the kernel nothing that needs it is tried`() async throws {
        let machine = ScriptedMachine { $0.radios = RadioFacts(fault: .noKernelSupport, problem: problem) }
        let findings = try await examine(machine)
        #expect(diagnoses(findings, "kernel") == [.failed(.kernel, problem)])
        for check in ["switch", "adapter", "daemon", "power", "scan"] {
            let found = diagnoses(findings, check)
            #expect(
                found.map(\.severity) == [.skipped]
                    && found.first == found.first.map { .skipped($0.subject, dependsOn: .kernel) }, "\(check)")
        }
        #expect(diagnoses(findings, "bus") == [.bluetooth(.busAnswers)])
        #expect(Doctor.worst(findings) == .unavailable)
        #expect(machine.log.isEmpty)
    }

    @Test func `the kernel is not checked with another bus`() async throws {
        let findings = try await examine(ScriptedMachine { $0.radios = nil })
        #expect(diagnoses(findings, "kernel") == [.bluetooth(.otherBus)])
        #expect(diagnoses(findings, "switch").isEmpty && diagnoses(findings, "adapter").isEmpty)
        #expect(diagnoses(findings, "daemon") == [.bluetooth(.serviceAnswers)])
    }

    @Test func `an unreachable bus is reported, and the scan is skipped`() async throws {
        let findings = try await examine(ScriptedMachine { $0.busFailure = "no socket" })
        #expect(diagnoses(findings, "bus") == [.bluetooth(.busUnreachable(reason: "no socket"))])
        #expect(diagnoses(findings, "scan") == [.skipped(.scan, dependsOn: .bus)])
        #expect(Doctor.worst(findings) == .unavailable)
    }

    @Test func `another program that scans is a note`() async throws {
        let findings = try await examine(ScriptedMachine { $0.isScanning = true })
        #expect(
            diagnoses(findings, "power") == [
                .bluetooth(.adapterOn(name: "hci0")), .bluetooth(.adapterScanning(name: "hci0")),
            ])
    }

    @Test func `a clock that is set to the past is a temporary fault`() async throws {
        let findings = try await examine(
            ScriptedMachine {
                $0.time = TimeFacts(now: Timestamp(0), isSynchronised: false, zone: "UTC", isDesktop: false)
            })
        #expect(diagnoses(findings, "clock").map(\.severity) == [.fault(.temporary), .fine])
        #expect(Doctor.worst(findings) == .temporary)
    }

    @Test func `a systemd that fails affects nothing else`() async throws {
        let findings = try await examine(ScriptedMachine { $0.timers = .failure(Broken()) })
        #expect(diagnoses(findings, "timer") == [.failed(.timer, .unforeseen("Broken()"))])
        #expect(diagnoses(findings, "power").map(\.severity) == [.fine])
    }

    @Test func `pedometers that hold only today need the midnight timer`() async throws {
        let timer = TimerFacts(
            unit: "istep-sync.timer", isInstalled: true, isEnabled: true, isActive: true, lingers: true)
        let findings = try await examine(
            ScriptedMachine { ($0.timers, $0.counters) = (.success([timer]), ["anna"]) },
            ScriptedHistoryFile(history("anna", "bob")))
        #expect(diagnoses(findings, "timer") == timer.diagnoses(now: now, todayOnly: ["anna"]))
        #expect(diagnoses(findings, "timer").map(\.subject) == [.timer, .midnightTimer])
    }

    @Test func `the lack of systemd is reported by the doctor`() async throws {
        #expect(diagnoses(try await examine(), "timer") == [.noSystemd])
    }

    @Test func `a configuration that others can change or that is not valid is reported`() async throws {
        let machine = ScriptedMachine {
            $0.files = ["/c": .init(path: "/c", mode: 0o666, owner: 0), "/d": .init(path: "/d", mode: 0o644, owner: 0)]
        }
        let open = try await examine(machine, nil, CheckupRequest(configurationFiles: ["/c", "/d", "/gone"]))
        #expect(diagnoses(open, "configuration") == [.configuration(.writableByOthers(path: "/c"))])
        let invalid = try await examine(ScriptedMachine(), nil, CheckupRequest(configurationProblems: ["line 3"]))
        #expect(diagnoses(invalid, "configuration") == [.configuration(.invalid("line 3"))])
        #expect(Doctor.worst(invalid) == .configuration)
    }

    // MARK: The history

    @Test func `no setting has the path of the history`() async throws {
        let findings = try await examine(ScriptedMachine(), nil)
        #expect(diagnoses(findings, "history") == [.history(.noPath)])
        #expect(diagnoses(findings, "room").isEmpty)
    }

    @Test func `a missing history has no pedometers`() async throws {
        let candidate = DiscoveredDevice(address: Self.address, name: "R02")
        let findings = try await examine(
            ScriptedMachine { $0.scan = ScanFacts(count: 1, candidate: candidate) },
            ScriptedHistoryFile(condition: .missing))
        #expect(diagnoses(findings, "history").map(\.severity) == [.note])
        #expect(diagnoses(findings, "scan") == [.scan(.discovered(devices: 1)), .scan(.candidate(candidate))])
    }

    @Test func `a damaged history is not opened, and the rest is checked`() async throws {
        let file = ScriptedHistoryFile(history("anna"), condition: .examined(damage: [problem], isOlder: false))
        let findings = try await examine(ScriptedMachine(), file)
        #expect(diagnoses(findings, "history") == [.failed(.history, problem)])
        #expect(
            diagnoses(findings, "scan") == [.scan(.discovered(devices: 2))], "whether there are pedometers is not known"
        )
        #expect(diagnoses(findings, "syncs").isEmpty && diagnoses(findings, "pedometer").isEmpty)
    }

    @Test func `stored sums that differ from their samples are a fault`() async throws {
        let april20 = Day(daysSince1970: 16_180)
        let file = ScriptedHistoryFile(history("anna"), wrong: [april20, april20.advanced(by: -3)])
        let findings = try await examine(ScriptedMachine { $0.scan = discovered }, file)
        #expect(diagnoses(findings, "history") == [.history(.wrongSums(days: 2, newest: april20))])
        #expect(Doctor.worst(findings) == .data)
        #expect(!diagnoses(findings, "syncs").isEmpty, "the rest is checked")
    }

    @Test func `only the pedometers of the requested user are checked`() async throws {
        let findings = try await examine(
            ScriptedMachine { $0.scan = discovered }, ScriptedHistoryFile(history("anna", "bob")),
            CheckupRequest(user: "BOB"))
        #expect(Set(findings.filter { $0.area == .pedometers }.map(\.diagnosis.subject)) == [.scan, .pedometer("bob")])
        let unknown = try await examine(
            ScriptedMachine(), ScriptedHistoryFile(history("anna")), CheckupRequest(user: "carl"))
        #expect(diagnoses(unknown, "history") == [.history(.unknownUser("carl", known: ["anna"]))])
        #expect(Doctor.worst(unknown) == .usage)
    }

    @Test func `a full disk is a temporary fault, and little free space is a warning`() async throws {
        #expect(Doctor.worst(try await examine(ScriptedMachine(), ScriptedHistoryFile(free: 4096))) == .temporary)
        let little = try await examine(ScriptedMachine(), ScriptedHistoryFile(free: 20_000_000))
        #expect(diagnoses(little, "room").map(\.severity) == [.warning] && Doctor.worst(little) == nil)
    }

    @Test func `a process that holds both locks is reported once`() async throws {
        let repair = HistoryHolder(process: 7, activity: .repair)
        let findings = try await examine(
            ScriptedMachine { $0.scan = discovered },
            ScriptedHistoryFile(history("anna"), holders: [.syncing: repair, .sharing: repair]))
        #expect(diagnoses(findings, "lock") == [.history(.inUse(repair))])
    }

    // MARK: Pedometers

    @Test func `a running sync is not disturbed`() async throws {
        let sync = HistoryHolder(process: 7, activity: .sync)
        let machine = ScriptedMachine()
        let findings = try await examine(machine, ScriptedHistoryFile(history("anna"), holders: [.syncing: sync]))
        #expect(diagnoses(findings, "scan") == [.scan(.inUse(sync))])
        #expect(diagnoses(findings, "pedometer") == [.pedometer("anna", .notTried)])
        #expect(machine.log == ["open", "close"])
    }

    @Test func `a pedometer is not examined if a sync begins after the scan`() async throws {
        let sync = HistoryHolder(process: 7, activity: .sync)
        let machine = ScriptedMachine { $0.scan = discovered }
        let findings = try await examine(machine, ScriptedHistoryFile(history("anna"), latecomer: sync))
        #expect(diagnoses(findings, "pedometer") == [.pedometer("anna", .inUse(sync))])
        #expect(!machine.log.contains("examine anna"))
    }

    @Test func `the radio is not used if that is requested`() async throws {
        let machine = ScriptedMachine()
        let findings = try await examine(
            machine, ScriptedHistoryFile(history("anna")), CheckupRequest(usesRadio: false))
        #expect(diagnoses(findings, "scan") == [.scan(.notRequested)])
        #expect(diagnoses(findings, "pedometer") == [.pedometer("anna", .notTried)])
        #expect(machine.log == ["open", "close"])
    }

    @Test func `a pedometer that was not heard is tried all the same`() async throws {
        let machine = ScriptedMachine { $0.contact = .failure(.notInRange) }
        let findings = try await examine(machine, ScriptedHistoryFile(history("anna")))
        #expect(diagnoses(findings, "pedometer") == [.pedometer("anna", .notInRange(address: Self.address))])
        #expect(machine.log.contains("examine anna unheard"))
        #expect(Doctor.worst(findings) == .temporary)
    }

    @Test func `the session is closed if a finding cannot be reported`() async throws {
        let machine = ScriptedMachine()
        let doctor = Doctor(CheckupRequest(), bluetooth: machine, system: machine, history: nil, now: { now })
        await #expect(throws: Broken.self) {
            try await doctor.examine(report: { if $0.check == .power { throw Broken() } })
        }
        #expect(machine.log == ["open", "close"])
    }

    // MARK: Destinations

    private func destination(_ request: CheckupRequest, _ history: InMemoryHistory? = nil) async throws -> [Diagnosis] {
        diagnoses(
            try await examine(ScriptedMachine(), ScriptedHistoryFile(history ?? self.history("anna")), request),
            "destination")
    }

    @Test func `a destination that answers is reported, and so is a configuration without any`() async throws {
        let garden = ScriptedDestination("garden")
        let answers = Diagnosis.destination("garden", .answers(location: garden.location, description: "scripted"))
        #expect(try await destination(CheckupRequest(destinations: [garden])) == [answers])
        #expect(try await destination(CheckupRequest()) == [.noDestination])
    }

    @Test func `a destination that this process must not or cannot contact is reported as not contacted`() async throws
    {
        let garden = ScriptedDestination("garden")
        #expect(
            try await destination(CheckupRequest(destinations: [garden], usesNetwork: false)) == [
                .destination("garden", .notContacted)
            ])
        #expect(
            try await destination(CheckupRequest(destinations: [garden], destinationsOfService: ["garden"]))
                == [.destination("garden", .secretOfService)])
    }

    @Test func `the stored state of a destination is reported as well`() async throws {
        let history = history("anna")
        try history.record(DestinationState(name: "garden", stopped: "401"))
        let garden = ScriptedDestination("garden", terms: ShareTerms(users: ["carl"]))
        let findings = try await destination(CheckupRequest(destinations: [garden], usesNetwork: false), history)
        #expect(
            findings == [
                .destination("garden", .recipients(.unknownUser("carl", known: ["anna"]))),
                .destination("garden", .paused(reason: "401")),
                .destination("garden", .notContacted),
            ])
    }
}
