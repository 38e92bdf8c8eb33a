import StepDomain
import StepViews

/// Ends the command with an exit code after its message was printed.
struct AlreadyReported: Error {
    let category: FailureCategory

    init(_ category: FailureCategory) { self.category = category }
}

/// Why a command cannot do what the user requests, although no part of istep below it has failed.
struct CommandFailure: ReportableError {
    /// `usage` if the command line requests something impossible, `temporary` if it is possible later, and so on.
    var category: FailureCategory
    var description: String
    /// What to do instead.
    var advice: String?

    init(_ category: FailureCategory, _ description: String, advice: String? = nil) {
        self.category = category
        self.description = description
        self.advice = advice
    }
}

extension FailureCategory {
    /// For the journal. A temporary failure passes by itself: for the machine's administrator it is not an error.
    var priority: JournalPriority { self == .temporary ? .warning : .error }
}
