public import StepDomain

/// The ledger's days by destination: those that wait or failed with the reason and the next step, and on request those
/// that were sent.
public struct OutboxView: View {
    let entries: [ShareEntry]
    let states: [DestinationState]
    let users: [User]
    let now: Timestamp
    let localTime: LocalTime
    private let marked: Int?

    /// What the line of a marked entry begins with.
    static let mark = "> "

    /// - Parameters:
    ///   - states: of the destinations that the entries are for.
    ///   - marked: index of an entry that is marked; nil for none.
    public init(
        _ entries: [ShareEntry], states: [DestinationState], users: [User], now: Timestamp, localTime: LocalTime,
        marked: Int? = nil
    ) {
        self.marked = marked
        self.entries = entries
        self.states = states
        self.users = users
        self.now = now
        self.localTime = localTime
    }

    public func lines(_ style: TextStyle) -> [String] {
        var page = TextPage(style)
        if entries.isEmpty { page.row("The outbox is empty.") }
        var last: String?
        for (index, entry) in entries.enumerated() {
            if entry.destination != last { head(entry.destination, on: &page) }
            last = entry.destination
            show(entry, isMarked: index == marked, on: &page)
        }
        return page.lines
    }

    private func head(_ destination: String, on page: inout TextPage) {
        let name = Printable(destination, limit: 32).description
        page.row(StyledText(name, .strong))
        guard let state = states.first(where: { $0.name == destination }) else { return }
        if let stopped = state.stopped {
            page.paragraph("\(Words.paused): \(Printable(stopped, limit: 300))", emphasis: .bad, indent: 2, hanging: 4)
            return page.advice(.renewCredentials(of: destination), indent: 2)
        }
        let here = entries.filter { $0.destination == destination }
        // A day that may have arrived is tried again without the user as long as it has a next attempt.
        let hasDue = here.contains {
            $0.state == .pending || $0.isChanged || ($0.state == .unknown && $0.nextAttempt != nil)
        }
        if hasDue, let moment = state.nextAttempt(after: now) {
            let reason = state.lastError.map { ": \(Printable($0, limit: 300))" } ?? ""
            page.paragraph(
                "next attempt after \(Words.clock(moment, localTime)), since the last one failed\(reason)",
                emphasis: .doubtful, indent: 2,
                hanging: 4
            )
            page.advice("To try now: \(command: "istep outbox retry", destination)", indent: 2)
        } else if hasDue {
            page.advice(
                "The next sync sends what is due. To send it now: \(command: "istep outbox send", destination)",
                indent: 2)
        }
        for owner in Set(here.filter(\.isWithheld).map(\.user)).sorted() {
            let user = users.count > 1 ? users.first { $0.id == owner }?.name : nil
            let days = users.count > 1 ? "Withheld days of \(Printable(user ?? "?", limit: 32))" : "Withheld days"
            page.paragraph("\(days) have more steps than anyone takes in a day.", indent: 2, hanging: 4)
            page.advice(.withheld(at: destination).with(CommandOptions(user: user)), indent: 2)
        }
        if here.contains(where: { $0.state == .rejected && !$0.isWithheld }) {
            page.advice(
                """
                Rejected days are not sent again automatically. When the cause is fixed: \(command: "istep outbox retry", destination). \
                To drop a day: \(command: "istep outbox drop", destination, "DAY")
                """, indent: 2)
        }
    }

    private func show(_ entry: ShareEntry, isMarked: Bool, on page: inout TextPage) {
        let user =
            users.count > 1
            ? "  " + (users.first { $0.id == entry.user }.map { Printable($0.name, limit: 24).description } ?? "") : ""
        let words = EntryWords.state(
            entry, at: states.first { $0.name == entry.destination }, now: now, localTime: localTime)
        page.wrap(
            StyledText("\(isMarked ? Self.mark : "  ")\(entry.day)\(user)  ") + StyledText(words, emphasis(entry)),
            hanging: 4)
        if let error = entry.lastError, entry.state != .sent {
            page.paragraph(Printable(error, limit: 300).description, emphasis: .faint, indent: 4, hanging: 4)
        }
    }

    private func emphasis(_ entry: ShareEntry) -> StyledText.Emphasis? {
        switch entry.state {
        case .pending, .sending: nil
        case .sent: entry.isChanged ? nil : .good
        case .rejected: .bad
        case .unknown: .doubtful
        }
    }
}

/// The state of an entry of the outbox in words.
package enum EntryWords {
    /// - Parameters:
    ///   - destination: the state of its destination; nil if that does not matter.
    ///   - form: how moments are written.
    package static func state(
        _ entry: ShareEntry, at destination: DestinationState?, now: Timestamp, localTime: LocalTime,
        form: DateForm = .iso
    ) -> String {
        func clock(_ moment: Timestamp) -> String { form.clock(moment, localTime, today: localTime.day(of: now)) }
        let tries =
            entry.attempts == 0 ? "" : "; tried \(entry.attempts == 1 ? "once" : Words.count(entry.attempts, "time"))"
        switch entry.state {
        case .pending:
            if let moment = entry.nextAttempt, moment > now { return "waits until \(clock(moment))\(tries)" }
            // Such a day was tried in vain: the destination has its earlier figures.
            let change = entry.isConfirmed ? "changed since it was sent; " : ""
            return change + (wait(for: destination, now) ?? "to be sent") + tries
        case .sending: return "being sent, or istep was interrupted while sending"
        case .sent where entry.isChanged:
            return "changed since it was sent \(clock(entry.changedAt))"
                + (wait(for: destination, now).map { "; \($0)" } ?? "")
        case .sent: return "sent \(clock(entry.changedAt))"
        case .rejected: return entry.isWithheld ? "withheld" : "rejected\(tries)"
        case .unknown where entry.isWithheld: return "withheld; an earlier delivery may have arrived"
        case .unknown:
            return entry.nextAttempt == nil
                ? "may have arrived: check there, then retry or drop it" : "may have arrived\(tries)"
        }
    }

    /// Nil if the destination may be sent something now.
    static func wait(for destination: DestinationState?, _ now: Timestamp) -> String? {
        guard let destination, destination.isHeldBack(at: now) else { return nil }
        return destination.stopped != nil ? "paused until you retry" : "waits for the next attempt"
    }
}

/// `istep outbox --json`.
extension OutboxView: Described {
    public static let keys: [JSONKey<OutboxView>] = [
        .version,
        .list("destinations", "The destinations that the entries are for.") { view in
            view.states.map { DestinationRecord(state: $0, now: view.now, localTime: view.localTime) }
        },
        .list("entries", "A day of a user for a destination.") { view in
            view.entries.map { entry in
                EntryRecord(
                    entry: entry, user: view.users.first { $0.id == entry.user }?.name ?? "", localTime: view.localTime)
            }
        },
    ]
}

private struct EntryRecord: Described {
    let entry: ShareEntry, user: String, localTime: LocalTime

    static let keys: [JSONKey<EntryRecord>] = [
        .init(.destination) { $0.entry.destination },
        .init(.owner) { $0.user },
        .init("day", .day, "The day.") { $0.entry.day.description },
        .init("state", .choice(ShareEntry.State.self), "State of its delivery; unknown: it may have arrived.") {
            $0.entry.state.rawValue
        },
        .init("changed", .boolean, "Whether a sent day has changed since: the next share sends it again.") {
            $0.entry.isChanged
        },
        .init("attempts", .integer, "Number of attempts to send it.") { $0.entry.attempts },
        .init("nextAttempt", .nullable(.time), "Null where it waits for the user, or nothing is to be done.") {
            record in record.entry.nextAttempt.map { Words.iso($0, record.localTime) }
        },
        .init("lastError", .nullable(.text), "Why the last attempt failed.") { $0.entry.lastError },
        .init("remoteID", .nullable(.text), "Its identifier at the destination.") { $0.entry.remoteID },
        .init("changedAt", .time, "When the state changed.") { Words.iso($0.entry.changedAt, $0.localTime) },
    ]
}

private struct DestinationRecord: Described {
    let state: DestinationState, now: Timestamp, localTime: LocalTime

    static let keys: [JSONKey<DestinationRecord>] = [
        .init(.configuredName) { $0.state.name },
        .init(.stopped) { $0.state.stopped },
        .init(.nextAttempt) { record in
            record.state.nextAttempt(after: record.now).map { Words.iso($0, record.localTime) }
        },
        .init("lastError", .nullable(.text), "Why the last delivery failed.") { $0.state.lastError },
        .init("failures", .integer, "Number of failures in a row.") { $0.state.failures },
    ]
}

extension JSONDocument {
    public static let outbox = JSONDocument(
        "outbox", "Days of the outbox: those that wait, those that were dropped, or those that were just put into it.",
        OutboxView.self)
}
