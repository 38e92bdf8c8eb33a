internal import StepDomain

/// What becomes of days of which nothing is known any more at a destination that has them.
public struct DestinationFate: Hashable, Sendable {
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// It gets 0 steps in their place with the next share.
        case replaced
        /// It removes them with the next share.
        case removed
        /// The same, but samples that were sent stay there.
        case keepsSamples
        /// It keeps them: it replaces no day, or is not told any more.
        case keeps
    }

    public var name: String
    public var days: Int
    public var kind: Kind

    public init(name: String, days: Int, kind: Kind) {
        self.name = name
        self.days = days
        self.kind = kind
    }

    /// - Parameters:
    ///   - isWholeUser: whether the user is deleted, and with the user what destinations would be told.
    ///   - configured: nil if the configuration has an error.
    static func all(
        _ shared: [DeletionLosses.Shared], isWholeUser: Bool = false, _ configured: [any ShareDestination]?
    ) -> [DestinationFate] {
        shared.map { shared in
            let traits = configured?.first { $0.name == shared.destination }?.traits
            let isTold = !isWholeUser && traits?.takesDeletions == true
            return DestinationFate(
                name: shared.destination, days: shared.days, kind: traits.flatMap { isTold ? $0.fate : nil } ?? .keeps)
        }
    }
}

extension ShareTraits {
    /// What becomes of a day that it is told of.
    fileprivate var fate: DestinationFate.Kind {
        keepsSamples ? .keepsSamples : removesDeleted ? .removed : .replaced
    }
}
