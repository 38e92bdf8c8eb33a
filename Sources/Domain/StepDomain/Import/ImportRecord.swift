/// An import that was made: what came from where and when.
public struct ImportRecord: Hashable, Sendable, Identifiable {
    public typealias ID = Int64
    public let id: ID
    public var user: User.ID
    public var at: Timestamp
    /// The absolute path of the file or folder.
    public var path: String
    /// Key of the format.
    public var format: String
    public var digest: String
    /// The names of its sources in the history.
    public var sources: [String]
    /// Days and steps that it has, of all sources.
    public var days: Int
    public var steps: Int
    /// Nil if it has none.
    public var firstDay: Day?
    public var lastDay: Day?
    /// Days whose steps were different after it.
    public var changedDays: Int
    /// Corrected days and blocks of excluded time of another history that it has brought.
    public var corrections: Int
    public var exclusions: Int

    public init(
        id: ID, user: User.ID, at: Timestamp, path: String, format: String, digest: String, sources: [String],
        days: Int, steps: Int, firstDay: Day?, lastDay: Day?, changedDays: Int, corrections: Int = 0,
        exclusions: Int = 0
    ) {
        self.id = id
        self.user = user
        self.at = at
        self.path = path
        self.format = format
        self.digest = digest
        self.sources = sources
        self.days = days
        self.steps = steps
        self.firstDay = firstDay
        self.lastDay = lastDay
        self.changedDays = changedDays
        (self.corrections, self.exclusions) = (corrections, exclusions)
    }
}
