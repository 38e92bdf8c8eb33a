import StepDomain
import Testing

/// What a checkup reports about time, disk and timer.
@Suite(.timeLimit(.minutes(5))) struct MachineFactsTests {
    private let now = Timestamp(1_800_000_000)

    private func time(_ change: (inout TimeFacts) -> Void = { _ in }) -> [Diagnosis] {
        var facts = TimeFacts(now: now, isSynchronised: true, zone: "Europe/Berlin", isDesktop: true)
        change(&facts)
        return facts.diagnoses
    }

    @Test func `a clock that is not synchronised is a warning, and an impossible time is a fault`() {
        #expect(time().map(\.severity) == [.fine, .fine])
        #expect(time { $0.isSynchronised = nil }.map(\.severity) == [.fine, .fine])
        #expect(time { $0.isSynchronised = false }.map(\.severity) == [.warning, .fine])
        #expect(time { $0.now = TimeFacts.earliest }.map(\.severity) == [.fine, .fine])
        let early = time { $0.now = Timestamp(100) }
        #expect(early.map(\.severity) == [.fault(.temporary), .fine])
        #expect(early[0] == .time(.clockImpossible(Timestamp(100))))
    }

    @Test func `an unknown time zone is a fault, and UTC on a desktop is a note`() {
        #expect(time { $0.zone = nil }.map(\.severity) == [.fine, .fault(.configuration)])
        #expect(time { $0.zone = "Etc/UTC" }.map(\.severity) == [.fine, .note])
        #expect(
            time { ($0.zone, $0.isDesktop) = ("Etc/UTC", false) }.map(\.severity) == [.fine, .fine],
            "servers live by UTC")
    }

    private let path = "/home/anna/history.sqlite"

    private func storage(_ change: (inout StorageFacts) -> Void = { _ in }) -> StorageFacts {
        var facts = StorageFacts(
            file: .init(path: path, mode: 0o600, owner: 1000),
            directory: .init(path: "/home/anna", mode: 0o700, owner: 1000), free: 5_000_000_000, user: 1000)
        change(&facts)
        return facts
    }

    @Test func `the permissions of the history and its directory are diagnosed`() {
        #expect(storage().permissions.map(\.severity) == [.fine])
        let open = storage { $0.file.mode = 0o644 }.permissions
        #expect(open.map(\.severity) == [.warning])
        #expect(open == [.storage(.fileOpen(path: path, mode: 0o644))])
        #expect(
            storage { $0.directory.mode = 0o755 }.permissions.map(\.severity) == [.fine], "the file itself is closed")
        #expect(storage { $0.directory.mode = 0o777 }.permissions.map(\.severity) == [.warning])
        #expect(storage { $0.directory.mode = 0o1777 }.permissions.map(\.severity) == [.fine], "sticky, as /tmp")
        #expect(storage { $0.file.isWritable = false }.permissions.map(\.severity) == [.fault(.permission)])
        #expect(storage { $0.directory.isWritable = false }.permissions.map(\.severity) == [.fault(.permission)])
        #expect(
            storage { ($0.file.owner, $0.file.isWritable) = (7, false) }.permissions.map(\.severity) == [
                .fault(.permission)
            ])
        #expect(storage { $0.file.owner = 7 }.permissions.map(\.severity) == [.warning])
        #expect(
            storage { ($0.file.owner, $0.user) = (7, 0) }.permissions.map(\.severity) == [.fine],
            "root may examine the history of any user")
    }

    private func beside(_ owner: UInt32, isWritable: Bool = true, user: UInt32 = 1000, of file: UInt32 = 1000)
        -> [Diagnosis]
    {
        storage {
            ($0.file.owner, $0.user) = (file, user)
            $0.companions = [
                .init(path: "/home/anna/history.sqlite.lock", mode: 0o600, owner: owner, isWritable: isWritable)
            ]
        }.permissions
    }

    @Test func `files beside the history are judged by their owner and by whether they can be written`() {
        #expect(beside(1000).map(\.severity) == [.fine])
        let closed = beside(0, isWritable: false)
        #expect(closed.map(\.severity) == [.fault(.permission)])
        #expect(
            closed == [.storage(.companionOfAnother(path: path + ".lock", owner: 0, history: path, isHarmless: false))])
        #expect(beside(0).map(\.severity) == [.warning], "open to a group, say")
        #expect(
            beside(1000, isWritable: false) == [
                .storage(.companionNotWritable(path: path + ".lock", directory: "/home/anna"))
            ])
        #expect(
            beside(0, user: 0).map(\.severity) == [.fault(.permission)], "root can write it, the history's owner cannot"
        )
        #expect(beside(1000, user: 0).map(\.severity) == [.fine])
        #expect(beside(1000, user: 0, of: 0).map(\.severity) == [.warning], "nothing keeps root out of its own")
    }

    @Test(arguments: [
        (0, Severity.fault(.temporary)), (9_999_999, .fault(.temporary)), (10_000_000, .warning),
        (99_999_999, .warning), (100_000_000, .fine),
    ]) func `little free space is a warning, and hardly any is a fault`(_ bytes: Int, _ severity: Severity) {
        #expect(storage { $0.free = bytes }.space.map(\.severity) == [severity])
    }

    @Test func `free space that is not known is a note`() {
        #expect(storage { $0.free = nil }.space.map(\.severity) == [.note])
    }

    @Test func `a log of more than 64 MB is a note`() {
        #expect(storage { $0.logSize = 64_000_000 }.space.map(\.severity) == [.fine])
        #expect(storage { $0.logSize = 64_000_001 }.space.map(\.severity) == [.note, .fine])
    }

    private func timer(_ change: (inout TimerFacts) -> Void = { _ in }) -> [Diagnosis] {
        var facts = TimerFacts(
            unit: "istep-sync.timer", isInstalled: true, isEnabled: true, isActive: true, lastRun: now - 3600,
            nextRun: now + 3600,
            lastResult: "success", lingers: true)
        change(&facts)
        return facts.diagnoses(now: now)
    }

    private func findings(_ diagnoses: [Diagnosis]) -> [ScheduleDiagnosis.Finding] {
        diagnoses.compactMap { if case .schedule(let diagnosis) = $0 { diagnosis.finding } else { nil } }
    }

    @Test func `the state and the last run of the nightly timer are diagnosed`() {
        let last = now - 3600, next = now + 3600
        #expect(findings(timer()) == [.run(last: last, next: next)])
        #expect(findings(timer { $0.lastRun = nil }) == [.noRun(next: next)])
        #expect(findings(timer { $0.isInstalled = false }) == [.notInstalled])
        #expect(findings(timer { ($0.isEnabled, $0.isActive) = (false, false) }) == [.timer(.disabled)])
        #expect(findings(timer { $0.isActive = false }) == [.timer(.inactive)])
        #expect(
            findings(timer { $0.isEnabled = false }) == [.run(last: last, next: next), .timer(.activeUntilRestart)])
        #expect(
            findings(timer { $0.lastResult = "exit-code" }) == [.runFailed(last: last, next: next, result: "exit-code")]
        )
        let old = now - 40 * 3600
        #expect(findings(timer { ($0.lastRun, $0.nextRun) = (old, nil) }) == [.runMissed(last: old, next: nil)])
        #expect(findings(timer { $0.lastRun = old }) == [.run(last: old, next: next)], "the next run is due later")
        #expect(findings(timer { $0.lingers = false }) == [.run(last: last, next: next), .notLingering])
        #expect(timer { ($0.lingers, $0.isSystemWide) = (false, true) }.map(\.subject) == [.timer])
    }

    @Test func `an active or enabled watch service is reported beside the timer`() {
        #expect(timer { $0.isWatchActive = true }.map(\.subject) == [.timer, .watch])
        #expect(
            timer { ($0.isEnabled, $0.isActive, $0.isWatchActive) = (false, false, true) }.map(\.subject) == [.watch],
            "it needs no timer")
        #expect(timer { $0.isWatchEnabled = true }.map(\.severity) == [.fine, .warning])
    }

    @Test func `a timer that does not run as planned is a warning, and one that is off is a note`() {
        #expect(timer().map(\.severity) == [.fine])
        #expect(timer { $0.isInstalled = false }.map(\.severity) == [.note])
        #expect(
            timer { ($0.isEnabled, $0.isActive) = (false, false) }.map(\.severity) == [.note], "it is the user's choice"
        )
        #expect(timer { $0.isActive = false }.map(\.severity) == [.warning])
        #expect(timer { $0.isEnabled = false }.map(\.severity) == [.fine, .warning])
        #expect(timer { $0.lastResult = "timeout" }.map(\.severity) == [.warning])
        #expect(timer { ($0.lastRun, $0.nextRun) = (now - 40 * 3600, nil) }.map(\.severity) == [.warning])
        #expect(timer { $0.lingers = false }.map(\.severity) == [.fine, .note])
    }

    @Test func `a diagnosis of the timer contains the data for its fix`() {
        let diagnoses = timer {
            ($0.isEnabled, $0.isActive, $0.isWatchEnabled, $0.isSystemWide) = (false, false, true, true)
        }
        #expect(
            diagnoses.first
                == .schedule(
                    ScheduleDiagnosis(.timer(.disabled), timer: "istep-sync.timer", isSystemWide: true, hasWatch: true))
        )
    }

    private func midnight(
        _ todayOnly: [String] = ["watch"], _ change: (inout TimerFacts) -> Void = { _ in }
    ) -> [ScheduleDiagnosis.Finding] {
        var facts = TimerFacts(
            unit: "istep-sync.timer", isInstalled: true, isEnabled: true, isActive: true, isMidnightEnabled: true,
            isMidnightActive: true,
            lingers: true)
        change(&facts)
        return findings(facts.diagnoses(now: now, todayOnly: todayOnly).filter { $0.subject == .midnightTimer })
    }

    private func off(_ facts: inout TimerFacts) { (facts.isMidnightEnabled, facts.isMidnightActive) = (false, false) }

    @Test func `the midnight timer is diagnosed only if a pedometer holds only today and no watch reads it`() {
        let watch = ["watch"]
        #expect(midnight().isEmpty && midnight { $0.midnightResult = "success" }.isEmpty)
        #expect(midnight([], off).isEmpty, "nothing needs it")
        #expect(midnight(watch, off) == [.midnight(.disabled, todayOnly: watch)])
        #expect(
            midnight {
                off(&$0); ($0.isEnabled, $0.isActive) = (false, false)
            }.isEmpty, "the nightly timer is off, too, and reported")
        #expect(
            midnight {
                off(&$0); $0.isWatchActive = true
            }.isEmpty, "a watch reads it before midnight")
        #expect(midnight { $0.isMidnightActive = false } == [.midnight(.inactive, todayOnly: watch)])
        #expect(midnight { $0.isMidnightEnabled = false } == [.midnight(.activeUntilRestart, todayOnly: watch)])
        #expect(
            midnight { $0.midnightResult = "exit-code 69" } == [
                .midnightFailed(result: "exit-code 69", todayOnly: watch)
            ])
    }

    // MARK: Radio and scan

    private let problem = Problem.reported(.unavailable, message: "none", advice: nil)

    @Test func `a radio fault is reported at its level: kernel, switch or adapter`() {
        let healthy = RadioFacts(adapters: [.init(name: "hci0")])
        #expect([healthy.kernel, healthy.radioSwitch, healthy.adapter].map(\.severity) == [.fine, .fine, .fine])
        func faulty(_ fault: RadioFacts.Fault) -> [Diagnosis] {
            let facts = RadioFacts(fault: fault, problem: problem)
            return [facts.kernel, facts.radioSwitch, facts.adapter]
        }
        #expect(faulty(.noKernelSupport)[0] == .failed(.kernel, problem))
        #expect(faulty(.blocked)[1] == .failed(.radioSwitch, problem))
        #expect(faulty(.noAdapter)[2] == .failed(.adapter, problem))
        #expect(faulty(.down).allSatisfy { $0.severity == .fine }, "the Bluetooth service reports that")
    }

    @Test func `a missing adapter is reported with those that exist`() {
        let facts = RadioFacts(adapters: [.init(name: "hci0")], fault: .noAdapter, problem: problem)
        #expect(
            facts.adapter == .bluetooth(.otherAdapters(problem, present: ["hci0"]))
                && facts.adapter.severity == .fault(.unavailable))
    }

    @Test func `a blocked rfkill switch of another adapter is a note`() {
        let facts = RadioFacts(adapters: [.init(name: "hci0")], blockedSwitches: ["hci9"])
        #expect(facts.radioSwitch == .bluetooth(.otherAdapterBlocked(["hci9"])) && facts.radioSwitch.severity == .note)
    }

    @Test func `what a scan means depends on the registered pedometers`() {
        let ring = DiscoveredDevice(address: "C0:DE:00:00:00:01", name: "R02")
        func diagnoses(_ count: Int, _ registered: Int?, candidate: DiscoveredDevice? = nil) -> [Diagnosis] {
            ScanFacts(count: count, candidate: candidate).diagnoses(registered: registered, seconds: 4)
        }
        #expect(diagnoses(3, 1) == [.scan(.discovered(devices: 3))])
        #expect(
            diagnoses(0, 1) == [.scan(.nothingDiscovered(seconds: 4, isExpected: true))]
                && diagnoses(0, 1)[0].severity == .warning)
        #expect(diagnoses(0, nil).map(\.severity) == [.note], "no pedometer is known to be registered")
        #expect(diagnoses(3, 0) == [.scan(.discovered(devices: 3)), .scan(.noPedometer)])
        #expect(diagnoses(3, 0, candidate: ring) == [.scan(.discovered(devices: 3)), .scan(.candidate(ring))])
    }
}
