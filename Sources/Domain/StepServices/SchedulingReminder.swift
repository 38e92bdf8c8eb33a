/// What a user who has just enabled automatic sync should know.
public enum SchedulingReminder: Hashable, Sendable {
    /// A variable of this environment leads to another history or configuration, which a scheduled sync does not use.
    case ignoredVariable(String)
    /// There is nothing to read tonight, which is not a failure.
    case noPedometer

    /// - Parameters:
    ///   - variables: of the environment that decide which history and configuration are used.
    ///   - hasSources: whether the history has a pedometer, or the configuration an import.
    public static func all(variables: [String], hasSources: Bool) -> [SchedulingReminder] {
        variables.map(SchedulingReminder.ignoredVariable) + (hasSources ? [] : [.noPedometer])
    }
}
