import StepDomain
import StepServices
import Synchronization
import TestSupport

/// A machine as a test describes it: by default everything works, and a ring is in range.
final class ScriptedMachine: BluetoothProbe, BluetoothProbeSession, SystemProbe {
    struct State {
        /// Nil for a bus that is not the machine's own.
        var radios: RadioFacts? = RadioFacts(adapters: [.init(name: "hci0")])
        var busFailure: String?
        var serviceError: (any Error)?
        var isScanning = false
        var scan = ScanFacts(count: 2)
        var contact: Result<ReadReport, PedometerContactError> = .success(ReadReport(battery: 80))
        var counters: Set<String> = []
        var time = TimeFacts(
            now: Timestamp(1_800_000_000), isSynchronised: true, zone: "Europe/Berlin", isDesktop: true)
        var timers: Result<[TimerFacts]?, any Error> = .success(nil)
        var files: [String: StorageFacts.Entry] = [:]
        /// What was done, in order.
        var log: [String] = []
    }

    private let state = Mutex(State())

    init(_ change: (inout sending State) -> Void = { _ in }) { state.withLock { change(&$0) } }

    var log: [String] { state.withLock(\.log) }

    private func note(_ action: String) -> State {
        state.withLock { state in
            state.log.append(action)
            return state
        }
    }

    func radios() -> RadioFacts? { state.withLock(\.radios) }

    func open() async throws -> any BluetoothProbeSession {
        if let error = note("open").serviceError { throw error }
        return self
    }

    func adapter() async throws -> (name: String, isScanning: Bool) { ("hci0", state.withLock(\.isScanning)) }

    func scan(seconds: Double, for pedometers: Set<String>) async throws -> ScanFacts {
        note("scan \(Int(seconds)) \(pedometers.sorted().joined(separator: " "))").scan
    }

    func close() async { _ = note("close") }

    func examine(_ pedometer: Pedometer, isDiscovered: Bool) async throws(PedometerContactError) -> ReadReport {
        try note("examine \(pedometer.name)\(isDiscovered ? "" : " unheard")").contact.get()
    }

    func holdsTodayOnly(_ pedometer: Pedometer) -> Bool { state.withLock { $0.counters.contains(pedometer.name) } }

    func busFailure() async throws -> String? { state.withLock(\.busFailure) }
    func time() async -> TimeFacts { state.withLock(\.time) }
    func timers() async throws -> [TimerFacts]? { try state.withLock(\.timers).get() }
    func file(at path: String) -> StorageFacts.Entry? { state.withLock { $0.files[path] } }
}

/// The file of a history in memory.
final class ScriptedHistoryFile: HistoryProbe {
    let path = "/home/anna/history.sqlite"
    let history: InMemoryHistory
    let found: HistoryCondition
    let facts: StorageFacts?
    let holders: [HistoryWork: HistoryHolder]
    /// Begins to work when a pedometer is about to be examined.
    let latecomer: HistoryHolder?
    /// Days with wrong sums.
    let wrong: [Day]

    init(
        _ history: InMemoryHistory = InMemoryHistory(),
        condition: HistoryCondition = .examined(damage: [], isOlder: false),
        free: Int = 1 << 40, holders: [HistoryWork: HistoryHolder] = [:], latecomer: HistoryHolder? = nil,
        wrong: [Day] = []
    ) {
        self.wrong = wrong
        self.history = history
        found = condition
        facts = StorageFacts(
            file: .init(path: path, mode: 0o600, owner: 1000),
            directory: .init(path: "/home/anna", mode: 0o700, owner: 1000), free: free,
            user: 1000)
        self.holders = holders
        self.latecomer = latecomer
    }

    func condition() async throws -> HistoryCondition { found }
    func open() async throws -> History { history }
    func wrongSums(inNewest days: Int) async throws -> [Day] { Array(wrong.prefix(days)) }
    func storage() async throws -> StorageFacts? { facts }
    func holder(of work: HistoryWork) async throws -> HistoryHolder? { holders[work] }

    func withoutSync<R: Sendable>(_ body: () async throws -> R) async throws -> R {
        if let latecomer { throw HistoryInUse(holder: latecomer) }
        return try await body()
    }
}
