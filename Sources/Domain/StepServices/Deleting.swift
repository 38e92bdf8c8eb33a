public import StepDomain

/// Deleting days, pedometers, sources of imports and users: shows what would be lost, makes a backup, and deletes in
/// one transaction. Neither a sync nor a share runs meanwhile.
public struct Deleting: Sendable {
    /// What a user wants to delete.
    public enum Request: Hashable, Sendable {
        case days(first: Day, last: Day)
        /// A pedometer or a source of imports by name or address, in use or not.
        case source(String)
        case user
    }

    /// What is or would be deleted.
    public struct Outcome: Sendable {
        public var deletion: Deletion
        public var losses: DeletionLosses
        public var destinations: [DestinationFate]
        /// The backup that was made before; nil if nothing was deleted.
        public var backup: String?

        public init(
            _ deletion: Deletion, _ losses: DeletionLosses, _ destinations: [DestinationFate] = [],
            backup: String? = nil
        ) {
            self.deletion = deletion
            self.losses = losses
            self.destinations = destinations
            self.backup = backup
        }
    }

    let store: EditableHistory
    let change: GuardedChange

    public init(_ store: EditableHistory, _ change: GuardedChange) {
        self.store = store
        self.change = change
    }

    /// What a deletion would lose. Nothing is deleted.
    ///
    /// - Parameters:
    ///   - people: whose days or user is meant.
    ///   - owner: for a source the user whose it is; nil for any.
    /// - Throws: `ServiceError`; the history's error.
    public func preview(_ request: Request, of people: UserSelection, owner: String? = nil) throws -> Outcome {
        try run(try deletion(request, of: people, owner: owner), isPreview: true)
    }

    /// - Throws: as `preview`; the lock's error while a sync or a share runs; why the backup cannot be made.
    public func delete(_ request: Request, of people: UserSelection, owner: String? = nil) async throws -> Outcome {
        var (outcome, backup) = try await change(exclusivelyAs: .deletion) {
            try preview(request, of: people, owner: owner)
        } store: {
            try run($0.deletion, isPreview: false)
        }
        outcome.backup = backup
        return outcome
    }

    /// Lets syncs and imports bring days again that were deleted.
    ///
    /// - Returns: how many days.
    /// - Throws: `ServiceError.rangeReversed`, `.notDeleted`; the history's error.
    public func readmit(first: Day, last: Day, of user: User) throws -> Int {
        guard first <= last else { throw ServiceError.rangeReversed(first, last) }
        let count = try store.readmit(first...last, of: user.id)
        if count == 0 { throw ServiceError.notDeleted(first, last) }
        return count
    }

    private func run(_ deletion: Deletion, isPreview: Bool) throws -> Outcome {
        let losses = try store.delete(deletion, at: change.now(), isPreview: isPreview)
        if case .days(let days, _) = deletion, losses.isEmpty {
            throw ServiceError.nothingToDelete(days.lowerBound, days.upperBound)
        }
        let destinations = try? change.destinations()
        return Outcome(
            deletion, losses,
            DestinationFate.all(losses.shared, isWholeUser: deletion.isWholeUser, destinations))
    }

    private func deletion(_ request: Request, of people: UserSelection, owner: String?) throws -> Deletion {
        switch request {
        case .days(let first, let last):
            return .days(try Self.checked(first, last, today: change.today), of: try people.user())
        case .source(let name):
            let (source, user) = try store.source(name, ofUserNamed: owner)
            return .source(source, of: user)
        case .user:
            let user = try people.user()
            if try store.users().count == 1 { throw ServiceError.lastUser(user.name) }
            return .user(user)
        }
    }

    /// - Throws: `ServiceError.rangeReversed`, `.dayNotBegun`, `.nothingToDelete`.
    static func checked(_ first: Day, _ last: Day, today: Day) throws(ServiceError) -> ClosedRange<Day> {
        guard first <= last else { throw .rangeReversed(first, last) }
        try ServiceError.checkBegun(last, today: today)
        // No pedometer has an earlier day.
        guard last >= Validity.beginning else { throw .nothingToDelete(first, last) }
        return max(first, Validity.beginning)...last
    }
}

extension Deletion {
    fileprivate var isWholeUser: Bool { if case .user = self { true } else { false } }
}
