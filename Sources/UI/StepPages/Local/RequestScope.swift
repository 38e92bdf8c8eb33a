internal import StepDomain
internal import StepServices
internal import StepViews

/// The options or the configuration name a user whom the history does not have.
struct UnknownStandardUser: Error {
    var name: String
    /// Those of the history.
    var users: [User]
}

/// A request, with the history as it is now and the user that it is for.
struct RequestScope: Sendable {
    let history: History
    let services: ServiceContext
    private(set) var context: PageContext

    /// - Parameters:
    ///   - isBusy: whether a sync, a share or a search runs.
    ///   - only: the name of the only user whose days are shown; nil for all.
    /// - Throws: the history's error; `PageError` for a person who is not in it; `UnknownStandardUser`.
    init(
        _ request: PageRequest, _ audience: PageContext.Audience, _ services: PageServices, isBusy: Bool,
        only: String? = nil
    ) throws {
        do {
            history = try services.histories.history()
        } catch  where services.histories.isMissing(error) && Self.beginsHistory(request) {
            try services.create()
            history = try services.histories.history()
        }
        let users = try history.users().filter { only == nil || $0.name.lowercased() == only?.lowercased() }
        let wanted = request.query["user"] ?? request.form["user"] ?? only
        let user: User
        var isUserNamed = users.count > 1
        if let wanted {
            guard let found = users.named(wanted) else {
                throw PageError(message: "There is no user '\(Printable(wanted, limit: 64))' in this history.")
            }
            user = found
            if !isUserNamed, only == nil {
                isUserNamed = (try? Self.standardUser(users, services.people(history), audience)) == nil
            }
        } else {
            user = try Self.standardUser(users, services.people(history), audience)
        }
        let preferences = services.preferences()
        self.services = services.services(history)
        context = PageContext(
            user: user, users: users, now: services.now(), localTime: services.localTime,
            weekStart: preferences.weekStart, units: preferences.units, audience: audience)
        context.isUserNamed = isUserNamed
        context.historyOptions = services.commandOptions
        if context.isOwner { context.sync = try Self.state(of: user, history, context.now, isBusy: isBusy) }
    }

    /// The user of a request that names none.
    ///
    /// - Throws: `UnknownStandardUser`; the history's error.
    private static func standardUser(_ users: [User], _ people: UserSelection, _ audience: PageContext.Audience) throws
        -> User
    {
        do {
            return try people.user(creating: .first)
        } catch ServiceError.severalUsers where !users.isEmpty {
            // The logged-in user is not in this history: the page offers a choice.
            return users[0]
        } catch ServiceError.unknownUser(let name, _) where !users.isEmpty {
            // Guests cannot correct it, and need not know what is configured.
            if audience == .guest { return users[0] }
            throw UnknownStandardUser(name: name, users: users)
        }
    }

    /// Whether it may be the first step of a new user, for which `istep add`, `plan`, `profile` and `correct` create a
    /// history, too.
    private static func beginsHistory(_ request: PageRequest) -> Bool {
        let first = [["devices", "scan"], ["devices", "add"], ["plan"], ["profile"], ["correction"]]
        return request.method == "POST" && first.contains(request.path)
    }

    /// What the header shows of the user's pedometers; of a user without one, nothing but a run.
    private static func state(of user: User, _ history: History, _ now: Timestamp, isBusy: Bool) throws -> PageContext
        .SyncState?
    {
        let pedometers = try history.pedometers(of: user.id)
        if pedometers.isEmpty {
            return isBusy ? PageContext.SyncState(last: nil, isLate: false, battery: nil, isBusy: true) : nil
        }
        let syncs = try pedometers.map { try history.recentSyncs(of: $0.id, at: now).syncs }
        let last = syncs.compactMap { $0.first { $0.outcome == .complete } }.map { $0.end ?? $0.start }.max()
        return PageContext.SyncState(
            last: last, isLate: syncs.contains { !$0.failures(at: now).isEmpty },
            battery: syncs.compactMap { SyncHistory(syncs: $0).battery }.min(),
            isBusy: isBusy)
    }

    private var statistics: StepStatistics {
        StepStatistics(history, localTime: context.localTime, now: { [now = context.now] in now })
    }

    func figures() throws -> DaySeries { try statistics.figures(of: context.user) { _, _ in } }

    /// - Throws: the history's error.
    func summary(of day: Day) throws -> (view: DayView, data: DayData) {
        let data = try statistics.data(of: context.user, on: day)
        var summary = DaySummary(data, localTime: context.localTime, now: context.now)
        if context.isGuest { summary.withholdPrivate() }
        return (DayView(summary, today: context.today, now: context.now, localTime: context.localTime), data)
    }

    var newNotices: [StoredNotice] {
        get throws { context.isOwner ? try notices.filter(\.isNew) : [] }
    }

    /// The notices of the user, and those that concern all users.
    var notices: [StoredNotice] {
        get throws { try history.standingNotices(concerning: context.user) }
    }
}
