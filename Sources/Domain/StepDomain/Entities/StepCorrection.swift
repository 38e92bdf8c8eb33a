/// Steps that a user entered by hand for a day. They replace what was counted, and what later syncs count.
public struct StepCorrection: Hashable, Sendable, ExpressibleByIntegerLiteral {
    public var steps: Int
    /// The user's own text, 1 to `maximumReason` characters; nil if none was given.
    public var reason: String?
    /// When a history stored it; nil for one that is not stored yet.
    public var enteredAt: Timestamp?

    public init(steps: Int, reason: String? = nil, enteredAt: Timestamp? = nil) {
        self.steps = steps
        self.reason = reason
        self.enteredAt = enteredAt
    }

    /// A correction without a reason.
    public init(integerLiteral steps: Int) { self.init(steps: steps) }

    /// The steps that can be entered for a day.
    public static let stepRange = DaySummary.possibleSteps
    /// Characters: a sentence or two.
    public static let maximumReason = 200

    /// Whether a text can be stored as a reason. A terminal would interpret control characters; U+FFFD stands for bytes
    /// that were not UTF-8. SQLite counts scalars.
    public static func isUsable(reason: String) -> Bool {
        let isPlain = reason.unicodeScalars.allSatisfy { $0 != "\u{fffd}" && $0.properties.generalCategory != .control }
        return isPlain && !reason.allSatisfy(\.isWhitespace) && reason.unicodeScalars.count <= maximumReason
    }
}
