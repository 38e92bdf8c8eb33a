public import StepDomain
public import StepServices

/// The words of what the log of an unattended run says besides its result.
public enum RunMessageWords {
    /// One or more lines without control characters.
    ///
    /// - Parameter isHousehold: whether the history has several users, who must be distinguished.
    public static func lines(
        for message: RunMessage, isHousehold: Bool, now: Timestamp, localTime: LocalTime
    ) -> [String] {
        switch message.content {
        case .pedometerFailed(let report, let isFault):
            lines(
                report.pedometer.name, report.failureText ?? "failed",
                isFault ? report.failure.flatMap { ErrorText($0).advice } : nil)
        case .rejected(let name, let day, let reason): lines(name, "\(day) rejected: \(reason)")
        case .withheld(let name, let day): lines(name, "\(day) withheld: \(ShareEntry.implausibleSteps)")
        case .doubtful(let name, let day, let reason): lines(name, "\(day) may have arrived: \(reason)")
        case .paused(let name, let reason): lines(name, "\(Words.paused): \(reason)")
        case .sharingFaulty(let name, let fault):
            lines(name, ErrorText(fault).line)
        case .sharingFailed(let name, let failure): lines(name, failure.reason, failure.advice)
        case .failed(let failure):
            errorLines(ErrorText(failure))
        case .notice(let notice):
            [NoticeWords(notice, isHousehold: isHousehold, now: now, localTime: localTime).headline]
        }
    }

    /// An error as a command that ends with it reports it.
    public static func errorLines(_ text: ErrorText) -> [String] {
        [Printable.lines("istep: \(text.message)")] + (text.advice.map { [Printable.lines("       \($0)")] } ?? [])
    }

    private static func lines(_ name: String, _ texts: String?...) -> [String] {
        texts.compactMap(\.self).map { Printable.lines("\(name): \($0)") }
    }
}
