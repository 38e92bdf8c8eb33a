/// Something that a nightly run reports, for the user to read later.
///
/// Two notices with the same `key` report the same thing: the later replaces the earlier.
public struct Notice: Hashable, Sendable {
    /// What it is about.
    public enum Subject: Hashable, Sendable {
        case machine
        case pedometer(Pedometer.ID)
        case user(User.ID)
        case destination(String)
    }

    public enum Content: Hashable, Sendable, Codable {
        /// Distinct nights with failed attempts and none that succeeded; the last one's failure in words.
        case nightsFailed(nights: Int, reason: String)
        /// Not in range since it was last read completely; nil if it never was.
        case notSeen(lastRead: Timestamp?)
        /// Per cent.
        case batteryLow(percent: Int)
        /// Days that the last sync requested and did not receive completely.
        case daysMissing([DayGap])
        /// A sync noticed it: the clock was off, or steps are lost or in doubt.
        case noticed(SyncNotice)
        case shareRejected(user: String, day: Day, reason: String)
        /// It was not sent, because its steps are not plausible.
        case shareWithheld(user: String, day: Day)
        /// It may have arrived, and only the user can find out.
        case shareInDoubt(user: String, day: Day, reason: String)
        /// Nothing is sent there until the user acts.
        case destinationStopped(reason: String)
        /// Days that could not be sent, the first of them since `Notice.since`; the last failure in words.
        case shareWaiting(days: Int, reason: String?)
        case goalReached(day: Day, steps: Int, goal: Int)
    }

    public var subject: Subject
    /// The subject's name; empty for the machine. While the notice stands, it changes with that of a pedometer.
    public var name: String
    /// The user that it concerns; nil if it concerns all users of the machine.
    public var user: User.ID?
    /// When it began.
    public var since: Timestamp
    public var content: Content

    public init(_ subject: Subject, name: String = "", user: User.ID? = nil, since: Timestamp, _ content: Content) {
        self.subject = subject
        self.name = name
        self.user = user
        self.since = since
        self.content = content
    }
}

extension Notice {
    /// Distinguishes notices for programs.
    public enum Kind: String, Sendable, CaseIterable {
        case nightsFailed, notSeen, batteryLow, daysMissing, clockWasOff, stepsLost, stepsInDoubt, shareRejected,
            shareInDoubt,
            destinationStopped, shareWaiting
        case goalReached
    }

    public var kind: Kind {
        switch content {
        case .nightsFailed: .nightsFailed
        case .notSeen: .notSeen
        case .batteryLow: .batteryLow
        case .daysMissing: .daysMissing
        case .noticed(.clockWasOff): .clockWasOff
        case .noticed(.stepsInDoubt): .stepsInDoubt
        case .noticed: .stepsLost
        case .shareRejected, .shareWithheld: .shareRejected
        case .shareInDoubt: .shareInDoubt
        case .destinationStopped: .destinationStopped
        case .shareWaiting: .shareWaiting
        case .goalReached: .goalReached
        }
    }

    /// A state lasts until its cause ends, even after it was seen; an event ends once it was seen.
    public var isState: Bool {
        switch kind {
        case .nightsFailed, .notSeen, .batteryLow, .daysMissing, .destinationStopped, .shareWaiting: true
        case .clockWasOff, .stepsLost, .stepsInDoubt, .shareRejected, .shareInDoubt, .goalReached: false
        }
    }

    /// Whether it is found again for as long as it holds: if it is not found, it has ended.
    var endsWithCause: Bool { isState || kind == .shareRejected || kind == .shareInDoubt }

    /// Seconds after which an event expires, whether it was shown or not.
    public var lifetime: Int { kind == .goalReached ? 3 * 86_400 : 30 * 86_400 }

    /// Seconds after which an event of this key may happen again once it is over; nil for one that happens once.
    var repeatsAfter: Int? {
        switch kind {
        // Another program may set the clock wrong every day: one report a week is enough.
        case .clockWasOff: 7 * 86_400
        // The same for a pedometer whose steps are in doubt at every sync.
        case .stepsInDoubt: 7 * 86_400
        default: nil
        }
    }

    /// Equal for the same thing: kind and subject, and for an event what identifies it.
    public var key: String {
        let prefix = "\(kind.rawValue) \(subject)"
        switch content {
        case .nightsFailed, .notSeen, .batteryLow, .daysMissing, .destinationStopped, .shareWaiting: return prefix
        case .noticed(.lost(let first, let last)): return "\(prefix) \(first) \(last)"
        case .noticed(.dayNotClosed(let day)): return "\(prefix) \(day)"
        case .noticed(.tooOld(let days)): return "\(prefix) \(days.map(\.description).joined(separator: " "))"
        // These may be so at every sync; `repeatsAfter` decides when they are reported again.
        case .noticed(.clockWasOff), .noticed(.stepsInDoubt): return prefix
        case .noticed: return "\(prefix) \(since.seconds)"
        // A day that was changed and rejected again is reported again.
        case .shareRejected(let user, let day, _), .shareWithheld(let user, let day):
            return "\(prefix) \(day) \(user) \(since.seconds)"
        case .shareInDoubt(let user, let day, _): return "\(prefix) \(day) \(user)"
        case .goalReached(let day, _, _): return "\(prefix) \(day)"
        }
    }
}

extension Notice.Subject: CustomStringConvertible {
    public var description: String {
        switch self {
        case .machine: "machine"
        case .pedometer(let id): "pedometer:\(id)"
        case .user(let id): "user:\(id)"
        case .destination(let name): "destination:\(name)"
        }
    }

    /// Parses a `description`.
    public init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        switch (parts[0], parts.count > 1 ? parts[1] : nil) {
        case ("machine", nil): self = .machine
        case ("destination", let name?): self = .destination(name)
        case ("pedometer", let text?):
            guard let id = Pedometer.ID(text) else { return nil }
            self = .pedometer(id)
        case ("user", let text?):
            guard let id = User.ID(text) else { return nil }
            self = .user(id)
        default: return nil
        }
    }
}
