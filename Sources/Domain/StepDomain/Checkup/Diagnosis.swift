/// What a check found about one thing, as a value. `StepViews` contains the text for it, and the commands that help.
public enum Diagnosis: Hashable, Sendable {
    case bluetooth(BluetoothDiagnosis)
    case scan(ScanDiagnosis)
    case time(TimeDiagnosis)
    case configuration(ConfigurationDiagnosis)
    case history(HistoryDiagnosis)
    case storage(StorageDiagnosis)
    case scheduledImport(ScheduledImportStatus)
    /// The last syncs of the pedometer of this name, as the history has them.
    case syncs(pedometer: String, SyncHistoryDiagnosis)
    /// An attempt to read the pedometer of this name.
    case pedometer(String, PedometerDiagnosis)
    case noDestination
    case destination(String, DestinationDiagnosis)
    case noSystemd
    case schedule(ScheduleDiagnosis)
    /// The check ended with an error, or its subject reported one.
    case failed(CheckSubject, Problem)
    /// The check did not end within its limit.
    case unanswered(CheckSubject, seconds: Int)
    /// It was not checked, because it depends on something that has a fault.
    case skipped(CheckSubject, dependsOn: CheckSubject)
}

extension Diagnosis {
    public var severity: Severity {
        switch self {
        case .bluetooth(let diagnosis): diagnosis.severity
        case .scan(let diagnosis): diagnosis.severity
        case .time(let diagnosis): diagnosis.severity
        case .configuration(let diagnosis): diagnosis.severity
        case .history(let diagnosis): diagnosis.severity
        case .storage(let diagnosis): diagnosis.severity
        case .scheduledImport(let status): status.severity
        case .syncs(_, let diagnosis): diagnosis.severity
        case .pedometer(_, let diagnosis): diagnosis.severity
        case .noDestination: .fine
        case .destination(_, let diagnosis): diagnosis.severity
        // Another program, such as cron, may sync.
        case .noSystemd: .note
        case .schedule(let diagnosis): diagnosis.severity
        case .failed(_, let problem): .fault(problem.category)
        case .unanswered: .fault(.temporary)
        case .skipped: .skipped
        }
    }

    /// What it is about.
    public var subject: CheckSubject {
        switch self {
        case .bluetooth(let diagnosis): diagnosis.subject
        case .scan: .scan
        case .time(let diagnosis): diagnosis.subject
        case .configuration: .configuration
        case .scheduledImport(let status): .importFile(status.plan.name)
        case .history(let diagnosis): diagnosis.subject
        case .storage(let diagnosis): diagnosis.subject
        case .syncs(let name, _), .pedometer(let name, _): .pedometer(name)
        case .noDestination: .sharing
        case .destination(let name, _): .destination(name)
        case .noSystemd: .timer
        case .schedule(let diagnosis): diagnosis.subject
        case .failed(let subject, _), .unanswered(let subject, _), .skipped(let subject, _): subject
        }
    }
}

/// What is wrong with the files of the configuration.
public enum ConfigurationDiagnosis: Hashable, Sendable {
    /// A setting or a destination is not valid: the reader's message, with file and line.
    case invalid(String)
    /// Users other than the owner can write the file, and so could have the steps sent anywhere.
    case writableByOthers(path: String)
    /// The files that were read; none is needed.
    case valid(files: [String])

    public var severity: Severity {
        switch self {
        case .invalid: .fault(.configuration)
        case .writableByOthers: .warning
        case .valid: .fine
        }
    }
}

/// What a checkup found: the state of one thing, and the check that examined it.
public struct Finding: Hashable, Sendable {
    /// The check that found it.
    public var check: CheckKey
    public var diagnosis: Diagnosis

    public init(check: CheckKey, diagnosis: Diagnosis) {
        self.check = check
        self.diagnosis = diagnosis
    }

    public var area: Area { check.area }

    /// The areas of a checkup, in the order in which they depend on one another.
    public enum Area: String, Sendable, CaseIterable {
        case bluetooth, time, configuration, history, pedometers, sharing, schedule
    }
}

/// The checks of a checkup. Their raw values are for programs, and are never changed.
public enum CheckKey: String, Sendable, CaseIterable {
    case kernel
    case radioSwitch = "switch"
    case adapter, bus
    case service = "daemon"
    case power, clock, configuration, history, permissions
    case space = "room"
    case scheduledImport = "import"
    case locks = "lock"
    case scan, syncs, pedometer, destination
    case timers = "timer"

    package var area: Finding.Area {
        switch self {
        case .kernel, .radioSwitch, .adapter, .bus, .service, .power: .bluetooth
        case .clock: .time
        case .configuration: .configuration
        case .history, .permissions, .space, .scheduledImport, .locks: .history
        case .scan, .syncs, .pedometer: .pedometers
        case .destination: .sharing
        case .timers: .schedule
        }
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

    /// The category of a fault; nil for any other severity.
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
    /// A pedometer, by the name that the user gave it.
    case pedometer(String)
    /// Sharing as a whole, if no destination is configured.
    case sharing
    /// A destination, by the name that the user gave it.
    case destination(String)
    /// A file that the nightly sync imports, by its name in the configuration.
    case importFile(String)
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
        case let error as any ReportableError:
            self = .reported(error.category, message: error.problem, advice: error.advice)
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
