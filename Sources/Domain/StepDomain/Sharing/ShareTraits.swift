/// How a destination behaves, as far as this affects when and how often something is sent to it.
public struct ShareTraits: Hashable, Sendable {
    /// What the destination does with a day that is sent twice.
    public enum Resending: Hashable, Sendable {
        /// The later one replaces the earlier: sending again does no harm.
        case replaces
        /// It stores the day twice. This includes servers that recognise an idempotency key: many ignore the key, and
        /// those that honour it do so for a while, and not while the first request is still being processed.
        case repeats
    }

    public var resending: Resending
    /// Whether figures that were sent can be corrected later.
    public var corrects: Bool
    /// Whether `find` can determine what happened to an attempt without an answer.
    public var canFind: Bool
    /// Whether a day is sent while it is in progress or may lack steps, to be corrected later. Otherwise it waits for
    /// its end, and a while longer if it is not complete.
    public var acceptsUnfinishedDays: Bool
    /// Days that fit into one delivery, at least 1; more than 1 only if sending again replaces.
    public var batch: Int
    /// Whether it is given the samples besides the day's figures.
    public var includesSamples: Bool
    /// Whether it is also given what a history has besides the samples that count, such as coverage
    /// (`SharedDay.Track.Evidence`).
    public var includesEvidence = false
    /// Whether it is also given the user's profiles, plans and pedometers.
    public var includesPerson = false
    /// Whether it shows only one day of a person, the last that was sent: then no day is sent after a later one.
    public var showsLatestOnly: Bool
    /// Whether it belongs to one person (an account, a profile), and does not distinguish whose days it receives.
    public var isPersonal: Bool
    /// Whether a delivery reads what an earlier one wrote, or may do so, as a user's program does: no two are in
    /// progress at the same time.
    public var isSequential: Bool
    /// Whether it can lose the latest day when it restarts: each share then ends with `restore`.
    public var needsRestoring: Bool
    /// Whether samples that were sent stay there when the day is sent without them.
    public var keepsSamples = false
    /// Whether a day that was deleted is removed there, instead of getting 0 steps.
    public var removesDeleted = false
    /// Version of the form in which days are written, 0 or more. When it grows, every day that the destination has is
    /// sent once more.
    public var layout: Int

    public init(
        resending: Resending, corrects: Bool, canFind: Bool = false, acceptsUnfinishedDays: Bool, batch: Int = 1,
        includesSamples: Bool = false, showsLatestOnly: Bool = false, isPersonal: Bool = false,
        isSequential: Bool = false, needsRestoring: Bool = false, layout: Int = 0
    ) {
        self.resending = resending
        self.corrects = corrects
        self.canFind = canFind
        self.acceptsUnfinishedDays = acceptsUnfinishedDays
        self.batch = batch
        self.includesSamples = includesSamples
        self.showsLatestOnly = showsLatestOnly
        self.isPersonal = isPersonal
        self.isSequential = isSequential
        self.needsRestoring = needsRestoring
        self.layout = layout
    }

    /// Whether a day that was deleted is sent to it, so that it has 0 steps in place of those that it has, or nothing.
    public var takesDeletions: Bool { resending == .replaces && corrects }

    /// Fingerprint of what is sent for a day: of its figures, and from layout 1 on also of the layout.
    package func fingerprint(of day: SharedDay) -> String {
        layout == 0 ? day.fingerprint : "\(day.fingerprint)-\(layout)"
    }

    /// For most destinations: a day has one place at the destination, and a new value replaces the old one.
    public static let replacing = ShareTraits(resending: .replaces, corrects: true, acceptsUnfinishedDays: true)
}
