public import StepDomain

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
