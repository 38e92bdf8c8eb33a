/// What a check found about one thing, as a value. `StepViews` has its words, and the commands that help.
public enum Diagnosis: Hashable, Sendable {
    case bluetooth(BluetoothDiagnosis)
    case scan(ScanDiagnosis)
    case time(TimeDiagnosis)
    case configuration(ConfigurationDiagnosis)
    case history(HistoryDiagnosis)
    case storage(StorageDiagnosis)
    /// The last syncs of the pedometer of this name, as the history has them.
    case syncs(pedometer: String, SyncHistoryDiagnosis)
    /// An attempt to read the pedometer of this name.
    case pedometer(String, PedometerDiagnosis)
    case noDestination
    case destination(String, DestinationDiagnosis)
    case noSystemd
    case schedule(ScheduleDiagnosis)
    /// The check ended with an error, or the thing has one.
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
    /// A user who can write it can have the steps sent anywhere.
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
