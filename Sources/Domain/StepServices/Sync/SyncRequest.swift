public import StepDomain
internal import Support

/// A sync that a user or a timer requests: which pedometers to read, and how.
public struct SyncRequest: Hashable, Sendable {
    /// Names or addresses; empty for all.
    public var pedometers: [String]
    /// The user whose pedometers to read; nil for those of all users.
    public var user: String?
    /// The most days to request, including today; nil for all that is new.
    public var days: Int?
    public var isShared: Bool
    /// Whether a timer or a service runs it: it waits for an adapter that is just starting, and maintains the
    /// history.
    public var isUnattended: Bool
    /// Only pedometers that keep only today's count.
    public var readsOnlyCounters: Bool

    public init(
        pedometers: [String] = [], user: String? = nil, days: Int? = nil, isShared: Bool = true,
        isUnattended: Bool = false,
        readsOnlyCounters: Bool = false
    ) {
        self.pedometers = pedometers
        self.user = user
        self.days = days
        self.isShared = isShared
        self.isUnattended = isUnattended
        self.readsOnlyCounters = readsOnlyCounters
    }
}

/// A requested sync that has something to do.
public struct RequestedSync: Sendable {
    public let context: ServiceContext
    private let pedometers: [Pedometer]
    private let options: SyncService.Options

    /// - Returns: nil if there is no pedometer to read, and no other work. A missing history has no work where that is
    ///   not a fault: a timer may be set up before the first pedometer.
    /// - Throws: the history's error, or `ServiceError` for a name that it does not have.
    public init?(
        _ request: SyncRequest, in histories: any HistorySource,
        services: @escaping @Sendable (History) -> ServiceContext
    ) async throws {
        let found = try await blocking { () -> (ServiceContext, [Pedometer], hasOtherWork: Bool)? in
            let history: History
            do {
                history = try histories.history()
            } catch  where histories.isMissing(error) && (request.isUnattended || request.readsOnlyCounters) {
                return nil
            }
            let context = services(history)
            let chosen = try PedometerSelection(history, ofUserNamed: request.user).pedometers(
                named: request.pedometers)
            let reader = context.reader(nil, [])
            return (
                context, request.readsOnlyCounters ? chosen.filter(reader.holdsTodayOnly) : chosen,
                Self.hasOtherWork(request, context)
            )
        }
        guard let (context, pedometers, hasOtherWork) = found, !pedometers.isEmpty || hasOtherWork else { return nil }
        self.context = context
        self.pedometers = pedometers
        options = SyncService.Options(
            days: request.days, isShared: request.isShared, waitsForAdapter: request.isUnattended,
            includesMaintenance: request.isUnattended)
    }

    /// Days that were imported or entered by hand are shared, too, and the nightly run maintains their history.
    private static func hasOtherWork(_ request: SyncRequest, _ context: ServiceContext) -> Bool {
        guard request.pedometers.isEmpty, !request.readsOnlyCounters else { return false }
        // Destinations that cannot be read are reported by the run.
        return request.isUnattended || request.isShared && (try? context.destinations().isEmpty) != true
    }

    /// As `SyncService.run`.
    public func run(
        progress: @escaping @Sendable (SyncService.Step) -> Void = { _ in },
        finished: @escaping @Sendable (SyncReport) -> Void = { _ in }
    ) async throws -> SyncService.Outcome {
        try await SyncService(context, options).run(pedometers, progress: progress, finished: finished)
    }
}
