/// What a checkup found: how one thing stands, and what to do where it is not well.
public struct Finding: Hashable, Sendable {
    /// Key of the check that found it, such as `adapter`: for programs, never changed.
    public var check: String
    public var area: Area
    public var remark: Remark

    public init(check: String, area: Area, remark: Remark) {
        self.check = check
        self.area = area
        self.remark = remark
    }

    /// What is looked at, in the order in which one thing stands on another.
    public enum Area: String, Sendable, CaseIterable {
        case bluetooth, time, configuration, history, pedometers, sharing, schedule
    }
}

/// What a check says of one thing, before it is known which check of which area it was.
public struct Remark: Hashable, Sendable {
    /// What it is about: `adapter`, or the name that the user gave a pedometer.
    public var subject: String
    public var grade: Grade
    /// How it stands, and the cause where it is not well: in words for people, which may quote what a device or a server said.
    public var message: String
    /// What to do about it.
    public var cure: String?

    public init(_ grade: Grade, _ subject: String, _ message: String, cure: String? = nil) {
        self.subject = subject
        self.grade = grade
        self.message = message
        self.cure = cure
    }
}

/// How well something is.
public enum Grade: Hashable, Sendable {
    case fine
    /// Worth a word; nothing is to be done.
    case note
    /// It works, and may not for long.
    case warning
    /// It does not work.
    case fault(Trouble)
    /// It was not looked at: it stands on something that does not work, or was not to be touched.
    case skipped

    /// What kind of end a command comes to that meets this.
    public enum Trouble: String, Sendable, CaseIterable {
        /// Later it may be well without anybody's doing.
        case temporary
        case unavailable
        case data
        case usage
        case configuration
        case permission
        case unforeseen
    }

    public var isFault: Bool { trouble != nil }

    public var trouble: Trouble? {
        if case .fault(let trouble) = self { trouble } else { nil }
    }
}
