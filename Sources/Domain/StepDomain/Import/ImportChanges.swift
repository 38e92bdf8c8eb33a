/// What an import, or taking one back, changes in the days of its user.
public struct ImportChanges: Hashable, Sendable {
    /// A pedometer or another source that has steps on the same days.
    public struct Overlap: Hashable, Sendable {
        public var name: String
        public var days: Int

        public init(name: String, days: Int) {
            self.name = name
            self.days = days
        }
    }

    /// A source of which an earlier import reaches further: of the time that both have, that one counts.
    public struct Superseded: Hashable, Sendable {
        /// Its name in the history.
        public var source: String
        public var by: ImportRecord.ID
        /// Days of which the file says otherwise, and is not believed.
        public var days: Int

        public init(source: String, by: ImportRecord.ID, days: Int) {
            self.source = source
            self.by = by
            self.days = days
        }
    }

    /// The number of the import; nil if it was not stored.
    public var id: ImportRecord.ID?
    /// The import that has said all of this already; nil if none has.
    public var sameAs: ImportRecord.ID?
    /// Whether the same pedometers and sources have said all of it here themselves: a copy or an export of this
    /// history, or of another one that has read the same pedometers.
    public var isOwn = false
    /// An import that has one of these sources in another time zone; nil if there is none.
    public var otherZone: ImportRecord.ID?
    /// By day.
    public var days: [DayChange]
    /// Days of the file that the user has deleted here: they are left out.
    public var deletedDays = 0
    public var overlaps: [Overlap]
    public var superseded: [Superseded] = []
    /// Days that the user of another history has corrected. Of an import that is taken back, `taken` are those that do
    /// not hold any more.
    public var corrections = DecisionCounts()
    /// The same of blocks of time that do not count.
    public var exclusions = DecisionCounts()
    /// Whether the file has nothing but corrections and blocks that hold here already, or that do not count here.
    public var isOfKnownDecisions = false
    /// Destinations that have, or may have, days of which nothing is known any more.
    public var shared: [DeletionLosses.Shared] = []
    /// The names of the sources in the history, in the order of the tracks.
    public var sources: [String]

    public init(
        id: ImportRecord.ID? = nil, sameAs: ImportRecord.ID? = nil, otherZone: ImportRecord.ID? = nil,
        days: [DayChange] = [],
        overlaps: [Overlap] = [], sources: [String] = []
    ) {
        self.id = id
        self.sameAs = sameAs
        self.otherZone = otherZone
        self.days = days
        self.overlaps = overlaps
        self.sources = sources
    }

    /// Whether there is nothing to store.
    public var isNothingNew: Bool { sameAs != nil || isOwn || isOfDeletedDays || isOfKnownDecisions }

    /// Whether the file has only days that were deleted here.
    public var isOfDeletedDays: Bool { deletedDays > 0 && id == nil && days.isEmpty && sources.isEmpty }

    /// Days of which nothing was known before.
    public var newDays: [DayChange] { days.filter { $0.before == nil } }
    /// Days that had other steps.
    public var correctedDays: [DayChange] { days.filter { $0.before != nil } }
}
