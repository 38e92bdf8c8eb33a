public import StepDomain

/// Moving days, pedometers and sources of imports to another user: shows what changes for both, makes a backup, and
/// moves in one transaction. Neither a sync nor a share runs meanwhile.
public struct Moving: Sendable {
    /// What a user wants to move.
    public enum Request: Hashable, Sendable {
        case days(first: Day, last: Day)
        /// A pedometer or a source of imports by name or address, in use or not.
        case source(String)
    }

    /// What is or would be moved.
    public struct Outcome: Sendable {
        public var move: Move
        public var effect: MoveEffect
        /// The destinations that have days of either user which change, and whether they can replace them.
        public var destinations: [Destination]
        /// The backup that was made before; nil if nothing was moved.
        public var backup: String?

        public init(_ move: Move, _ effect: MoveEffect, _ destinations: [Destination] = [], backup: String? = nil) {
            self.move = move
            self.effect = effect
            self.destinations = destinations
            self.backup = backup
        }
    }

    /// A destination that has days of a user which change.
    public struct Destination: Hashable, Sendable {
        public var name: String
        public var user: User
        public var days: Int
        /// Whether they are sent again; otherwise it keeps what it has.
        public var isSentAgain: Bool

        public init(name: String, user: User, days: Int, isSentAgain: Bool) {
            self.name = name
            self.user = user
            self.days = days
            self.isSentAgain = isSentAgain
        }
    }

    private let store: EditableHistory
    private let change: GuardedChange

    public init(_ store: EditableHistory, _ change: GuardedChange) {
        self.store = store
        self.change = change
    }

    /// What a move would change. Nothing is moved.
    ///
    /// - Parameters:
    ///   - people: whose days are meant.
    ///   - owner: for a source the user whose it is; nil for any.
    ///   - target: the name of the user who gets it.
    /// - Throws: `ServiceError`; the history's error.
    public func preview(_ request: Request, of people: UserSelection, owner: String? = nil, to target: String) throws
        -> Outcome
    {
        try run(try move(request, of: people, owner: owner, to: target), isPreview: true)
    }

    /// - Throws: as `preview`; the lock's error while a sync or a share runs; why the backup cannot be made.
    public func move(_ request: Request, of people: UserSelection, owner: String? = nil, to target: String) async throws
        -> Outcome
    {
        var (outcome, backup) = try await change(exclusivelyAs: .move) {
            try preview(request, of: people, owner: owner, to: target)
        } store: {
            try run($0.move, isPreview: false)
        }
        outcome.backup = backup
        return outcome
    }

    private func run(_ move: Move, isPreview: Bool) throws -> Outcome {
        let effect = try store.move(move, at: change.now(), isPreview: isPreview)
        if case .days(let days, _, _) = move, effect.isEmpty {
            throw ServiceError.nothingToDelete(days.lowerBound, days.upperBound)
        }
        let configured = (try? change.destinations()) ?? []
        func places(_ side: MoveEffect.Side, _ user: User) -> [Destination] {
            side.shared.map { shared in
                let traits = configured.first { $0.name == shared.destination }?.traits
                return Destination(
                    name: shared.destination, user: user, days: shared.days, isSentAgain: traits?.takesDeletions == true
                )
            }
        }
        return Outcome(move, effect, places(effect.from, move.from) + places(effect.to, move.to))
    }

    private func move(
        _ request: Request, of people: UserSelection, owner: String?, to target: String
    ) throws -> Move {
        let to = try store.user(named: target)
        switch request {
        case .days(let first, let last):
            let today = change.today
            let days = try Deleting.checked(first, last, today: today)
            // The rest of the day could go to neither of the two.
            if last == today { throw ServiceError.dayNotOver(today) }
            let from = try people.user()
            if from.id == to.id { throw ServiceError.sameUser(to.name) }
            return .days(days, from: from, to: to)
        case .source(let name):
            let (source, from) = try store.source(name, ofUserNamed: owner)
            if from.id == to.id { throw ServiceError.sameUser(to.name) }
            return .source(source, from: from, to: to)
        }
    }
}
