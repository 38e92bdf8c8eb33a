public import StepDomain
internal import Support

/// A configured destination, with its state and its days.
public struct DestinationStatus: Sendable {
    public var name: String
    public var kind: String
    /// Its address or path.
    public var location: String
    public var state: DestinationState
    /// Days by state.
    public var counts: [ShareEntry.State: Int]
    /// Sent days that have changed since.
    public var changed: Int
    /// What it answered; nil where it was not asked.
    public var answer: Result<String, ShareFailure>?

    public init(
        name: String, kind: String, location: String, state: DestinationState, counts: [ShareEntry.State: Int],
        changed: Int = 0, answer: Result<String, ShareFailure>? = nil
    ) {
        self.name = name
        self.kind = kind
        self.location = location
        self.state = state
        self.counts = counts
        self.changed = changed
        self.answer = answer
    }

    /// Nil where it was not asked, or has accepted the user.
    public var failure: ShareFailure? {
        if case .failure(let failure)? = answer { failure } else { nil }
    }
}

extension ShareService {
    /// The destinations, in the order of the configuration.
    ///
    /// - Parameter isChecked: whether each is asked if it answers and accepts the user.
    /// - Throws: the ledger's error.
    public func statuses(isChecked: Bool) async throws -> [DestinationStatus] {
        let answers = isChecked ? await check() : [:]
        return try await blocking {
            let outbox = OutboxService(context), all = Set(ShareEntry.State.allCases)
            return try destinations.map { destination in
                let entries = try outbox.entries(of: destination.name, in: all)
                return DestinationStatus(
                    name: destination.name, kind: destination.kind, location: destination.location,
                    state: try context.history.state(of: destination.name),
                    counts: entries.reduce(into: [:]) { $0[$1.state, default: 0] += 1 },
                    changed: entries.count(where: \.isChanged),
                    answer: answers[destination.name])
            }
        }
    }
}
