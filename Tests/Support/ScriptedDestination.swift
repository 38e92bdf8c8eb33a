public import StepDomain
internal import Synchronization

/// A destination that stores what it is given, and fails as the test specifies.
public final class ScriptedDestination: ShareDestination {
    /// The result of a delivery.
    public enum Turn: Sendable {
        case accept
        case fail(ShareFailure)
        /// It arrives, and the answer is lost.
        case acceptSilently
        /// A part arrives, such as the steps without the calories.
        case acceptPartly(ShareFailure.Kind)
        /// Steps that are refused; others arrive.
        case refuse(steps: Int)
        /// The days of this user are refused from now on; those of others arrive.
        case refuseUser(User.ID)
    }

    public let name: String
    public let kind = "scripted"
    public let location = "memory"
    public let traits: ShareTraits
    public let terms: ShareTerms
    public let secretPlace: String?

    private struct State {
        var turns: [Turn] = []
        var deliveries: [[SharePayload]] = []
        var restored: [[SharePayload]] = []
        var restoring: ShareFailure?
        var running = 0
        var maximumRunning = 0
        /// Deliveries wait until this many are under way.
        var gathering = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
        var arrived: [Day: [SharePayload]] = [:]
        var whileDelivering: (@Sendable () -> Void)?
        var findings: [ShareFinding] = []
        var finds = 0
        var findFailures: [ShareFailure] = []
        var current: Result<ShareTraits, ShareFailure>?
        var fixed: Set<Day> = []
        var lost: Set<User.ID> = []
        var asked: [Day] = []
    }

    private let state = Mutex(State())

    public init(
        _ name: String = "garden", _ traits: ShareTraits = .replacing, terms: ShareTerms = ShareTerms(),
        secretPlace: String? = nil
    ) {
        self.name = name
        self.traits = traits
        self.terms = terms
        self.secretPlace = secretPlace
    }

    /// The results of the next deliveries; those after them are accepted.
    public func script(_ turns: Turn...) { state.withLock { $0.turns += turns } }
    /// The results of the next calls of `find`; without one, what has arrived decides.
    public func answer(_ findings: ShareFinding...) { state.withLock { $0.findings += findings } }
    /// The next call of `find` fails.
    public func failFinding(_ failure: ShareFailure) { state.withLock { $0.findFailures.append(failure) } }
    /// What its server says of itself.
    public func setCurrentTraits(_ result: Result<ShareTraits, ShareFailure>) { state.withLock { $0.current = result } }
    /// From now on it keeps what it has of this day.
    public func fix(_ day: Day) { state.withLock { _ = $0.fixed.insert(day) } }

    public func currentTraits() async throws(ShareFailure) -> ShareTraits {
        try state.withLock { $0.current }?.get() ?? traits
    }

    /// It loses all days of this user.
    public func lose(_ user: User.ID) { state.withLock { _ = $0.lost.insert(user) } }
    /// The days of which it was asked whether it has lost them.
    public var asked: [Day] { state.withLock(\.asked) }

    public func lost(_ payloads: [SharePayload]) async throws(ShareFailure) -> Set<User.ID> {
        state.withLock { state in
            state.asked += payloads.map(\.day.day)
            defer { state.lost = [] }
            return state.lost
        }
    }

    /// Runs in the middle of the next delivery.
    public func whileDelivering(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.whileDelivering = body } }

    /// From the second one on, deliveries wait until this many are under way at once: the first one is sent alone.
    public func gather(_ count: Int) { state.withLock { $0.gathering = count } }

    /// The days of each delivery, in order.
    public var deliveries: [[Day]] { state.withLock { $0.deliveries.map { $0.map(\.day.day) } } }
    public var payloads: [SharePayload] { state.withLock { $0.deliveries.flatMap(\.self) } }
    public var keys: [String] { state.withLock { $0.deliveries.flatMap { $0.map(\.key) } } }
    /// How often a day arrived.
    public func times(_ day: Day) -> Int { state.withLock { $0.arrived[day, default: []].count } }
    /// The steps that the destination holds for a day.
    public func steps(_ day: Day) -> Int? { state.withLock { $0.arrived[day]?.last?.day.steps } }
    public var finds: Int { state.withLock { $0.finds } }

    public func preview(_ payloads: [SharePayload]) throws(ShareFailure) -> String {
        payloads.map { "\($0.day.day): \($0.day.steps)" }.joined(separator: "\n")
    }

    public func deliver(_ payloads: [SharePayload]) async throws(ShareFailure) -> [ShareReceipt] {
        await withCheckedContinuation { continuation in
            let ready = state.withLock { state in
                state.running += 1
                state.maximumRunning = max(state.maximumRunning, state.running)
                guard state.deliveries.isEmpty || state.running >= state.gathering else {
                    state.waiting.append(continuation)
                    return [CheckedContinuation<Void, Never>]()
                }
                if !state.deliveries.isEmpty { state.gathering = 0 }
                defer { state.waiting = [] }
                return state.waiting + [continuation]
            }
            for continuation in ready { continuation.resume() }
        }
        // Gives other concurrent deliveries a chance to begin.
        for _ in 0..<10 { await Task.yield() }
        defer { state.withLock { $0.running -= 1 } }
        let (turn, meanwhile) = state.withLock { state in
            state.deliveries.append(payloads)
            defer { state.whileDelivering = nil }
            // A refusal stays in force: deliveries can run concurrently.
            switch state.turns.first {
            case .refuse, .refuseUser: return (state.turns[0], state.whileDelivering)
            case .accept, .fail, .acceptSilently, .acceptPartly, nil: break
            }
            return (state.turns.isEmpty ? Turn.accept : state.turns.removeFirst(), state.whileDelivering)
        }
        meanwhile?()
        switch turn {
        case .fail(let failure): throw failure
        case .refuse(let steps) where payloads.contains { $0.day.steps == steps }:
            throw ShareFailure(.rejected, "no day of \(steps) steps")
        case .refuseUser(let user) where payloads.contains { $0.day.user.id == user }:
            throw ShareFailure(.credentials, "not enrolled", advice: "Enrol the user", users: [user])
        case .accept, .acceptSilently, .acceptPartly, .refuse, .refuseUser: break
        }
        let fixed = state.withLock { state in
            for payload in payloads where !state.fixed.contains(payload.day.day) {
                state.arrived[payload.day.day, default: []].append(payload)
            }
            return state.fixed
        }
        if case .acceptPartly(let kind) = turn { throw ShareFailure(kind, "not the calories", isPartial: true) }
        if case .acceptSilently = turn { throw ShareFailure(.unanswered, "no answer") }
        return payloads.map { ShareReceipt(remoteID: "\($0.day.day)", isFixed: fixed.contains($0.day.day)) }
    }

    public func find(_ payload: SharePayload) async throws(ShareFailure) -> ShareFinding {
        let failure = state.withLock { $0.findFailures.isEmpty ? nil : $0.findFailures.removeFirst() }
        if let failure { throw failure }
        return state.withLock { state in
            state.finds += 1
            if !state.findings.isEmpty { return state.findings.removeFirst() }
            return state.arrived[payload.day.day] == nil
                ? .absent : .arrived(ShareReceipt(remoteID: "\(payload.day.day)"))
        }
    }

    public func restore(_ payloads: [SharePayload]) async throws(ShareFailure) {
        let failure = state.withLock { state in
            state.restored.append(payloads)
            return state.restoring
        }
        if let failure { throw failure }
    }

    /// The result of restoring from now on; nil for success.
    public func failRestoring(_ failure: ShareFailure?) { state.withLock { $0.restoring = failure } }
    /// What was restored, in order.
    public var restored: [[SharePayload]] { state.withLock(\.restored) }
    /// The greatest number of concurrent deliveries.
    public var maximumTogether: Int { state.withLock(\.maximumRunning) }

    public func check() async throws(ShareFailure) -> String { "scripted" }
}
