internal import StepDomain

/// What a command prints with `--json` where it fails.
public struct ErrorDocument: JSONDocument {
    public struct Failure: Codable, Sendable {
        /// `usage`, `data`, `unavailable`, `temporary`, `permission`, `configuration`, `resources` or `unforeseen`.
        public var category: String
        /// After sysexits(3), one for each category.
        public var exitCode: Int
        public var message: String
        /// What to do.
        @Nullable public var advice: String?

        public init(_ text: ErrorText) {
            category = text.category.rawValue
            exitCode = Int(text.category.exitCode)
            message = text.message
            advice = text.advice
        }

        static let schema = JSONSchema.object([
            .init("category", .choice(FailureCategory.self), "The kind of failure; each kind has one exit code."),
            .init(
                "exitCode", .integer,
                "The exit code of such a failure. A command that is interrupted ends with 128 and the signal's number."),
            .init("message", .text, "What failed on what, and why."),
            .init("advice", .nullable(.text), "What to do."),
        ])
    }

    public var version = 1
    public var error: Failure

    public init(_ text: ErrorText) { error = Failure(text) }

    public static let schema = JSONSchema.object([.version, .init("error", Failure.schema, "The failure.")])

    public func json() throws -> String { try JSONText.pretty(self) }
}
