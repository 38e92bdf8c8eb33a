public import StepDomain
internal import StepServices

/// An error in words, and how the command that it ends is judged: the only place that decides both, for the terminal,
/// pages and documents.
public struct ErrorText: Hashable, Sendable {
    public let category: FailureCategory
    /// What failed, on what, and why.
    public let message: String
    /// What to do next; commands are in backticks. Nil if there is nothing to do.
    public let advice: String?

    public init(_ error: any Error) {
        category = FailureCategory(error)
        switch error {
        case _ where FailureCause(error) == .interrupted:
            (message, advice) = ("Interrupted.", "Run the command again.")
        case let error as ServiceError:
            (message, advice) = (ServiceErrorWords.problem(error), ServiceErrorWords.advice(error))
        case let error as ImportError:
            (message, advice) = (ImportErrorWords.problem(error), ImportErrorWords.advice(error))
        case let error as ScheduledImportFailure:
            let cause = ErrorText(error.underlying)
            message = error.text(cause.message)
            advice = ScheduledImportWords.advice(error)?.markup ?? cause.advice
        case let error as any ReportableError:
            message = error.problem
            advice = error.advice ?? (error.cause == .outOfRange ? Advice.outOfRange.markup : nil)
        default: (message, advice) = ("\(error)", "Please report this.")
        }
    }

    private init(_ category: FailureCategory, _ message: String, _ advice: String?) {
        (self.category, self.message, self.advice) = (category, message, advice)
    }

    /// The same with the options that the commands of its advice need.
    public func with(_ options: CommandOptions) -> ErrorText {
        guard let advice, options != CommandOptions() else { return self }
        return ErrorText(category, message, Advice(markup: advice).with(options).markup)
    }

    /// Message and advice on one line.
    public var line: String { Words.sentences(message, advice) }
}
