public import StepDomain
public import StepServices

/// The overall state: what is new since the user last looked, every user's day so far, every pedometer's last sync and
/// battery.
public struct StatusView: View {
    public struct Device: Sendable {
        public var pedometer: Pedometer
        /// The model's title, for people.
        public var model: String
        public var recent: RecentSyncs

        var syncs: [SyncRecord] { recent.syncs }

        public init(pedometer: Pedometer, model: String, recent: RecentSyncs) {
            self.pedometer = pedometer
            self.model = model
            self.recent = recent
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
    let notices: [StoredNotice]
    let backlogs: [StatusReport.Backlog]
    let isHousehold: Bool
    let database: String
    let now: Timestamp
    let localTime: LocalTime
    let unknownZone: String?
    let imports: [ScheduledImportStatus]

    /// - Parameters:
    ///   - imports: those of the configuration.
    ///   - notices: those that have not ended.
    ///   - backlogs: days that wait for destinations that have failed.
    ///   - isHousehold: whether the history has several people, regardless of which of them are shown.
    ///   - database: where the history is.
    ///   - unknownZone: the zone that the environment asks for and the machine does not have.
    public init(
        _ people: [Person], notices: [StoredNotice] = [], backlogs: [StatusReport.Backlog] = [],
        isHousehold: Bool = false, database: String,
        now: Timestamp,
        localTime: LocalTime, unknownZone: String? = nil, imports: [ScheduledImportStatus] = []
    ) {
        self.imports = imports
        self.people = people
        self.notices = notices.filter(\.isNew) + notices.filter { !$0.isNew }
        self.backlogs = backlogs
        self.isHousehold = isHousehold
        self.database = database
        self.now = now
        self.localTime = localTime
        self.unknownZone = unknownZone
    }

    func day(_ person: Person) -> DayView {
        DayView(person.today, today: localTime.day(of: now), now: now, localTime: localTime)
    }

    public func lines(_ style: TextStyle) -> [String] {
        var page = Page(style)
        if let unknownZone {
            let text = ErrorText(ServiceError.unknownZone(unknownZone))
            page.paragraph("\(text.message) Days are shown in UTC.", emphasis: .bad, hanging: 2)
            if let advice = text.advice { page.advice(Advice(markup: advice), indent: 2) }
        }
        for stored in notices { show(stored, on: &page) }
        if people.isEmpty { page.advice(.firstPedometer()) }
        for person in people {
            let day = day(person)
            page.wrap(
                StyledText(Printable(person.today.user.name, limit: 32).description, .strong) + ": " + steps(day),
                hanging: 2)
            if day.errors.isEmpty, let percentage = day.summary.percentage {
                page.row("  " + GoalBar(percentage: percentage, cells: min(60, style.width - 4)).text)
            }
            if person.pedometers.isEmpty {
                // Without the name, the pedometer would be added for the user who is logged in.
                page.advice(
                    .firstPedometer().with(CommandOptions(user: isHousehold ? person.today.user.name : nil)), indent: 2)
            }
            for device in person.pedometers { show(device, on: &page) }
        }
        for status in imports { show(status, on: &page) }
        for backlog in backlogs { show(backlog, on: &page) }
        page.path("History:", database, emphasis: .faint)
        return page.lines
    }

    func words(_ notice: Notice) -> NoticeWords {
        NoticeWords(notice, isHousehold: isHousehold, now: now, localTime: localTime)
    }

    private func show(_ stored: StoredNotice, on page: inout Page) {
        let words = words(stored.notice)
        page.paragraph(
            (stored.isNew ? "New: " : "") + words.headline, emphasis: stored.notice.isGood ? .good : .doubtful,
            hanging: 2)
        page.advice(words.advice, indent: 2)
    }

    private func show(_ status: ScheduledImportStatus, on page: inout Page) {
        let words = "Import \(status.plan.name): \(ScheduledImportWords.condition(status, localTime))"
        let isFine = status.condition == .fine || status.condition == .never
        page.paragraph(Printable(words, limit: 600).description, emphasis: isFine ? nil : .doubtful, hanging: 2)
        if let advice = ScheduledImportWords.advice(status) { page.advice(advice, indent: 2) }
    }

    private func show(_ backlog: StatusReport.Backlog, on page: inout Page) {
        let reason = backlog.reason.map { ": " + Printable($0, limit: 300).description } ?? ""
        page.paragraph(
            "\(backlog.destination): \(Words.count(backlog.days, "day")) \(backlog.days == 1 ? "waits" : "wait") to be shared, "
                + "the oldest is \(backlog.oldest)\(reason)", emphasis: .doubtful, hanging: 2)
        page.advice("\(command: "istep outbox list", backlog.destination)", indent: 2)
    }

    private func steps(_ day: DayView) -> StyledText {
        if let error = day.errors.first {
            return StyledText("today's figures are invalid: \(error.attribute.rawValue): \(error.message)", .bad)
        }
        guard let steps = day.summary.steps else { return StyledText("no data for today yet", .doubtful) }
        let goal = day.summary.goal.flatMap { goal in
            day.summary.percentage.map { ", \(Words.percent($0)) of \(Words.grouped(goal))" }
        }
        return StyledText("\(Words.count(steps, "step")) today\(goal ?? (day.summary.isRestDay ? ", a rest day" : ""))")
    }

    private func show(_ device: Device, on page: inout Page) {
        let history = SyncHistory(syncs: device.syncs)
        let battery = history.battery.map { ", battery \($0) %" } ?? ""
        page.paragraph(
            "\(Printable(device.pedometer.name, limit: 32)): \(history.state(now: now, localTime))\(battery)",
            indent: 2, hanging: 4)
        if device.syncs.isEmpty { page.advice("\(command: "istep sync")", indent: 4) }
        if let ahead = device.recent.ahead {
            page.paragraph(Words.clockWasAhead(until: ahead, localTime), emphasis: .doubtful, indent: 4, hanging: 4)
        }
        if let attempts = history.attemptsSince(now: now) {
            page.paragraph(attempts, emphasis: .doubtful, indent: 4, hanging: 4)
        }
    }
}

extension StatusView {
    /// `istep status --json`.
    public struct Document: JSONDocument {
        public struct Device: Codable, Sendable {
            public var name: String
            public var address: String
            public var model: String
            public var modelTitle: String
            /// Per cent, as it last reported.
            @Nullable public var battery: Int?
            @Nullable public var lastComplete: SyncDocument?
            /// Complete or not.
            @Nullable public var lastSync: SyncDocument?
            /// Failed attempts since the last complete sync.
            public var failuresSince: Int

            static let schema = JSONSchema.object([
                .init("name", .text, "The name that the user chose."),
                .init("address", .text, "Its Bluetooth address."),
                .init("model", .text, "Key of the model, such as colmi."),
                .init("modelTitle", .text, "The model in words."),
                .init("battery", .nullable(.integer), "Per cent, as it last reported."),
                .init("lastComplete", .nullable(SyncDocument.schema), "The last sync that was complete."),
                .init("lastSync", .nullable(SyncDocument.schema), "The last sync, complete or not."),
                .init(
                    "failuresSince", .integer,
                    "Number of failed syncs since the last complete one; interrupted ones do not count."),
            ])
        }

        public struct Person: Codable, Sendable {
            /// As `istep show --json` prints it.
            public var today: DayView.Document
            public var pedometers: [Device]

            static let schema = JSONSchema.object([
                .init("today", .document("show"), "Today."),
                .init("pedometers", .list(Device.schema), "The user's pedometers."),
            ])
        }

        public struct Backlog: Codable, Sendable {
            public var destination: String
            public var days: Int
            public var oldest: String
            @Nullable public var reason: String?

            static let schema = JSONSchema.object([
                .init("destination", .text, "Its name in the configuration."),
                .init("days", .integer, "Number of days that wait."),
                .init("oldest", .day, "The oldest of them."),
                .init("reason", .nullable(.text), "Why the last delivery failed."),
            ])
        }

        /// An import of the configuration.
        public struct Import: Codable, Sendable {
            public var name: String
            public var path: String
            /// `fine`, `never`, `overdue` or `failed`.
            public var condition: String
            @Nullable public var file: String?
            @Nullable public var lastRead: String?
            @Nullable public var failure: String?

            static let schema = JSONSchema.object([
                .init("name", .text, "Its name in the configuration."),
                .init("path", .text, "Of the file or folder."),
                .init("condition", .choice(["fine", "never", "overdue", "failed"]), "Whether it is read."),
                .init("file", .nullable(.text), "The file that was read last."),
                .init("lastRead", .nullable(.time), "When a file that had changed was read last."),
                .init("failure", .nullable(.text), "Why the last try failed."),
            ])

            init(_ status: ScheduledImportStatus, _ localTime: LocalTime) {
                (name, path) = (status.plan.name, status.plan.path)
                condition =
                    switch status.condition {
                    case .fine: "fine"
                    case .never: "never"
                    case .overdue: "overdue"
                    case .failed: "failed"
                    }
                _file = Nullable(wrappedValue: status.state?.file?.path)
                _lastRead = Nullable(wrappedValue: status.state?.readAt.map { Words.iso($0, localTime) })
                _failure = Nullable(wrappedValue: status.state?.failure)
            }
        }

        public var version = 1
        public var database: String
        public var imports: [Import]
        /// New ones first.
        public var notices: [NoticeDocument]
        public var backlogs: [Backlog]
        public var users: [Person]

        public static let schema = JSONSchema.object([
            .version, .init("database", .text, "Path of the history."),
            .init("imports", .list(Import.schema), "The imports of the configuration."),
            .init("notices", .list(NoticeDocument.schema), "New ones first."),
            .init("backlogs", .list(Backlog.schema), "Days that wait for destinations that have failed."),
            .init("users", .list(Person.schema), "Every user, or the one of --user."),
        ])
    }

    public var document: Document {
        Document(
            database: database, imports: imports.map { Document.Import($0, localTime) },
            notices: notices.map { NoticeDocument($0, words($0.notice), localTime) },
            backlogs: backlogs.map {
                Document.Backlog(
                    destination: $0.destination, days: $0.days, oldest: $0.oldest.description, reason: $0.reason)
            },
            users: people.map { person in
                Document.Person(
                    today: day(person).document,
                    pedometers: person.pedometers.map { device in
                        let history = SyncHistory(syncs: device.syncs)
                        return Document.Device(
                            name: device.pedometer.name, address: device.pedometer.address,
                            model: device.pedometer.model,
                            modelTitle: device.model, battery: history.battery,
                            lastComplete: history.lastComplete.map { SyncDocument($0, localTime) },
                            lastSync: device.syncs.first.map { SyncDocument($0, localTime) },
                            failuresSince: device.syncs.failures(at: now).count)
                    })
            })
    }
}
