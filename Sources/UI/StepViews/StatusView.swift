public import StepDomain
public import StepServices

/// The overall state: what is new since the user last looked, every user's day so far, every pedometer's last sync and
/// battery.
public struct StatusView: View {
    let people: [StatusReport.Person]
    let models: ModelTitles
    let notices: [StoredNotice]
    let backlogs: [StatusReport.Backlog]
    let isHousehold: Bool
    let database: String
    let now: Timestamp
    let localTime: LocalTime
    let imports: [ScheduledImportStatus]

    /// - Parameters:
    ///   - models: the titles of the pedometers' models.
    ///   - imports: those of the configuration.
    ///   - notices: those that have not ended.
    ///   - backlogs: days that wait for destinations that have failed.
    ///   - isHousehold: whether the history has several people, regardless of which of them are shown.
    ///   - database: where the history is.
    public init(
        _ people: [StatusReport.Person], models: ModelTitles, notices: [StoredNotice] = [],
        backlogs: [StatusReport.Backlog] = [], isHousehold: Bool = false,
        database: String,
        now: Timestamp,
        localTime: LocalTime, imports: [ScheduledImportStatus] = []
    ) {
        self.imports = imports
        self.people = people
        self.models = models
        self.notices = notices.filter(\.isNew) + notices.filter { !$0.isNew }
        self.backlogs = backlogs
        self.isHousehold = isHousehold
        self.database = database
        self.now = now
        self.localTime = localTime
    }

    func day(_ person: StatusReport.Person) -> DayView {
        DayView(person.today, today: localTime.day(of: now), now: now, localTime: localTime)
    }

    public func lines(_ style: TextStyle) -> [String] {
        var page = TextPage(style)
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
            if person.pedometers.isEmpty, let first = person.firstDay {
                page.paragraph("no pedometer; days are known since \(first)", indent: 2, hanging: 4)
            } else if person.pedometers.isEmpty {
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

    private func show(_ stored: StoredNotice, on page: inout TextPage) {
        let words = words(stored.notice)
        page.paragraph(
            (stored.isNew ? "New: " : "") + words.headline, emphasis: stored.notice.isGood ? .good : .doubtful,
            hanging: 2)
        page.advice(words.advice, indent: 2)
    }

    private func show(_ status: ScheduledImportStatus, on page: inout TextPage) {
        let words = "Import \(status.plan.name): \(ScheduledImportWords.condition(status, localTime))"
        page.paragraph(
            Printable(words, limit: 600).description, emphasis: status.severity == .warning ? .doubtful : nil,
            hanging: 2)
        if let advice = ScheduledImportWords.advice(status) { page.advice(advice, indent: 2) }
    }

    private func show(_ backlog: StatusReport.Backlog, on page: inout TextPage) {
        // A notice that names the destination has the reason.
        let isNoticed = notices.contains { $0.notice.subject == .destination(backlog.destination) }
        let reason = isNoticed ? "" : backlog.reason.map { ": " + Printable($0, limit: 300).description } ?? ""
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

    private func show(_ device: StatusReport.Device, on page: inout TextPage) {
        let history = SyncHistory(syncs: device.recent.syncs)
        let battery = history.battery.map { ", battery \($0) %" } ?? ""
        page.paragraph(
            "\(Printable(device.pedometer.name, limit: 32)): \(history.state(now: now, localTime))\(battery)",
            indent: 2, hanging: 4)
        if device.recent.syncs.isEmpty { page.advice("\(command: "istep sync")", indent: 4) }
        if let ahead = device.recent.ahead {
            page.paragraph(Words.clockWasAhead(until: ahead, localTime), emphasis: .doubtful, indent: 4, hanging: 4)
        }
        if let attempts = history.attemptsSince(now: now) {
            page.paragraph(attempts, emphasis: .doubtful, indent: 4, hanging: 4)
        }
    }
}

/// `istep status --json`.
extension StatusView: Described {
    public static let keys: [JSONKey<StatusView>] = [
        .version,
        .init("database", .text, "Path of the history.") { $0.database },
        .list("imports", "The imports of the configuration.") { view in
            view.imports.map { ImportEntry(status: $0, localTime: view.localTime) }
        },
        .list("notices", "New ones first.") { view in
            view.notices.map { NoticeDocument(stored: $0, words: view.words($0.notice), localTime: view.localTime) }
        },
        .list("backlogs", "Days that wait for destinations that have failed.") { $0.backlogs },
        .list("users", "Every user, or the one of --user.") { view in
            view.people.map { PersonEntry(person: $0, view: view) }
        },
    ]
}

private struct PersonEntry: Described {
    let person: StatusReport.Person, view: StatusView

    static let keys: [JSONKey<PersonEntry>] = [
        .init("today", .document("show"), "Today.") { $0.view.day($0.person).document },
        .list("pedometers", "The user's pedometers.") { entry in
            entry.person.pedometers.map { DeviceEntry(device: $0, view: entry.view) }
        },
    ]
}

private struct DeviceEntry: Described {
    let device: StatusReport.Device, view: StatusView

    private var history: SyncHistory { SyncHistory(syncs: device.recent.syncs) }

    static let keys: [JSONKey<DeviceEntry>] = [
        .init(.chosenName) { $0.device.pedometer.name },
        .init(.address) { $0.device.pedometer.address },
        .init(.model) { $0.device.pedometer.model },
        .init(.modelTitle) { $0.view.models.title($0.device.pedometer.model) },
        .init(.battery) { $0.history.battery },
        .optional("lastComplete", "The last sync that was complete.") { entry in
            entry.history.lastComplete.map { SyncDocument(record: $0, localTime: entry.view.localTime) }
        },
        .optional("lastSync", "The last sync, complete or not.") { entry in
            entry.device.recent.syncs.first.map { SyncDocument(record: $0, localTime: entry.view.localTime) }
        },
        .init(
            "failuresSince", .integer,
            "Number of failed syncs since the last complete one; interrupted ones do not count."
        ) { $0.device.recent.syncs.failures(at: $0.view.now).count },
    ]
}

extension StatusReport.Backlog: Described {
    public static let keys: [JSONKey<Self>] = [
        .init(.destination) { $0.destination },
        .init("days", .integer, "Number of days that wait.") { $0.days },
        .init("oldest", .day, "The oldest of them.") { $0.oldest.description },
        .init("reason", .nullable(.text), "Why the last delivery failed.") { $0.reason },
    ]
}

/// An import of the configuration.
private struct ImportEntry: Described {
    let status: ScheduledImportStatus, localTime: LocalTime

    private var condition: String {
        switch status.condition {
        case .fine: "fine"
        case .never: "never"
        case .overdue: "overdue"
        case .failed: "failed"
        }
    }

    static let keys: [JSONKey<ImportEntry>] = [
        .init(.configuredName) { $0.status.plan.name },
        .init(.path) { $0.status.plan.path },
        .init("condition", .choice(["fine", "never", "overdue", "failed"]), "Whether it is read.") { $0.condition },
        .init("file", .nullable(.text), "The file that was read last.") { $0.status.state?.file?.path },
        .init("lastRead", .nullable(.time), "When a file that had changed was read last.") { entry in
            entry.status.state?.readAt.map { Words.iso($0, entry.localTime) }
        },
        .init("failure", .nullable(.text), "Why the last try failed.") { $0.status.state?.failure },
        .init("damaged", .list(.text), "Newer files of the folder that cannot be read.") { $0.status.damaged },
    ]
}

extension JSONDocument {
    public static let status = JSONDocument(
        "status", "Notices, and for each user today's steps and the pedometers.",
        StatusView.self)
}
