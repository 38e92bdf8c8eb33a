import StepDomain
import Testing

@Suite(.timeLimit(.minutes(5))) struct BackupScheduleTests {
    private let now = Timestamp(1_764_000_000)  // 2025-11-24T16:00:00Z

    private func name(_ daysAgo: Int, _ origin: BackupName.Origin = .schedule) -> BackupName {
        BackupName(of: "/srv/history.sqlite", at: now - daysAgo * 86_400, .fixed(3600), origin)
    }

    @Test func `the name of a backup contains the history, the local time and its origin, and is parsed`() {
        let name = name(0)
        #expect(name.file == "history-2025-11-24T170000.auto.sqlite")
        #expect(BackupName(file: name.file, of: "/elsewhere/history.sqlite") == name)
        #expect(name.next.file == "history-2025-11-24T170000-2.auto.sqlite")
        #expect(BackupName(file: name.next.file, of: "history.sqlite") == name.next)
        #expect(self.name(0, .user).file == "history-2025-11-24T170000.sqlite")
    }

    @Test(arguments: [
        "history.sqlite", "other-2025-11-24T170000.sqlite", "history-2025-11-24.sqlite",
        "history-2025-13-24T170000.sqlite",
        "history-2025-11-24T1700.sqlite", "history-2025-11-24T17000x.sqlite", "history-2025-11-24T170000-0.sqlite",
        "history-2025-11-24T170000.sqlite.new", "history-damaged-2025-11-24T170000.sqlite", "",
    ])
    func `other files are no backups of this history`(file: String) {
        #expect(BackupName(file: file, of: "history.sqlite") == nil)
    }

    @Test func `an automatic backup is due each week, and manual ones do not count`() {
        let schedule = BackupSchedule(count: 4)
        let today = Day(of: now, utcOffset: 3600)
        #expect(schedule.isDue([], today: today))
        #expect(!schedule.isDue([name(6)], today: today))
        #expect(schedule.isDue([name(7)], today: today))
        #expect(schedule.isDue([name(0, .user), name(30)], today: today))
        #expect(schedule.isDue([name(-400)], today: today), "a clock was wrong")
        #expect(!schedule.isDue([name(-400), name(3)], today: today))
        #expect(schedule.isDue([name(-400), name(7)], today: today))
        #expect(!schedule.isDue([name(-1)], today: today), "made in a zone to the east")
        #expect(!BackupSchedule(count: 0).isDue([], today: today))
    }

    @Test func `the oldest automatic ones beyond the number are deleted, and no others`() {
        let backups = [name(0), name(7), name(14), name(21), name(28), name(35), name(90, .user)]
        let today = Day(of: now, utcOffset: 3600)
        #expect(BackupSchedule(count: 4).surplus(backups, today: today) == [name(35), name(28)])
        #expect(BackupSchedule(count: 1).surplus(backups.reversed(), today: today).count == 5)
        #expect(BackupSchedule(count: 0).surplus(backups, today: today) == [])
        #expect(!BackupSchedule(count: 1).surplus(backups, today: today).contains(name(90, .user)))
    }

    @Test func `backups of imports count by themselves`() {
        let today = Day(of: now, utcOffset: 3600)
        let imports = (0..<5).map { BackupName(of: "/srv/history.sqlite", at: now - $0 * 60, .fixed(3600), .import) }
        #expect(imports[0].file == "history-2025-11-24T170000.import.sqlite" && imports[0].isAutomatic)
        #expect(BackupName(file: imports[0].file, of: "history.sqlite") == imports[0])
        let weekly = [name(0), name(7), name(14)]
        #expect(
            BackupSchedule(count: 2).surplus(imports + weekly, today: today) == [name(14)] + imports[2...].reversed())
        #expect(BackupSchedule(count: 4).isDue(imports, today: today), "the weekly backup is due all the same")
        // Each import makes one, also where the user wants none by a schedule.
        #expect(BackupSchedule(count: 0).surplus(imports + weekly, today: today) == [imports[4]])
    }

    @Test func `a backup with a date in the future does not displace a new one`() {
        let today = Day(of: now, utcOffset: 3600)
        #expect(BackupSchedule(count: 1).surplus([name(0), name(-400)], today: today) == [name(-400)])
        #expect(BackupSchedule(count: 2).surplus([name(0), name(-400), name(7)], today: today) == [name(-400)])
        #expect(BackupSchedule(count: 2).surplus([name(-1), name(0), name(7)], today: today) == [name(7)])
    }
}
