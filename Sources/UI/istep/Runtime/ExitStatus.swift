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
