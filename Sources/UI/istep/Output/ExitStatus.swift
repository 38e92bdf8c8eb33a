import StepDomain

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
        case .unforeseen: self = .unforeseen
        }
    }

    /// Of several exit codes, a command ends with the one of the greatest severity.
    var severity: Int { FailureCategory(self)?.severity ?? 0 }
}

extension FailureCategory {
    /// Nil for success.
    init?(_ status: ExitStatus) {
        guard let category = Self.allCases.first(where: { ExitStatus($0) == status }) else { return nil }
        self = category
    }
}
