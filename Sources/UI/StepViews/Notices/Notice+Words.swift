public import StepDomain

/// A notice in words: one line, and what is known of it besides and to be done. For terminals, journals and desktops alike.
public struct NoticeWords: Hashable, Sendable {
    /// Without a full stop; begins with the name of what it is about, if that is not the machine.
    public let headline: String
    /// One or more sentences; empty where the headline tells all.
    public let detail: String

    /// - Parameters:
    ///   - isHousehold: whether the history has days of several people, so that they are told apart.
    ///   - now: for what is told as `today` or by days that have passed.
    public init(_ notice: Notice, isHousehold: Bool, now: Timestamp, localTime: LocalTime) {
        let writer = Writer(notice: notice, isHousehold: isHousehold, now: now, localTime: localTime)
        headline = writer.headline
        detail = writer.detail
    }
}

private struct Writer {
    let notice: Notice
    let isHousehold: Bool
    let now: Timestamp
    let localTime: LocalTime

    private var name: String { Printable(notice.name, limit: 32).description }

    var headline: String {
        switch notice.content {
        case .nightsFailed(let nights, _) where notice.subject == .machine:
            "Bluetooth of this machine has not worked \(duration(nights))"
        case .nightsFailed(let nights, _): "\(name): could not be read \(duration(nights))"
        case .notSeen(let lastRead?): "\(name): not in range for \(Words.count(max(1, (now - lastRead) / 86_400), "day"))"
        case .notSeen(nil): "\(name): not in range since it was added"
        case .batteryLow(let percent): "\(name): battery at \(percent) %"
        case .noticed(.clockWasOff): "\(name): its clock was wrong"
        case .noticed(.counterRestarted), .noticed(.lost), .noticed(.dayNotClosed): "\(name): steps are lost"
        case .noticed: "\(name): something is wrong"
        case .shareRejected(let user, let day, _): "\(name): \(subject(day, of: user)) was rejected"
        case .shareInDoubt(let user, let day, _): "\(name): \(subject(day, of: user)) may have arrived, or not"
        case .destinationStopped: "\(name): stopped, for it does not accept your credentials"
        case .shareWaiting(let days, _):
            "\(name): \(Words.count(days, "day")) could not be shared for \(Words.count(max(1, (now - notice.since) / 86_400), "day"))"
        case .goalReached(let day, let steps, let goal):
            "\(isHousehold ? "\(name): g" : "G")oal reached \(when(day)): \(Words.grouped(steps)) of \(Words.count(goal, "step"))"
        }
    }

    var detail: String {
        switch notice.content {
        case .nightsFailed(_, let reason): "\(sentence("The last try failed: ", reason)) What to do: istep doctor"
        case .notSeen(let lastRead):
            (lastRead.map { "Last read \(Words.clock($0, localTime)). " } ?? "") + "Is it charged, and near this machine for some of the time?"
        case .batteryLow: "Charge it soon."
        case .noticed(let noticed): noticed.words
        case .shareRejected(_, _, let reason): "\(sentence("It said: ", reason)) More: istep outbox"
        case .shareInDoubt(_, let day, let reason):
            "\(sentence("", reason)) Look whether it is there; then istep outbox drop \(name) \(day) if it is, "
                + "istep outbox retry \(name) \(day) if not."
        case .destinationStopped(let reason): "\(sentence("It said: ", reason)) Renew them, then: istep outbox retry \(name)"
        case .shareWaiting(_, let reason): reason.map { sentence("The last try failed: ", $0) } ?? ""
        case .goalReached: ""
        }
    }

    /// After a week a date says more than the nights, of which only those of the last syncs are counted.
    private func duration(_ nights: Int) -> String {
        now - notice.since > 7 * 86_400 ? "since \(localTime.day(of: notice.since))" : "for \(Words.count(nights, "night"))"
    }

    /// Words of somebody else as a sentence.
    private func sentence(_ beginning: String, _ reason: String) -> String {
        let reason = Printable(reason, limit: 300).description
        return beginning + reason + (reason.last.map { ".!?…".contains($0) } ?? true ? "" : ".")
    }

    private func subject(_ day: Day, of user: String) -> String {
        isHousehold ? "\(day) of \(Printable(user, limit: 32))" : "\(day)"
    }

    private func when(_ day: Day) -> String {
        switch localTime.day(of: now).daysSince1970 - day.daysSince1970 {
        case 0: "today"
        case 1: "yesterday"
        default: "on \(day)"
        }
    }
}

extension Notice {
    /// Whether it is one to be glad of.
    public var isGood: Bool { kind == .goalReached }
}
