/// The durations of the radio and the daemon, and the clock that measures them.
public struct Timing: Sendable {
    /// Time from `StartDiscovery` to the first advertisement.
    public var discovery: Duration
    /// Time between two advertisements of a peripheral; nil: one for each `StartDiscovery` and for each change.
    public var advertising: Duration?
    public var connect: Duration
    /// Time until `Connect` to a peripheral out of range fails.
    public var connectTimeout: Duration
    /// Time from the link to `ServicesResolved`.
    public var services: Duration
    /// Time of a read, a write with response, or a subscription.
    public var operation: Duration
    /// Time between two notifications.
    public var packet: Duration
    public var disconnect: Duration
    /// Time of silence until a link is treated as lost.
    public var supervision: Duration
    /// Time until BlueZ drops a link on which an operation was never answered.
    public var attTimeout: Duration
    /// Time from the last advertisement of a peripheral that was never connected until its object is removed
    /// (`TemporaryTimeout`).
    public var temporaryTimeout: Duration
    public var clock: any Clock<Duration>

    /// Approximately the times of a desktop machine with a ring on the desk; timeouts are shorter than BlueZ's.
    public static let realistic = Timing(
        discovery: .milliseconds(300), advertising: .seconds(1), connect: .milliseconds(300),
        connectTimeout: .seconds(20), services: .milliseconds(200), operation: .milliseconds(30),
        packet: .milliseconds(8), disconnect: .milliseconds(200), supervision: .seconds(1), attTimeout: .seconds(30),
        temporaryTimeout: .seconds(30), clock: ContinuousClock())

    /// Everything happens at once, in the real order; only waits for an answer that never arrives still take time.
    ///
    /// A peripheral advertises only once: its object must stay longer than a busy machine takes between two calls.
    public static let immediate = Timing(
        discovery: .zero, advertising: nil, connect: .zero, connectTimeout: .zero, services: .zero, operation: .zero,
        packet: .zero, disconnect: .zero, supervision: .zero, attTimeout: .seconds(30), temporaryTimeout: .seconds(600),
        clock: ContinuousClock())
}

/// Behaviours of BlueZ that differ between versions or machines.
public struct Quirks: Sendable, Hashable {
    /// Sets `ServicesResolved` before the attributes are exported.
    public var resolvesBeforeExport = false
    /// Hides the Client Characteristic Configuration descriptors, which 5.66 shows.
    public var hidesClientConfiguration = false
    /// Lacks `AcquireNotify` and `AcquireWrite`, as 5.45 and older.
    public var hasNoAcquire = false
    /// Was started with `--experimental`: offers monitors of advertisements.
    public var isExperimental = false

    public init() {}
}
