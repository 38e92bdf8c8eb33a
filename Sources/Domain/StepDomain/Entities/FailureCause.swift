/// Where to look for what made a sync fail.
public enum FailureCause: String, Sendable, Codable, CaseIterable {
    /// The pedometer was not heard: away, asleep, or out of power. Nothing is broken.
    case outOfRange
    /// Bluetooth of this machine: no adapter, switched off, its service not running, not permitted.
    case machine
    /// Somebody ended the sync, or the machine went down.
    case interrupted
    /// The pedometer, the link to it, or istep.
    case other
}

/// An error that knows its cause; all others are of `other`.
public protocol CausedError: Error {
    var cause: FailureCause { get }
}

extension CancellationError: CausedError {
    public var cause: FailureCause { .interrupted }
}

extension FailureCause {
    public init(_ error: any Error) { self = (error as? any CausedError)?.cause ?? .other }
}
