/// Examines the Bluetooth of this machine and changes nothing: what communication must do for a checkup.
public protocol BluetoothProbe: Sendable {
    /// The facts that the kernel reports; nil if the bus is not this machine's own, so that this machine's kernel does
    /// not matter.
    func radios() -> RadioFacts?

    /// Opens the Bluetooth service. The caller closes the session.
    ///
    /// - Throws: why the service does not run, or does not permit this user.
    func open() async throws -> any BluetoothProbeSession

    /// Connects to a pedometer, checks its services, and reads its battery and its clock. It stores no steps, sets no
    /// clock, and does not pair. The link is closed when this returns.
    ///
    /// - Parameter isHeard: whether a scan has just heard it. A bonded pedometer may advertise to this machine alone,
    ///   which no scan shows.
    func examine(_ pedometer: Pedometer, isDiscovered: Bool) async throws(PedometerContactError) -> ReadReport

    /// Whether the pedometer holds only today's count.
    func holdsTodayOnly(_ pedometer: Pedometer) -> Bool
}

/// The Bluetooth service while it is examined.
public protocol BluetoothProbeSession: Sendable {
    /// - Returns: the adapter's name, and whether another program scans with it.
    /// - Throws: why it cannot be used, such as being switched off.
    func adapter() async throws -> (name: String, isScanning: Bool)

    /// Scans, and stops early once all of `pedometers` were heard.
    ///
    /// - Parameters:
    ///   - seconds: the longest duration of the scan.
    ///   - pedometers: addresses of the registered pedometers.
    func scan(seconds: Double, for pedometers: Set<String>) async throws -> ScanFacts

    func close() async
}

/// Examines the rest of the machine: the bus, the clock and the timers.
public protocol SystemProbe: Sendable {
    /// Why the bus that leads to the Bluetooth service cannot be reached; nil if it answers.
    func busFailure() async throws -> String?

    func time() async -> TimeFacts

    /// The timers of the user and of the machine that are enabled; if none is, the one that could be. Nil if there is
    /// no systemd.
    func timers() async throws -> [TimerFacts]?

    /// Nil if nothing of that name exists.
    func file(at path: String) -> StorageFacts.Entry?
}

/// Examines the file of a history and does not write to it: what a database must do for a checkup.
public protocol HistoryProbe: Sendable {
    /// The path of the history, for display.
    var path: String { get }

    /// Reads the whole file.
    ///
    /// - Throws: why it cannot be examined.
    func condition() async throws -> HistoryCondition

    /// Opens the history for reading.
    func open() async throws -> History

    /// The days whose stored sums differ from their samples, the newest first.
    ///
    /// - Parameter days: how many of the newest days are examined for each person.
    func wrongSums(inNewest days: Int) async throws -> [Day]

    /// Nil if there is no file.
    func storage() async throws -> StorageFacts?

    /// The process that does this work at the moment; nil if there is none, or if it cannot be determined.
    func holder(of work: HistoryWork) async throws -> HistoryHolder?

    /// Runs `body` while no process syncs. This leaves no file behind.
    ///
    /// - Throws: `HistoryInUse` while a process syncs; what `body` throws.
    func withoutSync<R: Sendable>(_ body: () async throws -> R) async throws -> R
}

/// Another process works with the history.
public struct HistoryInUse: Error, Hashable, Sendable {
    /// Nil if it cannot be determined which.
    public var holder: HistoryHolder?

    public init(holder: HistoryHolder?) { self.holder = holder }
}
