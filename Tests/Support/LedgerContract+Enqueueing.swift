internal import StepDomain
internal import Testing

private let sunday = LedgerStage.sunday
private let monday = sunday.advanced(by: 1)
private let tuesday = sunday.advanced(by: 2)

extension LedgerContract {
    /// What becomes due by itself, and what by request.
    static let enqueueing: [LedgerContract] = [
        LedgerContract("days that changed become pending entries, due at once, the oldest first") { stage in
            try stage.correct(700, on: tuesday)
            try stage.walk(5000, on: monday)
            try stage.walk(4000, on: sunday)
            try stage.enqueueChanges()
            let due = try stage.due()
            #expect(due.map(\.day) == [sunday, monday, tuesday])
            for entry in due {
                #expect(entry.user == stage.user.id)
                #expect(entry.destination == LedgerStage.destination)
                #expect(entry.state == .pending)
                #expect(!entry.isAsked)
                #expect(entry.attempts == 0)
                #expect(entry.nextAttempt == LedgerStage.now)
                #expect(entry.fingerprint == nil && entry.confirmed == nil && entry.remoteID == nil && entry.lastError == nil)
            }
        },
        LedgerContract("what was sent is due no more, and the same steps again are no change") { stage in
            let batch = SampleBatch(
                samples: [StepSample(start: LedgerStage.now, length: 60, steps: 50, utcOffset: 0)],
                coverage: [TimeSpan(LedgerStage.now, LedgerStage.now + 3600)])
            try stage.merge(batch)
            try stage.correct(700, on: monday)
            try stage.enqueueChanges()
            try stage.drain()
            try stage.merge(batch)
            try stage.correct(700, on: monday)
            try stage.enqueueChanges()
            #expect(try stage.due().isEmpty)
            #expect(try stage.entries(.sent).count == 2)
        },
        LedgerContract("a day that grows late is due again, in the state that it has") { stage in
            for day in [sunday, monday] { try stage.walk(4000, on: day) }
            try stage.enqueueChanges()
            try stage.drain()
            try stage.walk(4500, on: sunday)
            try stage.enqueueChanges()
            let due = try stage.due()
            #expect(due.map(\.day) == [sunday])
            #expect(due.map(\.state) == [.sent])
        },
        LedgerContract("days that a destination has or may have are due again where they are to be written anew") { stage in
            let wednesday = tuesday.advanced(by: 1)
            for day in [sunday, monday, tuesday, wednesday] { try stage.walk(4000, on: day) }
            try stage.enqueueChanges()
            let states: [Day: ShareEntry.State] = [sunday: .sent, monday: .unknown, tuesday: .rejected, wednesday: .sending]
            try stage.store.record(
                try stage.due().map { entry in
                    var entry = entry
                    entry.state = states[entry.day] ?? .pending
                    entry.fingerprint = "of \(entry.day)"
                    if entry.day == sunday { entry.confirmed = "before" }
                    entry.nextAttempt = nil
                    return entry
                })
            try stage.enqueueChanges(for: "other")
            try stage.settle(try stage.due(for: "other"))
            try stage.store.enqueueSent(to: LedgerStage.destination, at: LedgerStage.now)
            #expect(try stage.due(for: "other").isEmpty)
            let due = try stage.due()
            #expect(due.map(\.day) == [sunday, monday])
            #expect(due.map(\.confirmed) == ["before", "of 2014-04-21"])
            let sending = try stage.store.entry(for: LedgerStage.destination, of: stage.user.id, on: wednesday)
            #expect(sending?.confirmed == "of 2014-04-23" && sending?.nextAttempt == LedgerStage.now)
            #expect(try stage.entries(.rejected).first?.confirmed == nil)
        },
        LedgerContract("hours without steps are news too") { stage in
            let midnight = Timestamp(sunday.daysSince1970 * 86_400)
            try stage.merge(SampleBatch(coverage: [TimeSpan(midnight, midnight + 3600)]))
            try stage.enqueueChanges()
            #expect(try stage.due().map(\.day) == [sunday])
            try stage.drain()
            try stage.merge(SampleBatch(coverage: [TimeSpan(midnight, midnight + 86_400 + 1)]))
            try stage.enqueueChanges()
            #expect(try stage.due().map(\.day) == [sunday, monday])
        },
        LedgerContract("steps and hours belong to the day of the place where they were made") { stage in
            // 23:30 in Greenwich is already the next day at an offset of one hour.
            let late = Timestamp(sunday.daysSince1970 * 86_400 + 23 * 3600 + 1800)
            try stage.merge(SampleBatch(samples: [StepSample(start: late, length: 60, steps: 9, utcOffset: 3600)]))
            try stage.merge(SampleBatch(coverage: [TimeSpan(late + 86_400, late + 86_400 + 60)]), at: 3600)
            try stage.enqueueChanges()
            #expect(try stage.due().map(\.day) == [monday, tuesday])
        },
        LedgerContract("what is kept apart as implausible is no news") { stage in
            try stage.walk(900_000, on: sunday)
            try stage.enqueueChanges()
            #expect(try stage.due().isEmpty)
        },
        LedgerContract("a correction that is taken back is news where the day was enqueued, and no entry where it was not") { stage in
            try stage.correct(700, on: sunday)
            try stage.enqueueChanges()
            try stage.drain()
            try stage.correct(nil, on: sunday)
            try stage.correct(800, on: monday)
            try stage.correct(nil, on: monday)
            try stage.enqueueChanges()
            #expect(try stage.due().map(\.day) == [sunday])
        },
        LedgerContract("a day is asked for by name, whatever is known of it") { stage in
            try stage.enqueue(monday, sunday, monday)
            let due = try stage.due()
            #expect(due.map(\.day) == [sunday, monday])
            for entry in due { #expect(entry.isAsked && entry.state == .pending) }
            try stage.enqueue()
            try stage.settle(due)
            #expect(try stage.due().isEmpty)
        },
        LedgerContract("a day that has an entry keeps its state when it is asked for") { stage in
            try stage.enqueue(sunday)
            var entry = try #require(try stage.due().first)
            entry.state = .rejected
            entry.isAsked = false
            entry.nextAttempt = nil
            entry.lastError = "no such day"
            try stage.store.record([entry])
            #expect(try stage.due().isEmpty)
            try stage.enqueue(sunday, at: LedgerStage.now + 60)
            let due = try stage.due(at: LedgerStage.now + 60)
            #expect(due.map(\.state) == [.rejected])
            #expect(due.map(\.isAsked) == [true])
            #expect(due.map(\.lastError) == ["no such day"])
        },
        LedgerContract("a removed entry stays away until its day changes or is asked for") { stage in
            for day in [sunday, monday] { try stage.walk(4000, on: day) }
            try stage.enqueueChanges()
            for entry in try stage.due() { try stage.store.remove(entry) }
            #expect(try stage.entries().isEmpty)
            try stage.enqueueChanges()
            #expect(try stage.due().isEmpty)
            try stage.walk(4500, on: sunday)
            try stage.enqueueChanges()
            try stage.enqueue(monday)
            let due = try stage.due()
            #expect(due.map(\.day) == [sunday, monday])
            #expect(due.map(\.isAsked) == [false, true])
            for entry in due { #expect(entry.state == .pending) }
        },
    ]
}
