public import StepDomain
internal import Synchronization

/// A destination that keeps what it is given, and fails as the test wrote down.
public final class ScriptedDestination: ShareDestination {
    /// What a delivery comes to.
    public enum Turn: Sendable {
        case accept
        case fail(ShareFailure)
        /// It arrives, and the answer is lost.
        case acceptSilently
        /// Steps that are refused; others arrive.
        case refuse(steps: Int)
    }

    public let name: String
    public let kind = "scripted"
    public let place = "memory"
    public let traits: ShareTraits
    public let terms: ShareTerms

    private struct State {
        var turns: [Turn] = []
        var deliveries: [[ShareParcel]] = []
        var arrived: [Day: [ShareParcel]] = [:]
        var whileDelivering: (@Sendable () -> Void)?
        var findings: [ShareFinding] = []
        var finds = 0
    }

    private let state = Mutex(State())

    public init(_ name: String = "garden", _ traits: ShareTraits = .replacing, terms: ShareTerms = ShareTerms()) {
        self.name = name
        self.traits = traits
        self.terms = terms
    }

    /// What the next deliveries come to; those after them are accepted.
    public func script(_ turns: Turn...) { state.withLock { $0.turns += turns } }
    /// What the next questions after a parcel are answered; without an answer by what arrived.
    public func answer(_ findings: ShareFinding...) { state.withLock { $0.findings += findings } }
    /// Happens in the middle of the next delivery.
    public func whileDelivering(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.whileDelivering = body } }

    /// The days of each delivery, in order.
    public var deliveries: [[Day]] { state.withLock { $0.deliveries.map { $0.map(\.day.day) } } }
    public var keys: [String] { state.withLock { $0.deliveries.flatMap { $0.map(\.key) } } }
    /// How often a day arrived.
    public func times(_ day: Day) -> Int { state.withLock { $0.arrived[day, default: []].count } }
    /// The steps that the destination holds for a day.
    public func steps(_ day: Day) -> Int? { state.withLock { $0.arrived[day]?.last?.day.steps } }
    public var finds: Int { state.withLock { $0.finds } }

    public func preview(_ parcels: [ShareParcel]) throws(ShareFailure) -> String {
        parcels.map { "\($0.day.day): \($0.day.steps)" }.joined(separator: "\n")
    }

    public func deliver(_ parcels: [ShareParcel]) async throws(ShareFailure) -> [ShareReceipt] {
        let (turn, meanwhile) = state.withLock { state in
            state.deliveries.append(parcels)
            defer { state.whileDelivering = nil }
            // What is refused stays refused: deliveries can be under way together.
            if case .refuse = state.turns.first { return (state.turns[0], state.whileDelivering) }
            return (state.turns.isEmpty ? Turn.accept : state.turns.removeFirst(), state.whileDelivering)
        }
        meanwhile?()
        switch turn {
        case .fail(let failure): throw failure
        case .refuse(let steps) where parcels.contains { $0.day.steps == steps }:
            throw ShareFailure(.rejected, "no day of \(steps) steps")
        case .accept, .acceptSilently, .refuse: break
        }
        state.withLock { state in
            for parcel in parcels { state.arrived[parcel.day.day, default: []].append(parcel) }
        }
        if case .acceptSilently = turn { throw ShareFailure(.unanswered, "no answer") }
        return parcels.map { ShareReceipt(remoteID: "\($0.day.day)") }
    }

    public func find(_ parcel: ShareParcel) async throws(ShareFailure) -> ShareFinding {
        state.withLock { state in
            state.finds += 1
            if !state.findings.isEmpty { return state.findings.removeFirst() }
            return state.arrived[parcel.day.day] == nil ? .absent : .arrived(ShareReceipt(remoteID: "\(parcel.day.day)"))
        }
    }

    public func check() async throws(ShareFailure) -> String { "scripted" }
}
