public import StepDomain

/// What a user who has just enabled automatic sync should know.
public enum SchedulingReminder: Hashable, Sendable {
    /// A variable of this environment leads to another history or configuration, which a scheduled sync does not use.
    case ignoredVariable(String)
    /// There is nothing to sync tonight, which is not a failure.
    case noPedometer

    /// - Parameters:
    ///   - variables: of the environment that decide which history and configuration are used.
    ///   - pedometers: of the history; empty if there is no history.
    public static func all(variables: [String], pedometers: [Pedometer]) -> [SchedulingReminder] {
        variables.map(SchedulingReminder.ignoredVariable) + (pedometers.isEmpty ? [.noPedometer] : [])
    }
}
