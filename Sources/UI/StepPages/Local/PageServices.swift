package import PageExchange
package import StepDomain
package import StepServices
package import StepViews

/// What the local page works with: ports and the time. The wiring makes it.
package struct PageServices: Sendable {
    package var histories: any HistorySource
    package var services: @Sendable (History) -> ServiceContext
    /// Finds the user that the options or the configuration name, or who is logged in.
    package var people: @Sendable (History) -> UserSelection
    package var localTime: LocalTime
    package var now: @Sendable () -> Timestamp
    /// How the user wants to see days, as the configuration and the locale say.
    package struct Preferences: Sendable {
        var weekStart: Weekday
        var units: UnitSystem

        package init(weekStart: Weekday = .monday, units: UnitSystem = .metric) {
            self.weekStart = weekStart
            self.units = units
        }
    }

    package var preferences: @Sendable () -> Preferences
    /// The title of a pedometer's model, by its key.
    package var modelTitle: @Sendable (String) -> String
    package var access: any PageAccess
    /// Creates the history, where there is none.
    package var create: @Sendable () throws -> Void
    package var scanner: @Sendable () -> any PedometerScanner
    package var catalog: any PedometerCatalog
    /// Seconds to search for pedometers; nil for the standard.
    package var searchTime: Double?
    /// For pages that others may look at; nil for the user's own.
    package var guest: GuestAccess?
    /// What commands on the pages need to be about the same history.
    package var commandOptions: CommandOptions

    package init(
        histories: any HistorySource, services: @escaping @Sendable (History) -> ServiceContext,
        people: @escaping @Sendable (History) -> UserSelection, localTime: LocalTime,
        now: @escaping @Sendable () -> Timestamp,
        preferences: @escaping @Sendable () -> Preferences = { Preferences() },
        modelTitle: @escaping @Sendable (String) -> String,
        access: any PageAccess,
        create: @escaping @Sendable () throws -> Void, scanner: @escaping @Sendable () -> any PedometerScanner,
        catalog: any PedometerCatalog, searchTime: Double? = nil, guest: GuestAccess? = nil,
        commandOptions: CommandOptions = CommandOptions()
    ) {
        self.histories = histories
        self.services = services
        self.people = people
        self.localTime = localTime
        self.now = now
        self.preferences = preferences
        self.modelTitle = modelTitle
        self.access = access
        self.create = create
        self.scanner = scanner
        self.catalog = catalog
        self.searchTime = searchTime
        self.guest = guest
        self.commandOptions = commandOptions
    }
}
