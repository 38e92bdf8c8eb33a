internal import StepDomain

/// What a command prints with `--json` where it fails.
public struct ErrorDocument: Described {
    let text: ErrorText

    public init(_ text: ErrorText) { self.text = text }

    public static let keys: [JSONKey<ErrorDocument>] = [.version, .record("error", "The failure.") { $0.text }]
}

extension ErrorText: Described {
    public static let keys: [JSONKey<ErrorText>] = [
        .init("category", .choice(FailureCategory.self), "The kind of failure; each kind has one exit code.") {
            $0.category.rawValue
        },
        .init(
            "exitCode", .integer,
            "The exit code of such a failure. A command that is interrupted ends with 128 and the signal's number."
        ) { $0.category.exitCode },
        .init("message", .text, "What failed on what, and why.") { $0.message },
        .init(.advice) { $0.advice },
    ]
}
