public import StepDomain

extension FailureCategory {
    /// After sysexits(3). 0, for success, is of no category; 1 is an unexpected error.
    public var exitCode: Int32 {
        switch self {
        case .unforeseen: 1
        case .usage: 64
        case .data: 65
        case .unavailable: 69
        case .resources: 71
        case .temporary: 75
        case .permission: 77
        case .configuration: 78
        }
    }
}
