/// How long the radio and the daemon take, and by which clock.
public struct Timing: Sendable {
    /// From `StartDiscovery` to the first advertisement.
    public var discovery: Duration
    /// Between two advertisements of a peripheral; nil: one for each `StartDiscovery` and for each change.
    public var advertising: Duration?
    public var connect: Duration
    /// Until `Connect` to a peripheral out of range gives up.
    public var connectTimeout: Duration
    /// From the link to `ServicesResolved`.
    public var services: Duration
    /// A read, a write with response, a subscription.
    public var operation: Duration
    /// Between two notifications.
    public var packet: Duration
    public var disconnect: Duration
    /// Of silence until a link counts as lost.
    public var supervision: Duration
    /// Until BlueZ drops a link on which an operation was never answered.
    public var attTimeout: Duration
    /// Since a peripheral that nobody connected to was last heard, until its object goes (`TemporaryTimeout`).
    public var temporaryTimeout: Duration
    public var clock: any Clock<Duration>

    /// About what a desktop machine with a ring on the desk takes; waits for what is lost are shorter than BlueZ's.
    public static let realistic = Timing(
        discovery: .milliseconds(300), advertising: .seconds(1), connect: .milliseconds(300),
        connectTimeout: .seconds(20), services: .milliseconds(200), operation: .milliseconds(30),
        packet: .milliseconds(8), disconnect: .milliseconds(200), supervision: .seconds(1), attTimeout: .seconds(30),
        temporaryTimeout: .seconds(30), clock: ContinuousClock())

    /// Everything at once, in the order of reality; only what waits for an answer that never comes still waits.
    public static let immediate = Timing(
        discovery: .zero, advertising: nil, connect: .zero, connectTimeout: .zero, services: .zero, operation: .zero,
        packet: .zero, disconnect: .zero, supervision: .zero, attTimeout: .seconds(30), temporaryTimeout: .seconds(30),
        clock: ContinuousClock())
}

/// Ways of BlueZ that not every version or machine has.
public struct Quirks: Sendable, Hashable {
    /// Says `ServicesResolved` before the attributes are exported.
    public var resolvesBeforeExport = false
    /// Hides the Client Characteristic Configuration descriptors, which 5.66 shows.
    public var hidesClientConfiguration = false
    /// Has no `AcquireNotify` and `AcquireWrite`, as 5.45 and older.
    public var hasNoAcquire = false
    /// Was started with `--experimental`: offers monitors of advertisements.
    public var isExperimental = false

    public init() {}
}
