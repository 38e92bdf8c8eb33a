import StepDomain
import Testing

/// What a checkup makes of time, disk and timer.
@Suite struct MachineFactsTests {
    private let now = Timestamp(1_800_000_000)

    private func time(_ change: (inout TimeFacts) -> Void = { _ in }) -> [Remark] {
        var facts = TimeFacts(now: now, isSynchronised: true, zone: "Europe/Berlin", isDesktop: true)
        change(&facts)
        return facts.remarks(localTime: .fixed(3600))
    }

    @Test func theClock() {
        #expect(time().map(\.grade) == [.fine, .fine])
        #expect(time { $0.isSynchronised = nil }.map(\.grade) == [.fine, .fine])
        #expect(time { $0.isSynchronised = false }.map(\.grade) == [.warning, .fine])
        #expect(time { $0.now = TimeFacts.earliest }.map(\.grade) == [.fine, .fine])
        let early = time { $0.now = Timestamp(100) }
        #expect(early.map(\.grade) == [.fault(.temporary), .fine])
        #expect(early[0].message.contains("1970-01-01"))
    }

    @Test func theTimeZone() {
        #expect(time { $0.zone = nil }.map(\.grade) == [.fine, .warning])
        #expect(time { $0.zone = "Etc/UTC" }.map(\.grade) == [.fine, .note])
        #expect(time { ($0.zone, $0.isDesktop) = ("Etc/UTC", false) }.map(\.grade) == [.fine, .fine], "servers live by UTC")
    }

    private func storage(_ change: (inout StorageFacts) -> Void = { _ in }) -> StorageFacts {
        var facts = StorageFacts(
            file: .init(path: "/home/anna/history.sqlite", mode: 0o600, owner: 1000),
            directory: .init(path: "/home/anna", mode: 0o700, owner: 1000), free: 5_000_000_000, user: 1000)
        change(&facts)
        return facts
    }

    @Test func whoCanGetAtTheHistory() {
        #expect(storage().privacy.map(\.grade) == [.fine])
        let open = storage { $0.file.mode = 0o644 }.privacy
        #expect(open.map(\.grade) == [.warning])
        #expect(open[0].cure == "chmod 600 '/home/anna/history.sqlite'")
        #expect(storage { $0.directory.mode = 0o755 }.privacy.map(\.grade) == [.fine], "the file itself is closed")
        #expect(storage { $0.directory.mode = 0o777 }.privacy.map(\.grade) == [.warning])
        #expect(storage { $0.directory.mode = 0o1777 }.privacy.map(\.grade) == [.fine], "sticky, as /tmp")
        #expect(storage { $0.file.isWritable = false }.privacy.map(\.grade) == [.fault(.permission)])
        #expect(storage { $0.directory.isWritable = false }.privacy.map(\.grade) == [.fault(.permission)])
        #expect(storage { ($0.file.owner, $0.file.isWritable) = (7, false) }.privacy.map(\.grade) == [.fault(.permission)])
        #expect(storage { $0.file.owner = 7 }.privacy.map(\.grade) == [.warning])
        #expect(storage { ($0.file.owner, $0.user) = (7, 0) }.privacy.map(\.grade) == [.fine], "root may look at anybody's")
    }

    private func beside(_ owner: UInt32, isWritable: Bool = true, user: UInt32 = 1000, of file: UInt32 = 1000) -> [Remark] {
        storage {
            ($0.file.owner, $0.user) = (file, user)
            $0.companions = [.init(path: "/home/anna/history.sqlite.lock", mode: 0o600, owner: owner, isWritable: isWritable)]
        }.privacy
    }

    @Test func whatLiesBesideTheHistory() {
        #expect(beside(1000).map(\.grade) == [.fine])
        let closed = beside(0, isWritable: false)
        #expect(closed.map(\.grade) == [.fault(.permission)])
        #expect(closed[0].message.hasPrefix("/home/anna/history.sqlite.lock belongs to another user (0)"))
        #expect(closed[0].cure == "sudo chown --reference='/home/anna/history.sqlite' '/home/anna/history.sqlite.lock'")
        #expect(beside(0).map(\.grade) == [.warning], "open to a group, say")
        #expect(beside(1000, isWritable: false).map(\.cure)
            == ["chmod u+rw '/home/anna/history.sqlite.lock'; or the disk is mounted read-only: mount tells"])
        #expect(beside(0, user: 0).map(\.grade) == [.fault(.permission)], "root can write it, the history's owner cannot")
        #expect(beside(1000, user: 0).map(\.grade) == [.fine])
        #expect(beside(1000, user: 0, of: 0).map(\.grade) == [.warning], "nothing keeps root out of its own")
    }

    @Test func pathsAreQuotedForTheShell() {
        let cure = storage { ($0.file.path, $0.file.mode) = ("/home/o'hara/h", 0o666) }.privacy[0].cure
        #expect(cure == #"chmod 600 '/home/o'\''hara/h'"#)
    }

    @Test(arguments: [
        (0, Grade.fault(.temporary)), (9_999_999, .fault(.temporary)), (10_000_000, .warning), (99_999_999, .warning), (100_000_000, .fine),
    ]) func howMuchRoomThereIs(_ bytes: Int, _ grade: Grade) {
        #expect(storage { $0.free = bytes }.room.map(\.grade) == [grade])
    }

    @Test func roomThatCannotBeTold() { #expect(storage { $0.free = nil }.room.map(\.grade) == [.note]) }

    @Test func aLogThatGrows() {
        #expect(storage { $0.logSize = 64_000_000 }.room.map(\.grade) == [.fine])
        #expect(storage { $0.logSize = 64_000_001 }.room.map(\.grade) == [.note, .fine])
    }

    private func timer(_ change: (inout TimerFacts) -> Void = { _ in }) -> [Remark] {
        var facts = TimerFacts(
            unit: "istep-sync.timer", isInstalled: true, isEnabled: true, isActive: true, lastRun: now - 3600, nextRun: now + 3600,
            lastResult: "success", lingers: true)
        change(&facts)
        return facts.remarks(now: now, localTime: .fixed(0))
    }

    @Test func theTimer() {
        #expect(timer().map(\.grade) == [.fine])
        #expect(timer()[0].message == "last run 2027-01-15 07:00, next 2027-01-15 09:00")
        #expect(timer { $0.lastRun = nil }.map(\.grade) == [.fine])
        #expect(timer { $0.isInstalled = false }.map(\.cure) == ["Install istep with its units, then: istep auto on"])
        #expect(timer { ($0.isEnabled, $0.isActive) = (false, false) }.map(\.grade) == [.note], "who does not want it is left alone")
        #expect(timer { ($0.isEnabled, $0.isActive, $0.isSystemWide) = (false, false, true) }[0].cure == "sudo istep auto on --system")
        #expect(timer { $0.isActive = false }.map(\.grade) == [.warning])
        #expect(timer { $0.isEnabled = false }.map(\.grade) == [.fine, .warning])
        #expect(timer { $0.lastResult = "exit-code" }.map(\.cure) == ["journalctl --user-unit istep-sync tells why"])
        #expect(timer { ($0.lastResult, $0.isSystemWide) = ("timeout", true) }.map(\.cure) == ["sudo journalctl -u istep-sync tells why"])
        #expect(timer { ($0.lastRun, $0.nextRun) = (now - 40 * 3600, nil) }.map(\.grade) == [.warning])
        #expect(timer { $0.lastRun = now - 40 * 3600 }.map(\.grade) == [.fine], "it comes")
        #expect(timer { $0.isWatchActive = true }.map(\.subject) == ["timer", "watch"])
        #expect(timer { ($0.isEnabled, $0.isActive, $0.isWatchActive) = (false, false, true) }.map(\.subject) == ["watch"], "it needs no timer")
        #expect(timer { $0.isWatchEnabled = true }.map(\.grade) == [.fine, .warning])
        #expect(timer { $0.lingers = false }.map(\.subject) == ["timer", "lingering"])
        #expect(timer { ($0.lingers, $0.isSystemWide) = (false, true) }.map(\.subject) == ["timer"])
    }

    @Test func whoWatchesGoesOnWatching() {
        let cure = timer { ($0.isEnabled, $0.isActive, $0.isWatchEnabled) = (false, false, true) }[0].cure
        #expect(cure == "istep auto on --watch")
    }

    private func midnight(_ counters: [String] = ["watch"], _ change: (inout TimerFacts) -> Void = { _ in }) -> [Remark] {
        var facts = TimerFacts(
            unit: "istep-sync.timer", isInstalled: true, isEnabled: true, isActive: true, isMidnightEnabled: true, isMidnightActive: true,
            lingers: true)
        change(&facts)
        return facts.remarks(now: now, localTime: .fixed(0), counters: counters).filter { $0.subject != "timer" && $0.subject != "watch" }
    }

    private func off(_ facts: inout TimerFacts) { (facts.isMidnightEnabled, facts.isMidnightActive) = (false, false) }

    @Test func theTimerOfWhatKeepsOnlyToday() {
        #expect(midnight().isEmpty && midnight { $0.midnightResult = "success" }.isEmpty)
        #expect(midnight([], off).isEmpty, "nothing needs it")
        let without = midnight(["watch"], off)
        #expect(without.map(\.grade) == [.warning] && without.map(\.cure) == ["istep auto on"])
        #expect(without.first?.message == "istep-midnight.timer is switched off: watch keeps only today's count, "
            + "and what is not read before midnight is lost")
        #expect(midnight(["a", "b"], off).first?.message.contains("2 pedometers keep only") == true)
        #expect(midnight { off(&$0); $0.isSystemWide = true }.first?.cure == "sudo istep auto on --system")
        #expect(midnight { off(&$0); ($0.isEnabled, $0.isActive) = (false, false) }.isEmpty, "all of it is off, and said to be")
        #expect(midnight { off(&$0); $0.isWatchActive = true }.isEmpty, "a watch reads it before midnight")
        #expect(midnight { $0.isMidnightActive = false }.map(\.cure) == ["systemctl --user restart istep-midnight.timer"])
        #expect(midnight { ($0.isMidnightActive, $0.isSystemWide) = (false, true) }.map(\.cure)
            == ["sudo systemctl restart istep-midnight.timer"])
        #expect(midnight { $0.isMidnightEnabled = false }.map(\.cure) == ["istep auto on"])
        #expect(midnight { $0.midnightResult = "exit-code 69" }.map(\.cure) == ["journalctl --user-unit istep-midnight tells why"])
    }
}
