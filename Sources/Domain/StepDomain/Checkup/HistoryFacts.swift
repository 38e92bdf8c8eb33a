/// A process that holds a lock of a history.
public struct HistoryHolder: Hashable, Sendable {
    public var process: Int32
    public var activity: HistoryActivity

    public init(process: Int32, activity: HistoryActivity) {
        self.process = process
        self.activity = activity
    }
}

/// How sound the file of a history is.
public enum HistoryCondition: Hashable, Sendable {
    /// There is no file.
    case missing
    /// The file has no history in it.
    case empty(Problem)
    /// The path cannot be that of a history; it is a directory, for example.
    case notAFile(Problem)
    /// The whole file was checked.
    ///
    /// - Parameters:
    ///   - damage: what is damaged, each as an error; empty if the file is sound.
    ///   - isOlder: whether the next command that writes would migrate it.
    case examined(damage: [Problem], isOlder: Bool)
}

extension HistoryCondition {
    public func diagnoses(path: String) -> [Diagnosis] {
        switch self {
        case .missing: return [.history(.missing(path: path))]
        case .empty(let problem): return [.failed(.history, problem)]
        case .notAFile(let problem): return [.history(.notAFile(problem))]
        case .examined(let damage, let isOlder):
            let diagnoses =
                damage.map { Diagnosis.failed(.history, $0) } + (isOlder ? [.history(.older(path: path))] : [])
            return diagnoses.isEmpty ? [.history(.sound(path: path))] : diagnoses
        }
    }

    /// Whether the checks of pedometers and destinations may read it. Opening an older history would change it.
    public var isReadable: Bool { self == .examined(damage: [], isOlder: false) }

    /// Whether it is certain that it has no pedometers.
    public var hasNoPedometers: Bool {
        switch self {
        case .missing, .empty: true
        case .notAFile, .examined: false
        }
    }
}

/// The state of a history.
public enum HistoryDiagnosis: Hashable, Sendable {
    /// No setting says where it is.
    case noPath
    case missing(path: String)
    case notAFile(Problem)
    /// Its schema has an earlier version.
    case older(path: String)
    case sound(path: String)
    /// The stored sums of days differ from their samples: `history`, `report` and the pages show wrong figures.
    case wrongSums(days: Int, newest: Day)
    /// The requested user is not in it.
    case unknownUser(String, known: [String])
    /// A process works with it at this moment.
    case inUse(HistoryHolder)

    public var severity: Severity {
        switch self {
        case .noPath, .notAFile: .fault(.configuration)
        case .wrongSums: .fault(.data)
        case .unknownUser: .fault(.usage)
        case .missing, .older, .inUse: .note
        case .sound: .fine
        }
    }

    public var subject: CheckSubject {
        if case .inUse = self { .lock } else { .history }
    }
}
