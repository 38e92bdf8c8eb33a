internal import StepDomain

extension SyncNotice {
    /// What a program tells notices apart by.
    var kind: String {
        switch self {
        case .clockWasOff: "clockWasOff"
        case .batteryLow: "batteryLow"
        case .undecodable: "undecodable"
        case .implausible: "implausible"
        case .counterRestarted: "counterRestarted"
        case .lost: "lost"
        case .dayNotClosed: "dayNotClosed"
        }
    }

    /// What happened, and what to do.
    var words: String {
        switch self {
        case .clockWasOff(let seconds):
            let by = seconds.map { $0 == 0 ? "" : " by \(Words.duration($0)) (it was \($0 > 0 ? "ahead" : "behind"))" } ?? ""
            return "Its clock was off\(by), so hours read now may stand wrong. Another program may have set it, often to UTC: "
                + "let only one program set it."
        case .batteryLow(let percent):
            return "Its battery is at \(percent) %: charge it soon."
        case .undecodable(let frames):
            return "\(Words.count(frames, "packet")) could not be understood. The raw bytes are kept; "
                + "if it comes again, please report it."
        case .implausible(let samples):
            return "\(Words.count(samples, "reading")) with more steps, or of another time, than can be: "
                + "left out of the day's steps. If it comes again, please report it."
        case .counterRestarted:
            return "It has restarted: steps between the sync before and the restart are lost. Sync more often to lose fewer."
        case .lost(let first, let last):
            return "It no longer holds the steps of \(Words.days(first, last)). Sync more often to lose none."
        case .dayNotClosed(let day):
            return "Steps made on \(day) after it was last read are lost: it keeps only today's. Sync shortly before midnight."
        }
    }
}
