/// The kind of failure, which shows who can act on it.
public enum FailureCategory: String, Sendable, CaseIterable {
    /// It may pass by itself: try again later.
    case temporary
    /// No adapter, no bus, no daemon, no history, or not the device that it should be.
    case unavailable
    /// Data cannot be used: what a pedometer sent, what a server refused, or what the history holds.
    case data
    /// The command line is wrong.
    case usage
    case configuration
    /// Not permitted, or credentials were rejected.
    case permission
    /// A limit of this process: threads, files or memory.
    case resources
    /// A fault of istep, or of the machine (a disk that fails).
    case unforeseen

    /// If there are several failures, the one with the highest number decides how a command ends: it most needs action.
    public var severity: Int {
        switch self {
        case .temporary: 1
        case .unavailable: 2
        case .data: 3
        case .usage: 4
        case .configuration: 5
        case .permission: 6
        case .resources: 7
        case .unforeseen: 8
        }
    }
}

extension FailureCategory {
    /// That of any error; one that says nothing of itself is unforeseen.
    public init(_ error: any Error) {
        self =
            FailureCause(error) == .interrupted
            ? .temporary : (error as? any CategorizedError)?.category ?? .unforeseen
    }
}

extension Sequence<FailureCategory> {
    /// The category that decides how a command with these failures ends; nil if there are none.
    public var worst: FailureCategory? { self.max { $0.severity < $1.severity } }
}

/// Where to look for the cause of a failed sync.
public enum FailureCause: String, Sendable, Codable, CaseIterable {
    /// The pedometer was not heard: away, asleep, or out of power. Nothing is broken.
    case outOfRange
    /// Bluetooth of this machine: no adapter, switched off, its service not running, not permitted.
    case machine
    /// The sync was ended from outside, or the machine went down.
    case interrupted
    /// The pedometer, the link to it, or istep.
    case other
}

extension FailureCause {
    public init(_ error: any Error) {
        self = error is CancellationError ? .interrupted : (error as? any CategorizedError)?.cause ?? .other
    }
}
