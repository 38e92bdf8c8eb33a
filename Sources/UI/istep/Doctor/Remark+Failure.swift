import StepDomain

extension Remark {
    /// What an error says of what was looked at: its words, its advice, and the exit code that a command would end with.
    init(_ error: any Error, _ subject: String, cure: String? = nil) {
        let failure = Failure(error)
        self.init(.fault(Grade.Trouble(failure.status)), subject, failure.message ?? "\(error)", cure: cure ?? failure.advice)
    }
}

extension Grade.Trouble {
    init(_ status: ExitStatus) {
        switch status {
        case .temporary: self = .temporary
        case .unavailable: self = .unavailable
        case .data: self = .data
        case .usage: self = .usage
        case .configuration: self = .configuration
        case .permission: self = .permission
        case .done, .unforeseen: self = .unforeseen
        }
    }
}

extension ExitStatus {
    init(_ trouble: Grade.Trouble) {
        switch trouble {
        case .temporary: self = .temporary
        case .unavailable: self = .unavailable
        case .data: self = .data
        case .usage: self = .usage
        case .configuration: self = .configuration
        case .permission: self = .permission
        case .unforeseen: self = .unforeseen
        }
    }
}
