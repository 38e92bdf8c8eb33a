public import StepDomain

/// What an error of the history means for the exit code.
extension HistoryError {
    public var category: FailureCategory {
        switch self {
        // A missing file that the command line names is a usage error. A history that does not exist yet is not.
        case .of(_, .missing): .usage
        case .of(_, let error): error.category
        case .missing: .unavailable
        // Also a newer version: the file is sound, but this program cannot interpret its content. This is not a bug in
        // the program, and no change to the configuration would correct it.
        case .damaged, .irreparable, .foreign, .newerVersion, .empty: .data
        // User input is checked earlier: what the schema refuses came from a pedometer, a file or a bug in istep.
        case .invalidValue: .data
        case .unsupported: .configuration
        // A full disk is a temporary condition: the nightly sync is retried.
        case .locked, .noSpace, .replaced: .temporary
        case .readOnly, .closedLog: .permission
        case .cannotOpen, .noDirectory, .occupied, .reserved, .nameTaken, .addressTaken, .invalidName: .usage
        // Users do not enter row numbers.
        case .inputOutput, .failed, .notFound: .unforeseen
        }
    }
}
