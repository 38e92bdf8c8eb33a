internal import StepDomain
internal import StepServices
internal import StepViews

/// The fields of a query or a form: each with its first value.
package struct FormFields: Hashable, Sendable {
    private var values: [String: String] = [:]

    init() {}

    /// Reads `a=1&b=2` as browsers write it (application/x-www-form-urlencoded).
    ///
    /// - Returns: nil for text that is no UTF-8, or has more fields than any of the forms.
    package init?(_ text: some StringProtocol) {
        let pairs = text.split(separator: "&", omittingEmptySubsequences: true)
        guard pairs.count <= 64 else { return nil }
        for pair in pairs {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decoded(parts[0], isForm: true),
                let value = Self.decoded(parts.count > 1 ? parts[1] : "", isForm: true)
            else {
                return nil
            }
            if values[name] == nil { values[name] = value }
        }
    }

    /// The value without blanks at its ends; nil if the field is missing or empty.
    subscript(name: String) -> String? {
        guard var trimmed = values[name]?[...] else { return nil }
        while trimmed.first == " " { trimmed.removeFirst() }
        while trimmed.last == " " { trimmed.removeLast() }
        return trimmed.isEmpty ? nil : String(trimmed)
    }

    /// - Returns: nil for a percent sign without two digits, and for bytes that are not UTF-8.
    static func decoded(_ text: some StringProtocol, isForm: Bool) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                // `UInt8(_:radix:)` alone would accept a sign.
                let digits = rest.prefix(2)
                guard digits.count == 2, digits.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
                    let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
                else { return nil }
                rest.removeFirst(2)
                bytes.append(value)
            case UInt8(ascii: "+") where isForm: bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

/// A request for a page.
package struct PageRequest: Hashable, Sendable {
    /// In capitals.
    package var method: String
    /// Between the slashes, decoded; empty for the root.
    package var path: [String]
    package var query: FormFields
    package var form: FormFields
    /// Names in lower case.
    package var headers: [String: String]

    /// - Parameters:
    ///   - target: path and query as they were sent.
    ///   - headers: with names in lower case.
    /// - Returns: nil for what no browser sends for these pages.
    package init?(method: String, target: String, headers: [String: String], body: [UInt8] = []) {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, first.hasPrefix("/") else { return nil }
        var path: [String] = []
        for part in first.split(separator: "/", omittingEmptySubsequences: true) {
            guard let decoded = FormFields.decoded(part, isForm: false) else { return nil }
            path.append(decoded)
        }
        guard let query = FormFields(parts.count > 1 ? parts[1] : "") else { return nil }
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        form = FormFields()
        guard method == "POST" else { return }
        guard let text = String(validating: body, as: UTF8.self), let form = FormFields(text) else { return nil }
        self.form = form
    }

    /// The cookie of this name.
    func cookie(_ name: String) -> String? {
        for part in (headers["cookie"] ?? "").split(separator: ";") {
            let pair = part.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
            if pair.count == 2, pair[0] == name { return String(pair[1]) }
        }
        return nil
    }
}

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
            guard let found = users.first(where: { $0.name.lowercased() == wanted.lowercased() }) else {
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
        context.commandOptions = services.commandOptions
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
