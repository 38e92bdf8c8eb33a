package import StepDomain
internal import StepViews

/// What all pages are made with: whose, when, and where their links lead.
package struct PageContext: Sendable {
    /// Who reads the pages, and where.
    package enum Audience: Hashable, Sendable {
        /// On the local page, with links and forms. The key has to be in every form that changes something.
        case local(formKey: String)
        /// On pages for others, with links and without forms: nothing can be changed there.
        case guest
        /// In a self-contained file.
        case file
    }

    package var user: User
    /// All users of the history.
    package var users: [User]
    /// Whether addresses and forms name the user: another one is shown where they do not.
    var isUserNamed: Bool
    package var today: Day
    package var now: Timestamp
    package var localTime: LocalTime
    package var weekStart: Weekday
    package var units: UnitSystem
    package var audience: Audience
    /// What all commands on the pages need to be about the same history.
    var historyOptions = CommandOptions()
    /// What the header shows of the user's pedometers; nil where it shows nothing.
    var sync: SyncState?

    /// When the user's pedometers were last synced, and what of them needs attention.
    struct SyncState: Hashable, Sendable {
        /// The end of the latest complete sync; nil if there was none.
        var last: Timestamp?
        /// Whether the latest attempt of any pedometer has failed.
        var isLate: Bool
        /// Per cent; the lowest.
        var battery: Int?
        /// A sync or a share runs now.
        var isBusy: Bool
    }

    package init(
        user: User, users: [User], now: Timestamp, localTime: LocalTime, weekStart: Weekday = .monday,
        units: UnitSystem = .metric, audience: Audience
    ) {
        self.user = user
        self.users = users
        isUserNamed = users.count > 1
        self.now = now
        self.localTime = localTime
        self.weekStart = weekStart
        self.units = units
        self.audience = audience
        today = localTime.day(of: now)
    }

    /// What commands need to be about the same user as the page.
    var commandOptions: CommandOptions {
        var options = historyOptions
        if isUserNamed { options.user = user.name }
        return options
    }

    /// A command that the reader can run.
    func command(_ line: String) -> Markup {
        Element.code { ShellCommand(line).with(commandOptions).text() }
    }

    /// The text of a command's result on a page.
    var textStyle: TextStyle {
        var style = TextStyle(width: 80, commands: commandOptions)
        style.units = units
        return style
    }

    var isLocal: Bool { audience != .file }

    /// Whether the reader may change something, and see what is of the machine and its services.
    var isOwner: Bool { if case .local = audience { true } else { false } }

    /// Whether the reader is another person, who sees the figures of days and nothing else.
    var isGuest: Bool { audience == .guest }

    /// Added to every address where there are several people.
    var userQuery: [(String, String)] { isUserNamed ? [("user", user.name)] : [] }

    /// Nil in a file.
    func link(_ parts: String..., query: [(String, String)] = []) -> Link? {
        isLocal ? Link(parts, query: query + userQuery) : nil
    }

    /// The day's page, or its row in a file.
    func link(to day: Day) -> Link { link("day", "\(day)") ?? Link(fragment: "day-\(day)") }

    /// The page of a period of the calendar; nil in a file.
    func link(to period: Period) -> Link? {
        let (path, query) = period.address
        return isLocal ? Link(path, query: query + userQuery) : nil
    }

    /// A form that changes something, with the key that shows that one of these pages sent it.
    func form(_ parts: String..., style: String? = nil, @MarkupBuilder content: () -> Markup) -> Markup {
        guard case .local(let formKey) = audience else { return .nothing }
        return Element.form(Attribute(.method, "post"), .action(Link(parts)), style.map { .css($0) }) {
            Element.hidden("key", formKey)
            // Also of the only user: another one may be added while the page is open.
            if isUserNamed || !user.isNew { Element.hidden("user", user.name) }
            content()
        }
    }

    // MARK: Days and moments, in the one form of pages

    func date(_ day: Day) -> String { DateForm.short.day(day, today: today) }
    func days(_ first: Day, _ last: Day) -> String { DateForm.short.days(first, last, today: today) }
    func clock(_ moment: Timestamp) -> String { DateForm.short.clock(moment, localTime, today: today) }
    func ago(_ moment: Timestamp) -> String { DateForm.ago(moment, now: now, localTime) }

    /// A name that came from a user, a pedometer or a server: cut, and without influence on the direction of the text
    /// around it.
    static func name(_ text: String, limit: Int = 64) -> Markup {
        Element.bdi { Printable(text, limit: limit).description }
    }
}

extension Period {
    /// Of its page, without the user.
    var address: (path: [String], query: [(String, String)]) {
        let first = "\(days.lowerBound)"
        switch unit {
        case .day: return (["day", first], [])
        case .week: return (["week", first], [])
        case .month: return (["month", String(first.prefix(7))], [])
        case .year: return (["year", String(first.prefix(4))], [])
        case nil: return (["range"], [("from", first), ("to", "\(days.upperBound)")])
        }
    }
}
