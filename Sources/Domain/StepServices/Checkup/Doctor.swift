public import StepDomain

/// What a checkup examines, and what it must not use.
public struct CheckupRequest: Sendable {
    /// The files of the configuration that were read.
    public var configurationFiles: [String]
    /// What is wrong with them and with the destinations, in the reader's words.
    public var configurationProblems: [String]
    /// Only the pedometers of this user are checked; nil for all.
    public var user: String?
    /// How long to scan, in seconds.
    public var searchTime: Double
    public var destinations: [any ShareDestination]
    /// Destinations whose secret systemd gives to the service only, so that this process cannot check them.
    public var destinationsOfService: Set<String>
    public var usesRadio: Bool
    public var usesNetwork: Bool
    /// The imports of the configuration, and what the history knows of them.
    public var imports: [ScheduledImport] = []
    public var importStates: @Sendable () throws -> [ScheduledImportState] = { [] }

    public init(
        configurationFiles: [String] = [], configurationProblems: [String] = [], user: String? = nil,
        searchTime: Double = SearchTime.checkup,
        destinations: [any ShareDestination] = [], destinationsOfService: Set<String> = [], usesRadio: Bool = true,
        usesNetwork: Bool = true
    ) {
        self.configurationFiles = configurationFiles
        self.configurationProblems = configurationProblems
        self.user = user
        self.searchTime = searchTime
        self.destinations = destinations
        self.destinationsOfService = destinationsOfService
        self.usesRadio = usesRadio
        self.usesNetwork = usesNetwork
    }
}

/// Checks everything that a sync and a share need, and changes nothing.
public struct Doctor: Sendable {
    let request: CheckupRequest
    let bluetooth: any BluetoothProbe
    let system: any SystemProbe
    /// Nil if no setting says where the history is.
    let history: (any HistoryProbe)?
    public let now: @Sendable () -> Timestamp
    private let clock: any Clock<Duration>

    /// - Parameters:
    ///   - history: nil if no setting says where it is.
    ///   - clock: measures the limits of the checks.
    public init(
        _ request: CheckupRequest, bluetooth: any BluetoothProbe, system: any SystemProbe, history: (any HistoryProbe)?,
        now: @escaping @Sendable () -> Timestamp, clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.request = request
        self.bluetooth = bluetooth
        self.system = system
        self.history = history
        self.now = now
        self.clock = clock
    }

    /// - Parameters:
    ///   - begin: called with the subject of each check before it runs.
    ///   - report: called with each finding as soon as it is known.
    /// - Throws: `CancellationError`, or what `report` throws.
    public func examine(
        begin: (CheckSubject) -> Void = { _ in }, report: (Finding) throws -> Void = { _ in }
    ) async throws -> [Finding] {
        try await CheckRunner(clock: clock).run(groups, begin: { begin($0.subject) }, report: report)
    }

    /// All checks, in the order in which one depends on another. A new check is a function in `DoctorChecks.swift` and
    /// a line here.
    private var groups: [CheckRunner.Group] {
        [
            { _ in [kernel, radioSwitch, adapter, bus, bluetoothService, adapterPower] },
            { _ in [time] },
            { _ in [configuration] },
            { _ in [historyFile, permissions, space, locks] + request.imports.map(scheduledImport) },
            { _ in [scan] },
            { known in (known.pedometers ?? []).flatMap { [lastSyncs(of: $0), connection(to: $0)] } },
            { _ in request.destinations.isEmpty ? [noDestination] : request.destinations.map(destination) },
            { _ in [timers] },
        ]
    }

    /// The category of the worst fault; nil if there is none.
    public static func worst(_ findings: [Finding]) -> FailureCategory? {
        findings.compactMap(\.diagnosis.severity.category).worst
    }
}
