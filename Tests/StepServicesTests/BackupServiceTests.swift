import StepDomain
import StepServices
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct BackupServiceTests {
    private let lock = ScriptedLock()

    @Test func `a backup works while a sync runs`() async throws {
        lock.holdElsewhere(.syncing)
        let backups = ScriptedBackups()
        #expect(try await BackupService(backups, lock: lock).backUp(to: "/copy").path == "/copy")
        #expect(try await BackupService(backups, lock: lock).backUp(to: nil).path == "/backups/new")
    }

    @Test func `the list has the directory and its contents`() throws {
        let stored = StoredBackup(path: "/backups/1", origin: .schedule, bytes: 7)
        let list = try BackupService(ScriptedBackups(stored: [stored]), lock: lock).list()
        #expect(list.directory == "/backups" && list.backups == [stored] && list.isHistoryThere)
        #expect(try !BackupService(ScriptedBackups(isHistoryThere: false), lock: lock).list().isHistoryThere)
    }

    @Test func `a restore replaces the history while no sync or share is running`() async throws {
        let backups = ScriptedBackups(lock: lock)
        let service = BackupService(backups, lock: lock)
        let candidate = try await service.examine("/copy")
        #expect(candidate.replacesHistory && candidate.contents.path == "/copy" && candidate.history == "/history")
        #expect(await service.losses(candidate) == HistoryLosses(plans: 1))
        #expect(lock.log.isEmpty, "an examination waits for nothing")
        #expect(try await service.restore(candidate) == ReplacedHistory(path: "/history.old"))
        #expect(backups.log == ["restore /copy, held alone"])
        #expect(Set(lock.log) == [.syncing, .sharing])
    }

    @Test(arguments: HistoryWork.allCases) func `a running sync or share prevents restore and repair`(
        _ work: HistoryWork
    ) async throws {
        let backups = ScriptedBackups(lock: lock)
        let service = BackupService(backups, lock: lock)
        let candidate = try await service.examine("/copy")
        lock.holdElsewhere(work)
        await #expect(throws: ScriptedLock.Held.self) { try await service.restore(candidate) }
        await #expect(throws: ScriptedLock.Held.self) { try await service.repair() }
        #expect(backups.log.isEmpty)
    }

    @Test func `the history is not restored from itself, nor from a bad backup`() async throws {
        let service = BackupService(ScriptedBackups(), lock: lock)
        await #expect(throws: ServiceError.backupIsHistory("/history")) { try await service.examine("/history") }
        await #expect(throws: ScriptedBackups.Damaged.self) { try await service.examine("/damaged") }
        // Where there is no history yet, nothing is replaced.
        #expect(
            try await !BackupService(ScriptedBackups(isHistoryThere: false), lock: lock).examine("/copy")
                .replacesHistory)
    }

    @Test func `a repair locks the history exclusively, and leaves no lock if there is no history`() async throws {
        let backups = ScriptedBackups(lock: lock)
        #expect(try await BackupService(backups, lock: lock).repair() == nil)
        #expect(backups.log == ["repair, held alone"])
        #expect(try await BackupService(backups, lock: lock).correctSums() == 3)
        #expect(backups.log.last == "correct sums, held alone")
        let free = ScriptedLock()
        await #expect(throws: ScriptedBackups.Missing.self) {
            try await BackupService(ScriptedBackups(isHistoryThere: false), lock: free).repair()
        }
        #expect(free.log.isEmpty)
    }
}

/// Files that exist by name only.
private final class ScriptedBackups: HistoryBackups {
    struct Damaged: Error {}
    struct Missing: Error {}

    let path = "/history"
    let directory = "/backups"
    let isHistoryThere: Bool
    private let stored: [StoredBackup]
    private let lock: ScriptedLock?
    private let calls = Mutex<[String]>([])

    init(stored: [StoredBackup] = [], isHistoryThere: Bool = true, lock: ScriptedLock? = nil) {
        self.stored = stored
        self.isHistoryThere = isHistoryThere
        self.lock = lock
    }

    var log: [String] { calls.withLock { $0 } }

    func list() -> [StoredBackup] { stored }
    func backUp(to path: String?) -> HistoryContents {
        HistoryContents(path: path ?? "/backups/new", version: 5, size: 7)
    }

    func backUpBeforeChange() -> HistoryContents { backUp(to: nil) }

    func contents(of backup: String) throws -> HistoryContents {
        if backup == "/damaged" { throw Damaged() }
        return HistoryContents(path: backup, version: 5, size: 7)
    }

    func losses(restoring backup: String) -> HistoryLosses? { backup == "/copy" ? HistoryLosses(plans: 1) : nil }

    func isHistory(_ path: String) -> Bool { path == self.path }

    func restore(_ backup: String) -> ReplacedHistory {
        note("restore \(backup)")
        return ReplacedHistory(path: "/history.old")
    }

    func requireHistory() throws { if !isHistoryThere { throw Missing() } }

    func repair() -> SalvageReport? {
        note("repair")
        return nil
    }

    func correctSums() -> Int {
        note("correct sums")
        return 3
    }

    private func note(_ call: String) {
        let isAlone = HistoryWork.allCases.allSatisfy { lock?.isHeldHere($0) == true }
        calls.withLock { $0.append(call + (isAlone ? ", held alone" : "")) }
    }
}
