public import StepDomain

/// How things stand: what is new since somebody looked, every user's day so far, every pedometer's last sync and battery.
public struct StatusView: View {
    public struct Device: Sendable {
        public var pedometer: Pedometer
        /// The model's title, for people.
        public var model: String
        /// The last ones, newest first.
        public var syncs: [SyncRecord]

        public init(pedometer: Pedometer, model: String, syncs: [SyncRecord]) {
            self.pedometer = pedometer
            self.model = model
            self.syncs = syncs
        }
    }

    public struct Person: Sendable {
        public var today: DaySummary
        public var pedometers: [Device]

        public init(today: DaySummary, pedometers: [Device]) {
            self.today = today
            self.pedometers = pedometers
        }
    }

    let people: [Person]
    let notices: [KeptNotice]
    let isHousehold: Bool
    let database: String
    let now: Timestamp
    let localTime: LocalTime

    /// - Parameters:
    ///   - notices: those that stand.
    ///   - isHousehold: whether the history has several people, whoever of them are shown.
    ///   - database: where the history is.
    public init(
        _ people: [Person], notices: [KeptNotice] = [], isHousehold: Bool = false, database: String, now: Timestamp,
        localTime: LocalTime
    ) {
        self.people = people
        self.notices = notices.filter(\.isNew) + notices.filter { !$0.isNew }
        self.isHousehold = isHousehold
        self.database = database
        self.now = now
        self.localTime = localTime
    }

    func day(_ person: Person) -> DayView {
        DayView(person.today, today: localTime.day(of: now), now: now, localTime: localTime)
    }

    public func lines(_ style: TextStyle) -> [String] {
        var page = Page(style)
        for kept in notices { show(kept, on: &page) }
        if people.isEmpty { page.line("Nobody yet. Find a pedometer: istep scan, then istep add ADDRESS.") }
        for person in people {
            page.line(InkedText(Printable(person.today.user.name, limit: 32).description, .strong) + ": " + steps(day(person)))
            if person.pedometers.isEmpty { page.line("  no pedometer: istep scan, then istep add ADDRESS") }
            for device in person.pedometers { show(device, on: &page) }
        }
        page.path("History:", database, ink: .faint)
        return page.lines
    }

    func words(_ notice: Notice) -> NoticeWords {
        NoticeWords(notice, isHousehold: isHousehold, now: now, localTime: localTime)
    }

    private func show(_ kept: KeptNotice, on page: inout Page) {
        let words = words(kept.notice)
        page.paragraph(
            (kept.isNew ? "New: " : "") + words.headline, ink: kept.notice.isGood ? .good : .doubtful, hanging: 2)
        if !words.detail.isEmpty { page.paragraph(words.detail, indent: 2, hanging: 2) }
    }

    private func steps(_ day: DayView) -> InkedText {
        if let error = day.errors.first {
            return InkedText("today's figures do not hold: \(error.attribute.rawValue): \(error.message)", .bad)
        }
        guard let steps = day.summary.steps else { return InkedText("nothing known of today yet", .doubtful) }
        let goal = day.summary.goal.flatMap { goal in
            day.summary.percentage.map { ", \(Int($0.rounded(.down))) % of \(Words.grouped(goal))" }
        }
        return InkedText("\(Words.count(steps, "step")) today\(goal ?? (day.summary.isRestDay ? ", a rest day" : ""))")
    }

    private func show(_ device: Device, on page: inout Page) {
        let history = SyncHistory(syncs: device.syncs)
        var parts: [String] = []
        if let last = history.lastComplete {
            let moment = last.end ?? last.start
            parts.append("synced \(Words.ago(moment, now: now)), \(Words.clock(moment, localTime))")
        } else {
            parts.append(device.syncs.isEmpty ? "never synced: istep sync" : "no sync has succeeded lately")
        }
        if let battery = history.battery { parts.append("battery \(battery) %") }
        page.paragraph("\(Printable(device.pedometer.name, limit: 32)): \(parts.joined(separator: ", "))", indent: 2, hanging: 4)
        guard let latest = history.failures.first else { return }
        let count = history.failures.count
        let tries = count == 1 ? "the last try" : "\(count) tries since, the last"
        page.paragraph("\(tries) \(latest.trouble(now: now))", ink: .doubtful, indent: 4, hanging: 4)
    }
}

extension StatusView {
    /// `istep status --json`.
    public struct Document: Codable, Sendable {
        public struct Device: Codable, Sendable {
            public var name: String
            public var address: String
            public var model: String
            public var modelTitle: String
            /// Per cent, as it last told.
            @Nullable public var battery: Int?
            @Nullable public var lastComplete: SyncDocument?
            /// Complete or not.
            @Nullable public var lastSync: SyncDocument?
            /// Tries since the last complete sync that did not succeed.
            public var failuresSince: Int
        }

        public struct Person: Codable, Sendable {
            /// As `istep show --json` tells it.
            public var today: DayView.Document
            public var pedometers: [Device]
        }

        public var version = 1
        public var database: String
        /// New ones first.
        public var notices: [NoticeDocument]
        public var users: [Person]
    }

    public var document: Document {
        Document(database: database, notices: notices.map { NoticeDocument($0, words($0.notice), localTime) }, users: people.map { person in
            Document.Person(today: day(person).document, pedometers: person.pedometers.map { device in
                let history = SyncHistory(syncs: device.syncs)
                return Document.Device(
                    name: device.pedometer.name, address: device.pedometer.address, model: device.pedometer.model,
                    modelTitle: device.model, battery: history.battery,
                    lastComplete: history.lastComplete.map { SyncDocument($0, localTime) },
                    lastSync: device.syncs.first.map { SyncDocument($0, localTime) },
                    failuresSince: history.failures.count)
            })
        })
    }
}
