/// An error whose kind decides how a command ends: the exit code of a command, the severity of a diagnosis and the
/// `category` of a JSON document are functions of it.
///
/// Those of the domain have facts only; their words are in `Messages` of StepViews.
public protocol CategorizedError: Error {
    var category: FailureCategory { get }
    /// Where to look for the cause of a failed sync.
    var cause: FailureCause { get }
}

extension CategorizedError {
    public var cause: FailureCause { .other }
}

/// An error with a message for users: what failed, and what to do about it.
///
/// Each error type of a resource conforms beside its definition, except those of modules without StepDomain:
/// `BluetoothError` conforms in Pedometers, those of LocalServer and PrivateBus in istep.
public protocol ReportableError: CategorizedError, CustomStringConvertible {
    /// What failed, on what, and why, without the advice.
    var problem: String { get }
    /// What to do next, in sentences; commands are in backticks. Nil if the problem needs no advice.
    var advice: String? { get }
}

extension ReportableError {
    public var problem: String { description }
    public var advice: String? { nil }
}
