public import StepDomain
public import StepServices

/// The text of a notice: one line, and further details with what to do. For terminals, journals and desktops alike.
public struct NoticeWords: Hashable, Sendable {
    /// Without a full stop; begins with the name of what it is about, if that is not the machine.
    public let headline: String
    /// One or more sentences, with what to do; empty if the headline is enough.
    public let advice: Advice
    /// The same on one line.
    public var detail: String { advice.description }

    /// - Parameters:
    ///   - isHousehold: whether the history has days of several people, which must be distinguished.
    ///   - now: for text such as `today`, or for the number of days that have passed.
    ///   - form: how days and moments are written.
    package init(_ notice: Notice, isHousehold: Bool, now: Timestamp, localTime: LocalTime, form: DateForm = .iso) {
        let writer = Writer(notice: notice, isHousehold: isHousehold, now: now, localTime: localTime, form: form)
        headline = writer.headline
        advice = writer.advice
    }
}

private struct Writer {
    let notice: Notice
    let isHousehold: Bool
    let now: Timestamp
    let localTime: LocalTime
    let form: DateForm

    private func words(_ day: Day) -> String { form.day(day, today: localTime.day(of: now)) }

    private func words(_ first: Day, _ last: Day) -> String { form.days(first, last, today: localTime.day(of: now)) }

    private var name: String { Printable(notice.name, limit: 32).description }

    var headline: String {
        switch notice.content {
        case .nightsFailed(let nights, _) where notice.subject == .machine:
            "Bluetooth on this machine has not worked \(duration(nights))"
        case .nightsFailed(let nights, _): "\(name): could not be read \(duration(nights))"
        case .notSeen(let lastRead?):
            "\(name): not in range for \(Words.count(max(1, (now - lastRead) / 86_400), "day"))"
        case .notSeen(nil): "\(name): not in range since it was added"
        case .batteryLow(let percent): "\(name): battery at \(percent) %"
        case .daysMissing(let gaps): "\(name): \(Words.count(gaps.count, "day")) not received completely"
        case .noticed(.clockWasOff): "\(name): its clock was wrong"
        case .noticed(.counterRestarted), .noticed(.tooOld): "\(name): steps may be lost"
        case .noticed(.lost), .noticed(.dayNotClosed): "\(name): steps are lost"
        case .noticed(.stepsInDoubt(.unrecorded)): "\(name): it counts steps and does not record them"
        case .noticed(.stepsInDoubt): "\(name): its step counts contradict each other, so they were not counted"
        case .noticed: "\(name): the last sync reported a problem"
        case .shareRejected(let user, let day, _): "\(name): \(subject(day, of: user)) was rejected"
        case .shareWithheld(let user, let day): "\(name): \(subject(day, of: user)) was withheld"
        case .shareInDoubt(let user, let day, _): "\(name): \(subject(day, of: user)) may have arrived"
        case .destinationStopped: "\(name): \(Words.paused)"
        case .shareWaiting(let days, _) where now - notice.since < 86_400:
            "\(name): \(Words.count(days, "day")) \(days == 1 ? "waits" : "wait") to be shared"
        case .shareWaiting(let days, _):
            "\(name): \(Words.count(days, "day")) \(days == 1 ? "has" : "have") been waiting to be shared for \(Words.count((now - notice.since) / 86_400, "day"))"
        case .goalReached(let day, let steps, let goal):
            "\(isHousehold ? "\(name): g" : "G")oal reached \(when(day)): \(Words.grouped(steps)) of \(Words.count(goal, "step"))"
        }
    }

    var advice: Advice {
        switch notice.content {
        case .nightsFailed(_, let reason): "\(sentence("Last attempt: ", reason)) Run: \(command: "istep doctor")"
        case .notSeen(let lastRead):
            "\(lastRead.map { "Last read \(form.clock($0, localTime, today: localTime.day(of: now))). " } ?? "")Charge it, and bring it near this machine."
        case .batteryLow: "Charge it soon."
        case .daysMissing(let gaps): "\(gaps.worded { words($0, $1) }). Requested again at the next sync."
        case .noticed(let noticed): "\(noticed.worded { words($0, $1) })"
        case .shareRejected(_, _, let reason):
            "\(sentence("Reason: ", reason)) See: \(command: "istep outbox", notice.name)"
        case .shareWithheld:
            "\(sentence("Reason: ", ShareEntry.implausibleSteps)) See: \(command: "istep outbox", notice.name)"
        case .shareInDoubt(let user, let day, let reason):
            "\(sentence("", reason)) \(Advice.whetherItArrived(day, notice.name).with(CommandOptions(user: isHousehold ? user : nil)))"
        case .destinationStopped(let reason):
            "\(sentence("Reason: ", reason)) \(Advice.renewCredentials(of: notice.name))"
        case .shareWaiting(_, let reason): "\(reason.map { sentence("The last attempt failed: ", $0) } ?? "")"
        case .goalReached: ""
        }
    }

    /// After a week a date is more informative than the number of nights, which counts only those of the last syncs.
    private func duration(_ nights: Int) -> String {
        now - notice.since > 7 * 86_400
            ? "since \(words(localTime.day(of: notice.since)))" : "for \(Words.count(nights, "night"))"
    }

    /// Text from another source as a sentence.
    private func sentence(_ beginning: String, _ reason: String) -> String {
        let reason = Printable(reason, limit: 300).description
        return beginning + reason + (reason.last.map { ".!?…".contains($0) } ?? true ? "" : ".")
    }

    private func subject(_ day: Day, of user: String) -> String {
        isHousehold ? "\(words(day)) of \(Printable(user, limit: 32))" : words(day)
    }

    private func when(_ day: Day) -> String {
        switch localTime.day(of: now).daysSince1970 - day.daysSince1970 {
        case 0: "today"
        case 1: "yesterday"
        default: "on \(words(day))"
        }
    }
}

extension Notice {
    /// Whether it is good news.
    public var isGood: Bool { kind == .goalReached }
}

/// The words of desktop notifications.
public struct NotificationWords: NotificationWording {
    private let now: @Sendable () -> Timestamp
    private let localTime: LocalTime

    public init(now: @escaping @Sendable () -> Timestamp, localTime: LocalTime) {
        self.now = now
        self.localTime = localTime
    }

    public func notification(of notices: [Notice], isHousehold: Bool) -> UserNotification {
        let words = notices.map { NoticeWords($0, isHousehold: isHousehold, now: now(), localTime: localTime) }
        guard words.count == 1 else {
            return UserNotification(
                summary: "\(words.count) more: istep status", body: words.map(\.headline).joined(separator: "\n"))
        }
        return UserNotification(summary: words[0].headline, body: words[0].detail, kind: notices[0].kind)
    }
}

/// A notice as `istep status --json` prints it.
struct NoticeDocument: Described {
    let stored: StoredNotice, words: NoticeWords, localTime: LocalTime

    static let keys: [JSONKey<NoticeDocument>] = [
        .init("kind", .choice(Notice.Kind.self), "What the notice is about.") { $0.stored.notice.kind.rawValue },
        .init("subject", .nullable(.text), "The pedometer, destination or user; null for the machine.") {
            $0.stored.notice.name.isEmpty ? nil : $0.stored.notice.name
        },
        .init("since", .time, "When it began.") { Words.iso($0.stored.notice.since, $0.localTime) },
        .init("message", .text, "The notice in one line.") { $0.words.headline },
        .init("detail", .nullable(.text), "What else is known, and what to do.") {
            $0.words.detail.isEmpty ? nil : $0.words.detail
        },
        .init("isNew", .boolean, "Not yet shown by 'istep status' (--json does not count).") { $0.stored.isNew },
        .init("isLasting", .boolean, "It lasts until its cause ends; else it is shown once.") {
            $0.stored.notice.isState
        },
    ]
}
