internal import StepDomain

/// A notice as `istep status --json` tells it.
public struct NoticeDocument: Codable, Sendable {
    /// `nightsFailed`, `notSeen`, `batteryLow`, `clockWasOff`, `stepsLost`, `shareRejected`, `shareInDoubt`, `destinationStopped`,
    /// `shareWaiting` or `goalReached`.
    public var kind: String
    /// The pedometer, destination or user that it is about; null for the machine.
    @Nullable public var subject: String?
    /// ISO 8601 with offset.
    public var since: String
    public var message: String
    @Nullable public var detail: String?
    /// Nobody has seen it yet: `istep status` without `--json` has not told it.
    public var isNew: Bool
    /// It lasts until its cause ends; else it is told once.
    public var isLasting: Bool

    init(_ kept: KeptNotice, _ words: NoticeWords, _ localTime: LocalTime) {
        kind = kept.notice.kind.rawValue
        subject = kept.notice.name.isEmpty ? nil : kept.notice.name
        since = Words.iso(kept.notice.since, localTime)
        message = words.headline
        detail = words.detail.isEmpty ? nil : words.detail
        isNew = kept.isNew
        isLasting = kept.notice.isState
    }
}
