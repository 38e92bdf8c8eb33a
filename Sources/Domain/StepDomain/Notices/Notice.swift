/// Something that a run in the night has to say in the morning.
///
/// Two notices with the same `key` are the same thing, told anew: the later takes the place of the earlier.
public struct Notice: Hashable, Sendable {
    /// What it is about.
    public enum Subject: Hashable, Sendable {
        case machine
        case pedometer(Pedometer.ID)
        case user(User.ID)
        case destination(String)
    }

    public enum Content: Hashable, Sendable, Codable {
        /// Distinct nights with failed tries and none that succeeded; the last one's failure in words.
        case nightsFailed(nights: Int, reason: String)
        /// Not in range since it was last read completely; nil where it never was.
        case notSeen(lastRead: Timestamp?)
        /// Per cent.
        case batteryLow(percent: Int)
        /// A sync noticed it: the clock was off, or steps are lost.
        case noticed(SyncNotice)
        case shareRejected(user: String, day: Day, reason: String)
        /// It may have arrived, and only the user can tell.
        case shareInDoubt(user: String, day: Day, reason: String)
        /// Nothing is sent there until the user acts.
        case destinationStopped(reason: String)
        /// Days that could not be sent, the first of them since `Notice.since`; the last failure in words.
        case shareWaiting(days: Int, reason: String?)
        case goalReached(day: Day, steps: Int, goal: Int)
    }

    public var subject: Subject
    /// The subject's name, as it was when this was noticed; empty for the machine.
    public var name: String
    /// Whose concern it is; nil for that of everybody on the machine.
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
    /// What programs tell notices apart by.
    public enum Kind: String, Sendable, CaseIterable {
        case nightsFailed, notSeen, batteryLow, clockWasOff, stepsLost, shareRejected, shareInDoubt, destinationStopped, shareWaiting
        case goalReached
    }

    public var kind: Kind {
        switch content {
        case .nightsFailed: .nightsFailed
        case .notSeen: .notSeen
        case .batteryLow: .batteryLow
        case .noticed(.clockWasOff): .clockWasOff
        case .noticed: .stepsLost
        case .shareRejected: .shareRejected
        case .shareInDoubt: .shareInDoubt
        case .destinationStopped: .destinationStopped
        case .shareWaiting: .shareWaiting
        case .goalReached: .goalReached
        }
    }

    /// A state lasts until its cause ends, whoever has heard of it; an event is over once somebody has.
    public var isState: Bool {
        switch kind {
        case .nightsFailed, .notSeen, .batteryLow, .destinationStopped, .shareWaiting: true
        case .clockWasOff, .stepsLost, .shareRejected, .shareInDoubt, .goalReached: false
        }
    }

    /// Whether it is found again for as long as it holds: when it is not, it has ended.
    var endsWithCause: Bool { isState || kind == .shareRejected || kind == .shareInDoubt }

    /// Seconds after which an event is no news any more, told or not.
    public var lifetime: Int { kind == .goalReached ? 3 * 86_400 : 30 * 86_400 }

    /// Seconds after which an event of this key may happen again once it is over; nil for one that happens once.
    var repeatsAfter: Int? {
        switch kind {
        // Another program may set it wrong every day: once a week is enough to hear of it.
        case .clockWasOff: 7 * 86_400
        default: nil
        }
    }

    /// The same for the same thing: kind and subject, and for an event which one it is.
    public var key: String {
        let thing = "\(kind.rawValue) \(subject)"
        switch content {
        case .nightsFailed, .notSeen, .batteryLow, .destinationStopped, .shareWaiting: return thing
        case .noticed(.lost(let first, let last)): return "\(thing) \(first) \(last)"
        case .noticed(.dayNotClosed(let day)): return "\(thing) \(day)"
        // It may be wrong every day; `repeatsAfter` tells when that is news again.
        case .noticed(.clockWasOff): return thing
        case .noticed: return "\(thing) \(since.seconds)"
        // A day that was changed and rejected again is news again.
        case .shareRejected(let user, let day, _): return "\(thing) \(day) \(user) \(since.seconds)"
        case .shareInDoubt(let user, let day, _): return "\(thing) \(day) \(user)"
        case .goalReached(let day, _, _): return "\(thing) \(day)"
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

    /// From its description.
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
