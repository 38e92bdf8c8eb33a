import ArgumentParser
import StepDomain
import StepServices
import StepViews

/// The error that ends a command: message, advice, exit code. This is the only place that assigns exit codes to errors.
struct Failure {
    let status: ExitStatus
    /// Nil if the message was printed already.
    let message: String?
    let advice: String?

    init(_ error: any Error) {
        switch error {
        case _ where FailureCause(error) == .interrupted:
            self.init(.temporary, "Interrupted.", "Run the command again.")
        case let error as ServiceError:
            self.init(ExitStatus(error.category), error.problem, ServiceErrorWords.advice(error))
        case let error as ImportError:
            self.init(ExitStatus(error.category), error.problem, ImportErrorWords.advice(error))
        case let error as any ReportableError: self.init(ExitStatus(error.category), error.problem, error.advice)
        case let error as AlreadyReported: self.init(error.status, nil, nil)
        default: self.init(.unforeseen, "\(error)", "Please report this.")
        }
    }

    private init(_ status: ExitStatus, _ message: String?, _ advice: String?) {
        self.status = status
        self.message = message
        self.advice = advice
    }

    /// The same with the options that the commands of its advice need.
    func with(_ options: CommandOptions) -> Failure {
        guard let advice, options != CommandOptions() else { return self }
        return Failure(status, message, Advice(markup: advice).with(options).markup)
    }

    /// Message and advice on one line.
    var line: String? { message.map { Words.sentences($0, advice) } }

    /// For programs; nil if the message was printed already.
    var document: ErrorDocument.Failure? {
        message.map {
            ErrorDocument.Failure(
                category: (FailureCategory(status) ?? .unforeseen).rawValue, exitCode: Int(status.rawValue),
                message: $0, advice: advice)
        }
    }

    /// A temporary failure passes by itself: for the machine's administrator it is not an error.
    var priority: JournalPriority { status == .temporary ? .warning : .error }

    /// Whether the error is the argument parser's: a request for help, or arguments that it does not understand.
    static func isOfParser(_ error: any Error) -> Bool {
        error is CleanExit || error is ValidationError || error is ExitCode
            || String(reflecting: type(of: error)).hasPrefix("ArgumentParser.")
    }
}

/// Ends the command with an exit code after its message was printed.
struct AlreadyReported: Error {
    let status: ExitStatus
    init(_ status: ExitStatus) { self.status = status }

    /// If there are several failures, the one that most needs action by the user decides the exit code. Nil if there
    /// are none.
    init?(worstOf errors: [any Error]) {
        let categories = errors.compactMap { FailureCategory(Failure($0).status) }
        guard let worst = categories.worst else { return nil }
        self.init(ExitStatus(worst))
    }
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

/// Exit codes, after sysexits(3).
enum ExitStatus: Int32 {
    case done = 0
    /// An unexpected error.
    case unforeseen = 1
    /// The command line is invalid.
    case usage = 64
    /// Data that a pedometer sent or that the history holds cannot be understood.
    case data = 65
    /// No adapter, no bus, no daemon, or not the expected device.
    case unavailable = 69
    /// This process may use too few threads, files, or too little memory.
    case resources = 71
    /// Not now: try again later.
    case temporary = 75
    /// Not permitted.
    case permission = 77
    /// The configuration is invalid.
    case configuration = 78
}

extension ExitStatus {
    init(_ category: FailureCategory) {
        switch category {
        case .temporary: self = .temporary
        case .unavailable: self = .unavailable
        case .data: self = .data
        case .usage: self = .usage
        case .configuration: self = .configuration
        case .permission: self = .permission
        case .resources: self = .resources
        case .unforeseen: self = .unforeseen
        }
    }
}

extension FailureCategory {
    /// Nil for success.
    init?(_ status: ExitStatus) {
        guard let category = Self.allCases.first(where: { ExitStatus($0) == status }) else { return nil }
        self = category
    }
}
