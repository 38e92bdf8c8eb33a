/// What a checkup found: the state of one thing, and the check that examined it.
public struct Finding: Hashable, Sendable {
    /// Key of the check that found it, such as `adapter`: for programs, never changed.
    public var check: String
    public var area: Area
    public var diagnosis: Diagnosis

    public init(check: String, area: Area, diagnosis: Diagnosis) {
        self.check = check
        self.area = area
        self.diagnosis = diagnosis
    }

    /// What is examined, in the order in which one thing depends on another.
    public enum Area: String, Sendable, CaseIterable {
        case bluetooth, time, configuration, history, pedometers, sharing, schedule
    }
}

/// How severe a diagnosis is.
public enum Severity: Hashable, Sendable {
    case fine
    /// Worth mentioning; no action is needed.
    case note
    /// It works, but may fail soon.
    case warning
    /// It does not work.
    case fault(FailureCategory)
    /// It was not examined: it depends on something that does not work, or must not be touched.
    case skipped

    public var isFault: Bool { category != nil }

    /// Of a fault.
    public var category: FailureCategory? {
        if case .fault(let category) = self { category } else { nil }
    }
}

/// One thing that a checkup examines.
public enum CheckSubject: Hashable, Sendable {
    case kernel, radioSwitch, adapter, bus, bluetoothService, adapterPower
    case clock, timeZone
    case configuration
    case history, permissions, disk, log, lock
    case scan
    /// By the name that the user gave it.
    case pedometer(String)
    /// Sharing as a whole, where no destination is configured.
    case sharing
    /// By the name that the user gave it.
    case destination(String)
    case timer, midnightTimer, watch, lingering
}

/// An error as a value, so that a finding can hold it.
public enum Problem: Hashable, Sendable {
    /// An error of a resource, in the resource's words. Commands in the advice stand between backticks.
    case reported(FailureCategory, message: String, advice: String?)
    /// The check was cancelled.
    case interrupted
    /// Any other error, which is a fault of istep.
    case unforeseen(String)

    public init(_ error: any Error) {
        switch error {
        case let error as any ReportableError: self = .reported(error.category, message: error.problem, advice: error.advice)
        case is CancellationError: self = .interrupted
        default: self = .unforeseen("\(error)")
        }
    }

    public var category: FailureCategory {
        switch self {
        case .reported(let category, _, _): category
        case .interrupted: .temporary
        case .unforeseen: .unforeseen
        }
    }
}
