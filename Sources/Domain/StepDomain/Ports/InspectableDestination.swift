/// A destination that can be compared with what this version expects of it.
public protocol InspectableDestination: ShareDestination {
    /// Compares, and changes nothing there.
    ///
    /// - Parameter users: whose days it gets.
    func inspect(for users: [User]) async throws(ShareFailure) -> DestinationInspection
}

/// What an inspection of a destination has found.
public struct DestinationInspection: Hashable, Sendable {
    /// Something that differs from what is expected.
    public struct Finding: Hashable, Sendable {
        public enum Kind: String, Hashable, Sendable, CaseIterable {
            /// The destination does not have what is expected, or has it otherwise.
            case schema
            /// This machine's login lacks a right.
            case rights
            /// The days of a user are not accepted.
            case enrolment
        }

        public var kind: Kind
        /// One sentence without a full stop.
        public var text: String
        /// What to do about it.
        public var advice: String

        public init(_ kind: Kind, _ text: String, advice: String) {
            self.kind = kind
            self.text = text
            self.advice = advice
        }
    }

    /// The destination's description of itself.
    public var description: String
    /// The most important first; empty if all is as expected.
    public var findings: [Finding]

    public init(description: String, findings: [Finding]) {
        self.description = description
        self.findings = findings
    }

    public var category: FailureCategory? { findings.map(\.category).worst }
}

extension DestinationInspection.Finding {
    public var category: FailureCategory {
        switch kind {
        case .schema: .configuration
        case .rights, .enrolment: .permission
        }
    }
}
