public import StepDomain
internal import Support

/// Writes what an unattended run has to report: what a log must do for it.
public protocol UnattendedOutput: Sendable {
    /// - Parameter isHousehold: whether the history has several users, who must be distinguished.
    func write(_ message: RunMessage, isHousehold: Bool)
    /// Writes the result: a summary in one line, or a document.
    ///
    /// - Throws: if it cannot be written.
    func write(_ outcome: SyncService.Outcome) throws
}

/// Reports the outcome of an unattended sync: what went wrong, a summary, and desktop notifications.
///
/// For a sync by a timer, and for each sync of an unattended watch.
public struct UnattendedReporter: Sendable {
    private let context: ServiceContext
    private let output: any UnattendedOutput
    /// Nil if the user wants no notifications, or in a process outside a session.
    private let desktop: DesktopNotifications?

    public init(_ context: ServiceContext, output: any UnattendedOutput, desktop: DesktopNotifications?) {
        self.context = context
        self.output = output
        self.desktop = desktop
    }

    /// - Throws: if the result cannot be written.
    public func report(_ outcome: SyncService.Outcome) async throws {
        let isHousehold = await isHousehold()
        for message in outcome.messages { output.write(message, isHousehold: isHousehold) }
        let written = Result { try output.write(outcome) }
        // Even if the output cannot be written (a full disk, for example), the desktop shows the notices.
        await desktop?.show(outcome.notices.notices, isHousehold: isHousehold)
        try written.get()
    }

    /// Reports notices that result from the passing of time: a watch calls it when a pedometer was not heard for long.
    ///
    /// - Throws: the history's error.
    public func checkSilence(_ listening: ListeningState) async throws {
        let standing = try await context.updateNotices(listening: listening)
        let isHousehold = await isHousehold()
        for message in RunMessage.messages(of: standing.new) { output.write(message, isHousehold: isHousehold) }
        await desktop?.show(standing.notices, isHousehold: isHousehold)
    }

    /// Whether the history has several users. If it cannot be read, names are left out.
    private func isHousehold() async -> Bool {
        (try? await blocking { [history = context.history] in try history.users().count }) ?? 0 > 1
    }
}

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
        /// A day was not sent, because its steps are not plausible.
        case withheld(destination: String, Day)
        /// A day may have arrived at a destination.
        case doubtful(destination: String, Day, reason: String)
        /// Nothing is sent to a destination until the user acts.
        case paused(destination: String, reason: String)
        /// Sharing with a destination has failed by an error of the history, or of istep.
        case sharingFaulty(destination: String, any Error)
        /// A destination was not reached, or is not configured correctly.
        case sharingFailed(destination: String, ShareFailure)
        /// Sharing, notices or maintenance have failed as a whole.
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
        messages += reports.filter { $0.cause == .machine && faults.insert($0.failureText ?? "").inserted }.compactMap(
            RunMessage.init)
        for report in shares ?? [] { messages += RunMessage.messages(of: report) }
        // The failures of pedometers and destinations were reported above.
        messages += otherFailures.map { RunMessage(.init($0), .failed($0)) }
        return messages + RunMessage.messages(of: notices.new)
    }

    /// Whether anything has changed that a reader of the log looks for: new steps, or a failure.
    public var isNews: Bool {
        reports.contains { $0.counts.steps > 0 } || imports.contains(where: \.hasChanges) || worst != nil
    }
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
            case .withheld: RunMessage(.error, .withheld(destination: name, event.day))
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
        self = FailureCategory(error) == .temporary ? .warning : .error
    }
}
