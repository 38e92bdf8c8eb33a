public import StepDomain

/// Something that the log of an unattended run says besides its result.
public struct RunMessage: Sendable {
    /// How much it matters to the machine's administrator. What passes by itself is a warning.
    public enum Severity: Sendable, Hashable { case notice, warning, error }

    public enum Content: Sendable {
        /// A pedometer could not be read.
        /// - Parameter isFault: whether something is broken: it was not merely out of range or interrupted.
        case pedometerFailed(SyncReport, isFault: Bool)
        /// A destination has rejected a day.
        case rejected(destination: String, Day, reason: String)
        /// A day may have arrived at a destination.
        case doubtful(destination: String, Day, reason: String)
        /// Nothing is sent to a destination until the user acts.
        case paused(destination: String, reason: String)
        /// Sharing with a destination has failed by an error of the history, or of istep.
        case sharingFaulty(destination: String, any Error)
        /// A destination was not reached, or is not configured correctly.
        case sharingFailed(destination: String, ShareFailure)
        /// Sharing, notices or upkeep have failed as a whole.
        case failed(any Error)
        case notice(Notice)
    }

    public var severity: Severity
    public var content: Content

    init(_ severity: Severity, _ content: Content) {
        self.severity = severity
        self.content = content
    }
}

extension SyncService.Outcome {
    /// The messages of an unattended run, in the order in which they are written.
    public var messages: [RunMessage] {
        var messages = reports.filter { $0.cause != .machine }.compactMap(RunMessage.init)
        // A fault of the machine concerns all pedometers: it is reported once.
        var faults: Set<String> = []
        messages += reports.filter { $0.cause == .machine && faults.insert($0.failureText ?? "").inserted }.compactMap(RunMessage.init)
        for report in shares ?? [] { messages += RunMessage.messages(of: report) }
        // The failures of pedometers and destinations were reported above.
        messages += failures.filter { !$0.isShown }.map { RunMessage(.init($0.error), .failed($0.error)) }
        return messages + RunMessage.messages(of: notices.new)
    }

    /// Whether anything has changed that a reader of the log looks for: new steps, or a failure.
    public var isNews: Bool { reports.contains { $0.counts.steps > 0 } || !failures.isEmpty }
}

extension RunMessage {
    fileprivate init?(_ report: SyncReport) {
        guard report.failure != nil else { return nil }
        // Out of range or interrupted: no fault.
        let isFault = report.cause == .machine || report.cause == .other
        self.init(isFault ? .error : .warning, .pedometerFailed(report, isFault: isFault))
    }

    fileprivate static func messages(of report: ShareReport) -> [RunMessage] {
        let name = report.destination
        var messages = report.events.compactMap { event -> RunMessage? in
            switch event.outcome {
            case .rejected(let reason): RunMessage(.error, .rejected(destination: name, event.day, reason: reason))
            case .doubtful(let reason): RunMessage(.error, .doubtful(destination: name, event.day, reason: reason))
            default: nil
            }
        }
        if let fault = report.fault {
            messages.append(RunMessage(.error, .sharingFaulty(destination: name, fault)))
        } else if let stopped = report.state.stopped {
            messages.append(RunMessage(.error, .paused(destination: name, reason: stopped)))
        } else if let failure = report.failure, failure.kind != .rejected {
            messages.append(RunMessage(.init(failure), .sharingFailed(destination: name, failure)))
        }
        return messages
    }

    static func messages(of notices: [StoredNotice]) -> [RunMessage] {
        notices.map { RunMessage($0.notice.kind == .goalReached ? .notice : .warning, .notice($0.notice)) }
    }
}

extension RunMessage.Severity {
    /// A temporary failure passes by itself: for the machine's administrator it is not an error.
    init(_ error: any Error) {
        self = error is CancellationError || (error as? any ReportableError)?.category == .temporary ? .warning : .error
    }
}
