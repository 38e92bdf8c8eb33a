import StepDomain
import Testing

@testable import StepViews

/// The words of diagnoses, and the commands that help.
@Suite(.timeLimit(.minutes(5))) struct DiagnosisWordsTests {
    private let now = Timestamp(1_800_000_000)  // 2027-01-15 08:00 UTC
    private let path = "/home/anna/history.sqlite"
    private static let address = "C0:DE:00:00:00:01"

    private func words(_ diagnosis: Diagnosis) -> DiagnosisWords {
        DiagnosisWords(diagnosis, now: now, localTime: .fixed(0))
    }
    private func message(_ diagnosis: Diagnosis) -> String { words(diagnosis).message }
    private func fix(_ diagnosis: Diagnosis) -> String? { words(diagnosis).fix?.description }

    // MARK: The machine

    @Test func `the words of a diagnosis contain the message and advice of its error`() {
        let problem = Problem.reported(
            .unavailable, message: "hci0 is blocked", advice: "Lift it with `rfkill unblock bluetooth`.")
        let words = words(.failed(.radioSwitch, problem))
        #expect(words.subject == "radio switch" && words.message == "hci0 is blocked")
        #expect(words.fix?.commands.map { $0.text() } == ["rfkill unblock bluetooth"])
        #expect(fix(.failed(.history, .unforeseen("Broken()"))) == "Please report this.")
        #expect(message(.failed(.history, .interrupted)) == "interrupted")
    }

    @Test func `the message of a check without a result says why there is none`() {
        #expect(message(.skipped(.adapter, dependsOn: .bus)) == "skipped: depends on D-Bus")
        #expect(message(.unanswered(.disk, seconds: 7)) == "no answer within 7 seconds")
    }

    @Test func `an adapter that does not exist names those that do`() {
        let problem = Problem.reported(.unavailable, message: "there is no hci7", advice: "List the adapters.")
        #expect(
            fix(.bluetooth(.otherAdapters(problem, present: ["hci0"])))?.hasPrefix(
                "There is hci0: name it with --adapter") == true)
        let several = fix(.bluetooth(.otherAdapters(problem, present: ["hci0", "hci1"])))
        #expect(several?.hasPrefix("There are hci0 and hci1: name one with --adapter") == true)
        #expect(message(.bluetooth(.otherAdapterBlocked(["hci1"]))) == "hci1 is blocked; istep uses another adapter")
        #expect(
            message(.bluetooth(.otherAdapterBlocked(["hci1", "hci2"])))
                == "hci1 and hci2 are blocked; istep uses another adapter")
    }

    @Test func `an adapter that hears nothing may be stuck`() {
        #expect(
            words(.scan(.nothingDiscovered(seconds: 1.5, isExpected: true))).message.hasSuffix("within 1.5 seconds"))
        let stuck = words(.scan(.nothingDiscovered(seconds: 4, isExpected: true)))
        #expect(stuck.message == "the adapter received no advertisement within 4 seconds")
        #expect(
            stuck.fix?.commands.map { $0.text() }
                == ["bluetoothctl power off", "bluetoothctl power on", "sudo systemctl restart bluetooth"])
        #expect(message(.scan(.discovered(devices: 1))) == "the adapter receives advertisements of 1 device")
        #expect(
            message(.scan(.inUse(HistoryHolder(process: 7, activity: .sync))))
                == "skipped: a sync is running (process 7); it is not interrupted")
    }

    @Test func `the fix for a recognised device in range is the add command`() {
        #expect(
            fix(.scan(.candidate(DiscoveredDevice(address: Self.address, name: "R02")))) == "istep add \(Self.address)")
    }

    @Test func `problems of the clock and the time zone have a message and a fix`() {
        #expect(message(.time(.clockImpossible(Timestamp(100)))).contains("1970-01-01"))
        #expect(fix(.time(.clockNotSynchronised(now))) == "sudo timedatectl set-ntp true")
        #expect(message(.time(.desktopInUTC("Etc/UTC"))) == "Etc/UTC: days begin at midnight of UTC")
    }

    // MARK: The history

    @Test func `the age of a sync is given as in all views`() {
        func ring(_ diagnosis: SyncHistoryDiagnosis) -> Diagnosis { .syncs(pedometer: "ring", diagnosis) }
        #expect(message(ring(.recent(now - 5400))) == "last synced 1 hour ago")
        #expect(message(ring(.tooLongAgo(now - 80 * 3600))) == "last synced 3 days ago")
        #expect(fix(ring(.tooLongAgo(now - 80 * 3600))) == "Sync now: istep sync. To sync every night: istep auto on")
        #expect(
            message(ring(.failing(now - 2 * 86_400, tries: 2, last: now - 7200, reason: "not in range")))
                == "last synced 2 days ago; 2 attempts failed, the last 2 hours ago: not in range")
        #expect(
            message(ring(.failing(nil, tries: 1, last: now - 7200, reason: nil)))
                == "no sync has succeeded lately; an attempt failed 2 hours ago: no reason given")
        #expect(
            message(ring(.interrupted(now - 86_400 * 2, tries: 2, last: now - 7200)))
                == "last synced 2 days ago; 2 attempts were interrupted, the last 2 hours ago")
        #expect(
            fix(ring(.interrupted(now, tries: 2, last: now))) == nil
                && fix(ring(.interrupted(nil, tries: 1, last: now))) == "istep sync")
        #expect(
            message(ring(.running(nil, since: now)))
                == "no sync has succeeded lately; a sync began just now and has not ended")
        #expect(fix(ring(.never)) == "istep sync")
    }

    @Test func `permissions are fixed by a command`() {
        #expect(fix(.storage(.fileOpen(path: path, mode: 0o644))) == "chmod 600 \(path)")
        #expect(message(.storage(.fileOpen(path: path, mode: 0o644))).hasSuffix("(mode 0644)"))
        #expect(fix(.storage(.directoryOpen(path: "/home/anna", mode: 0o777))) == "chmod 700 /home/anna")
        #expect(
            fix(.storage(.fileOfAnother(path: path, owner: 7, user: 1000, isWritable: true)))
                == "sudo chown 1000 \(path)")
        #expect(
            fix(.storage(.companionOfAnother(path: path + ".lock", owner: 0, history: path, isHarmless: false)))
                == "sudo chown --reference=\(path) \(path).lock")
        #expect(
            fix(.storage(.companionNotWritable(path: path + ".lock", directory: "/home/anna")))
                == "Make it writable: chmod u+rw \(path).lock. If that fails, see whether the disk is mounted read-only: findmnt -T /home/anna"
        )
        #expect(fix(.configuration(.writableByOthers(path: "/c"))) == "chmod go-w /c")
    }

    @Test func `a path is quoted for the shell`() {
        #expect(fix(.storage(.fileOpen(path: "/home/o'hara/h", mode: 0o666))) == #"chmod 600 '/home/o'\''hara/h'"#)
    }

    @Test func `the message about free space names the directory, and enough space needs no fix`() {
        #expect(message(.storage(.free(bytes: 20_000_000, directory: "/home", .little))) == "20.0 MB left for /home")
        #expect(fix(.storage(.free(bytes: 20_000_000_000, directory: "/home", .enough))) == nil)
    }

    @Test func `the messages about wrong sums and an unknown user contain the details`() {
        #expect(
            message(.history(.wrongSums(days: 2, newest: Day(daysSince1970: 16_180))))
                == "the daily sums of 2 days differ from the samples, the newest 2014-04-20: charts and totals are wrong"
        )
        #expect(message(.history(.unknownUser("bob", known: ["anna"]))) == "There is no user 'bob'; known users: anna")
    }

    // MARK: Pedometers and destinations

    private func ring(_ diagnosis: PedometerDiagnosis) -> Diagnosis { .pedometer("my ring", diagnosis) }

    @Test func `the results of examining a pedometer have messages`() {
        #expect(message(ring(.answers(battery: 76, rssi: -60))) == "it answers, battery 76 %, signal -60 dBm")
        #expect(message(ring(.answers(battery: nil, rssi: nil))) == "it answers")
        #expect(message(ring(.clockOff(seconds: -7260))).hasPrefix("its clock is 2 hours 1 minute behind:"))
        #expect(message(ring(.clockOff(seconds: 60))).hasPrefix("its clock is 1 minute ahead:"))
        #expect(message(ring(.clockOff(seconds: nil))).hasPrefix("its clock is wrong:"))
        #expect(fix(ring(.clockOff(seconds: nil)))?.hasSuffix("istep sync 'my ring'") == true)
    }

    @Test func `a pairing is removed only where it may be lost`() {
        let commands = ["istep forget --unpair 'my ring'", "istep add \(Self.address)"]
        for diagnosis in [
            .pairingLost(address: Self.address, reason: nil),
            .connectFailed(.maybeUnpaired(address: Self.address), reason: "no"),
        ] as [PedometerDiagnosis] {
            let fix = words(ring(diagnosis)).fix
            #expect(fix?.commands.map { $0.text() } == commands)
            #expect(fix?.description.contains("(its steps stay in the history)") == true)
        }
        for cause in [.busy, .unknown] as [PedometerDiagnosis.ConnectCause] {
            let words = words(ring(.connectFailed(cause, reason: "no")))
            #expect(words.message == "it is in range, but connecting fails: no")
            #expect(words.fix?.commands.isEmpty == true)
        }
        #expect(message(ring(.needsPairing)).contains("requires pairing"))
        #expect(
            message(ring(.pairingLost(address: Self.address, reason: "no key"))).contains("lost on one side: no key"))
    }

    @Test func `the problems of an outbox have a message and a fix`() {
        func garden(_ diagnosis: DestinationDiagnosis) -> Diagnosis { .destination("garden", diagnosis) }
        #expect(
            message(garden(.rejected(days: 1, last: Sample.day, reason: "down")))
                == "1 day rejected, the last 2014-04-20: down")
        #expect(message(garden(.uncertain(days: 2))) == "2 days may have arrived")
        let withheld = garden(.withheld(days: 1, last: Sample.day))
        #expect(message(withheld).hasPrefix("1 day withheld, the last 2014-04-20: more steps than anyone takes"))
        #expect(fix(withheld)?.contains("istep outbox retry garden DAY") == true)
        #expect(
            message(garden(.waiting(days: 2, seconds: 3 * 86_400, reason: nil)))
                == "2 days waiting, the oldest for 3 days: no reason given")
        #expect(
            fix(garden(.waiting(days: 2, seconds: 3 * 86_400, reason: nil)))?.hasSuffix(
                "istep outbox send --wait garden") == true)
        #expect(fix(garden(.paused(reason: "401")))?.contains("istep outbox retry garden") == true)
        #expect(fix(garden(.unusable("others can read it: run `chmod 600 /t`"))) == "chmod 600 /t")
        #expect(message(garden(.recipients(.nobody))) == "it has no recipients: its `users` are empty")
        let several = garden(.recipients(.several(known: ["anna", "ben"])))
        #expect(
            message(several) == "it has one place for the days of one user, and would get those of several: anna, ben")
        #expect(fix(several)?.contains("For each other user, add another") == true)
    }

    // MARK: The timer

    private func timer(_ finding: ScheduleDiagnosis.Finding, isSystemWide: Bool = false, hasWatch: Bool = false)
        -> Diagnosis
    {
        .schedule(ScheduleDiagnosis(finding, timer: "istep-sync.timer", isSystemWide: isSystemWide, hasWatch: hasWatch))
    }

    @Test func `the message about the timer contains its runs, and a failed or missed run has a fix`() {
        #expect(
            message(timer(.run(last: now - 3600, next: now + 3600)))
                == "last run 2027-01-15 07:00, next 2027-01-15 09:00")
        #expect(message(timer(.noRun(next: nil))) == "has not run yet")
        #expect(
            fix(timer(.runFailed(last: now, next: nil, result: "timeout")))
                == "See the journal for the reason: journalctl --user-unit istep-sync")
        #expect(
            fix(timer(.runFailed(last: now, next: nil, result: "timeout"), isSystemWide: true))
                == "See the journal for the reason: sudo journalctl -u istep-sync")
        #expect(fix(timer(.runMissed(last: now, next: nil))) == "systemctl --user restart istep-sync.timer")
    }

    @Test func `the fix for a timer has the same scope and options`() {
        #expect(fix(timer(.notInstalled)) == "Install istep with its units, then: istep auto on")
        #expect(fix(timer(.timer(.disabled), isSystemWide: true)) == "sudo istep auto on --system")
        #expect(fix(timer(.timer(.disabled), hasWatch: true)) == "istep auto on --watch", "a watch that is on stays on")
        #expect(fix(timer(.timer(.inactive))) == "systemctl --user start istep-sync.timer")
        #expect(message(timer(.timer(.inactive))) == "istep-sync.timer is enabled but not running")
        #expect(message(timer(.watchInactive)) == "istep-watch.service is enabled but not running")
        #expect(fix(timer(.watchInactive)) == "See the journal for the reason: journalctl --user-unit istep-watch")
    }

    @Test func `the message about a disabled midnight timer names the steps that are lost`() {
        #expect(
            message(timer(.midnight(.disabled, todayOnly: ["watch"])))
                == "istep-midnight.timer is disabled: watch holds only today's count, and what is not read before midnight is lost"
        )
        #expect(message(timer(.midnight(.disabled, todayOnly: ["a", "b"]))).contains("2 pedometers hold only"))
        #expect(fix(timer(.midnight(.disabled, todayOnly: ["a"]), isSystemWide: true)) == "sudo istep auto on --system")
        #expect(fix(timer(.midnight(.inactive, todayOnly: ["a"]))) == "systemctl --user restart istep-midnight.timer")
        #expect(
            fix(timer(.midnightFailed(result: "exit-code 69", todayOnly: ["a"])))
                == "See the journal for the reason: journalctl --user-unit istep-midnight")
    }
}
