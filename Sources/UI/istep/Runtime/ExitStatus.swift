/// Exit codes, after sysexits(3).
enum ExitStatus: Int32 {
    case done = 0
    /// Something that istep did not foresee.
    case unforeseen = 1
    /// The command line does not hold.
    case usage = 64
    /// What a pedometer sent, or the history holds, cannot be understood.
    case data = 65
    /// No adapter, no bus, no daemon, or not the device that it should be.
    case unavailable = 69
    /// Not now: try again later.
    case temporary = 75
    /// Not permitted.
    case permission = 77
    /// The configuration does not hold.
    case configuration = 78
}

extension ExitStatus {
    /// Of several the greatest is what a command ends with: the one that most needs somebody to act.
    var severity: Int {
        switch self {
        case .done: 0
        case .temporary: 1
        case .unavailable: 2
        case .data: 3
        case .usage: 4
        case .configuration: 5
        case .permission: 6
        case .unforeseen: 7
        }
    }
}
