public import StepDomain
public import StepServices

/// The words of what the log of an unattended run says besides its result.
public enum RunMessageWords {
    /// An error in words for people.
    public typealias ErrorWords = @Sendable (any Error) -> (problem: String?, advice: String?)

    /// One or more lines without control characters; none where the error has no words.
    ///
    /// - Parameter isHousehold: whether the history has several users, who must be distinguished.
    public static func lines(
        for message: RunMessage, isHousehold: Bool, now: Timestamp, localTime: LocalTime, error: ErrorWords
    ) -> [String] {
        switch message.content {
        case .pedometerFailed(let report, let isFault):
            lines(
                report.pedometer.name, report.failureText ?? "failed", isFault ? report.failure.flatMap { error($0).advice } : nil)
        case .rejected(let name, let day, let reason): lines(name, "\(day) rejected: \(reason)")
        case .doubtful(let name, let day, let reason): lines(name, "\(day) may have arrived: \(reason)")
        case .paused(let name, let reason): lines(name, "\(Words.paused): \(reason)")
        case .sharingFaulty(let name, let fault):
            lines(name, [error(fault).problem ?? "failed", error(fault).advice].compactMap(\.self).joined(separator: "; "))
        case .sharingFailed(let name, let failure): lines(name, failure.reason, failure.advice)
        case .failed(let failure):
            error(failure).problem.map {
                [Printable.lines("istep: \($0)")] + (error(failure).advice.map { [Printable.lines("       \($0)")] } ?? [])
            } ?? []
        case .notice(let notice): [NoticeWords(notice, isHousehold: isHousehold, now: now, localTime: localTime).headline]
        }
    }

    private static func lines(_ name: String, _ texts: String?...) -> [String] {
        texts.compactMap(\.self).map { Printable.lines("\(name): \($0)") }
    }
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
            return UserNotification(summary: "\(words.count) more: istep status", body: words.map(\.headline).joined(separator: "\n"))
        }
        return UserNotification(summary: words[0].headline, body: words[0].detail, kind: notices[0].kind)
    }
}
