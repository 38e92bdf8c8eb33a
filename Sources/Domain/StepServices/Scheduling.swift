public import StepDomain

/// Enabling and disabling automatic sync, for a program that shows the state afterwards.
public struct Scheduling: Sendable {
    private let scheduler: any Scheduler

    public init(_ scheduler: any Scheduler) { self.scheduler = scheduler }

    /// Syncs automatically from now on.
    ///
    /// - Parameter watching: whether a process also keeps running and syncs when a pedometer comes into range.
    /// - Throws: the scheduler's error.
    public func enable(watching: Bool) async throws -> SyncSchedule {
        try await scheduler.enable(watching: watching)
        return try await scheduler.schedule()
    }

    /// Disables all of it. A sync that is running is not stopped.
    ///
    /// - Throws: the scheduler's error.
    public func disable() async throws -> SyncSchedule {
        try await scheduler.disable()
        return try await scheduler.schedule()
    }

    /// - Throws: the scheduler's error.
    public func schedule() async throws -> SyncSchedule { try await scheduler.schedule() }

    /// What a user who has just enabled automatic sync should know.
    public enum Reminder: Hashable, Sendable {
        /// A variable of this environment names another history or configuration, which a scheduled sync does not use.
        case ignoredVariable(String)
        /// There is nothing to sync tonight, which is not a failure.
        case noPedometer
    }

    /// - Parameter pedometers: of the usual history; empty if there is no history.
    public static func reminders(environment: [String: String], pedometers: [Pedometer]) -> [Reminder] {
        let ignored = ["ISTEP_DB", "ISTEP_CONFIG"].filter { environment[$0]?.isEmpty == false }
        return ignored.map(Reminder.ignoredVariable) + (pedometers.isEmpty ? [.noPedometer] : [])
    }
}
