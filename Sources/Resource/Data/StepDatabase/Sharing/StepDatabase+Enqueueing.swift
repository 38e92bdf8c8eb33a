import GRDB
public import StepDomain

extension StepDatabase {
    public func enqueueChanges(
        of user: User.ID, for destination: String, since: Day, at now: Timestamp
    ) throws(HistoryError) {
        let since = since.inCalendar
        try write { database in
            try require(.user, user, database)
            let outbox = Outbox(of: user, for: destination, at: now, database)
            let seen = try outbox.watermark()
            let latest = try Outbox.Watermark(since: since, revision: outbox.latestRevision())
            if seen == latest { return }

            let before = seen ?? Outbox.Watermark(since: since, revision: 0)
            try outbox.freshen(after: before.revision)
            try outbox.add(after: before.revision, from: max(since, before.since), through: .last)
            // The watermark passed these without a look, for they were before the first day that was wanted.
            if since < before.since { try outbox.add(after: 0, from: since, through: before.since.advanced(by: -1)) }
            try outbox.move(to: latest)
        }
    }

    public func enqueue(
        _ days: [Day], of user: User.ID, for destination: String, at now: Timestamp
    ) throws(HistoryError) {
        if days.isEmpty { return }
        try write { database in
            try require(.user, user, database)
            let outbox = Outbox(of: user, for: destination, at: now, database)
            for day in days { try outbox.ask(for: day) }
        }
    }
}
