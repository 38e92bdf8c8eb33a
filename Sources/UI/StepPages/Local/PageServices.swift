package import StepDomain
package import StepServices

/// What the local page works with: ports, the time, and the words of the program for its errors. The wiring makes it.
package struct PageServices: Sendable {
    package var histories: any HistorySource
    package var services: @Sendable (History) -> ServiceContext
    /// Finds the user that the options or the configuration name, or who is logged in.
    package var people: @Sendable (History) -> UserSelection
    package var localTime: LocalTime
    package var now: @Sendable () -> Timestamp
    package var weekStart: Weekday
    /// The title of a pedometer's model, by its key.
    package var modelTitle: @Sendable (String) -> String
    /// An error in a sentence or two: what failed, and what to do.
    package var words: @Sendable (any Error) -> String
    /// What to do about an error; nil where there is nothing.
    package var advice: @Sendable (any Error) -> String?
    package var access: any PageAccess
    package init(
        histories: any HistorySource, services: @escaping @Sendable (History) -> ServiceContext,
        people: @escaping @Sendable (History) -> UserSelection, localTime: LocalTime, now: @escaping @Sendable () -> Timestamp,
        weekStart: Weekday = .monday, modelTitle: @escaping @Sendable (String) -> String, words: @escaping @Sendable (any Error) -> String,
        advice: @escaping @Sendable (any Error) -> String?, access: any PageAccess
    ) {
        self.histories = histories
        self.services = services
        self.people = people
        self.localTime = localTime
        self.now = now
        self.weekStart = weekStart
        self.modelTitle = modelTitle
        self.words = words
        self.advice = advice
        self.access = access
    }
}
