internal import StepDomain
internal import Testing

private let sunday = LedgerFixture.sunday
private let monday = sunday.advanced(by: 1)
private let tuesday = sunday.advanced(by: 2)

extension LedgerContract {
    /// What becomes due by itself, and what by request.
    static let enqueueing: [LedgerContract] = [
        LedgerContract("changed days become pending entries, due at once, the oldest first") { fixture in
            try fixture.correct(700, on: tuesday)
            try fixture.walk(5000, on: monday)
            try fixture.walk(4000, on: sunday)
            try fixture.enqueueChanges()
            let due = try fixture.due()
            #expect(due.map(\.day) == [sunday, monday, tuesday])
            for entry in due {
                #expect(entry.user == fixture.user.id)
                #expect(entry.destination == LedgerFixture.destination)
                #expect(entry.state == .pending)
                #expect(!entry.isRequested)
                #expect(entry.attempts == 0)
                #expect(entry.nextAttempt == LedgerFixture.now)
                #expect(
                    entry.fingerprint == nil && entry.confirmed == nil && entry.remoteID == nil
                        && entry.lastError == nil)
            }
        },
        LedgerContract("a sent day is not due again, and the same steps are no change") { fixture in
            let batch = SampleBatch(
                samples: [StepSample(start: LedgerFixture.now, length: 60, steps: 50, utcOffset: 0)],
                coverage: [TimeSpan(LedgerFixture.now, LedgerFixture.now + 3600)])
            try fixture.merge(batch)
            try fixture.correct(700, on: monday)
            try fixture.enqueueChanges()
            try fixture.drain()
            try fixture.merge(batch)
            try fixture.correct(700, on: monday)
            try fixture.enqueueChanges()
            #expect(try fixture.due().isEmpty)
            #expect(try fixture.entries(.sent).count == 2)
        },
        LedgerContract("a sent day that gets more steps is due again, and its state stays") { fixture in
            for day in [sunday, monday] { try fixture.walk(4000, on: day) }
            try fixture.enqueueChanges()
            try fixture.drain()
            try fixture.walk(4500, on: sunday)
            try fixture.enqueueChanges()
            let due = try fixture.due()
            #expect(due.map(\.day) == [sunday])
            #expect(due.map(\.state) == [.sent])
        },
        LedgerContract(
            "days that a destination has or may have are due again when all of them have to be written again"
        ) { fixture in
            let wednesday = tuesday.advanced(by: 1)
            for day in [sunday, monday, tuesday, wednesday] { try fixture.walk(4000, on: day) }
            try fixture.enqueueChanges()
            let states: [Day: ShareEntry.State] = [
                sunday: .sent, monday: .unknown, tuesday: .rejected, wednesday: .sending,
            ]
            try fixture.store.record(
                try fixture.due().map { entry in
                    var entry = entry
                    entry.state = states[entry.day] ?? .pending
                    entry.fingerprint = "of \(entry.day)"
                    if entry.day == sunday { entry.confirmed = "before" }
                    entry.nextAttempt = nil
                    return entry
                })
            try fixture.enqueueChanges(for: "other")
            try fixture.settle(try fixture.due(for: "other"))
            try fixture.store.enqueueSent(to: LedgerFixture.destination, at: LedgerFixture.now)
            #expect(try fixture.due(for: "other").isEmpty)
            let due = try fixture.due()
            #expect(due.map(\.day) == [sunday, monday])
            #expect(due.map(\.confirmed) == ["before", "of 2014-04-21"])
            let sending = try fixture.store.entry(for: LedgerFixture.destination, of: fixture.user.id, on: wednesday)
            #expect(sending?.confirmed == "of 2014-04-23" && sending?.nextAttempt == LedgerFixture.now)
            #expect(try fixture.entries(.rejected).first?.confirmed == nil)
        },
        LedgerContract("hours without steps are a change, too") { fixture in
            let midnight = Timestamp(sunday.daysSince1970 * 86_400)
            try fixture.merge(SampleBatch(coverage: [TimeSpan(midnight, midnight + 3600)]))
            try fixture.enqueueChanges()
            #expect(try fixture.due().map(\.day) == [sunday])
            try fixture.drain()
            try fixture.merge(SampleBatch(coverage: [TimeSpan(midnight, midnight + 86_400 + 1)]))
            try fixture.enqueueChanges()
            #expect(try fixture.due().map(\.day) == [sunday, monday])
        },
        LedgerContract("steps and hours belong to the local day of the place where they were counted") { fixture in
            // 23:30 in Greenwich is already the next day at an offset of one hour.
            let late = Timestamp(sunday.daysSince1970 * 86_400 + 23 * 3600 + 1800)
            try fixture.merge(SampleBatch(samples: [StepSample(start: late, length: 60, steps: 9, utcOffset: 3600)]))
            try fixture.merge(SampleBatch(coverage: [TimeSpan(late + 86_400, late + 86_400 + 60)]), at: 3600)
            try fixture.enqueueChanges()
            #expect(try fixture.due().map(\.day) == [monday, tuesday])
        },
        LedgerContract("implausible samples are no change") { fixture in
            try fixture.walk(900_000, on: sunday)
            try fixture.enqueueChanges()
            #expect(try fixture.due().isEmpty)
        },
        LedgerContract("a removed correction makes a sent day due again, and makes no entry of any other day") {
            fixture in
            try fixture.correct(700, on: sunday)
            try fixture.enqueueChanges()
            try fixture.drain()
            try fixture.correct(nil, on: sunday)
            try fixture.correct(800, on: monday)
            try fixture.correct(nil, on: monday)
            try fixture.enqueueChanges()
            #expect(try fixture.due().map(\.day) == [sunday])
        },
        LedgerContract("a day can be requested whether it has steps or not") { fixture in
            try fixture.enqueue(monday, sunday, monday)
            let due = try fixture.due()
            #expect(due.map(\.day) == [sunday, monday])
            for entry in due { #expect(entry.isRequested && entry.state == .pending) }
            try fixture.enqueue()
            try fixture.settle(due)
            #expect(try fixture.due().isEmpty)
        },
        LedgerContract("a day that has an entry keeps its state when it is requested") { fixture in
            try fixture.enqueue(sunday)
            var entry = try #require(try fixture.due().first)
            entry.state = .rejected
            entry.isRequested = false
            entry.nextAttempt = nil
            entry.lastError = "no such day"
            try fixture.store.record([entry])
            #expect(try fixture.due().isEmpty)
            try fixture.enqueue(sunday, at: LedgerFixture.now + 60)
            let due = try fixture.due(at: LedgerFixture.now + 60)
            #expect(due.map(\.state) == [.rejected])
            #expect(due.map(\.isRequested) == [true])
            #expect(due.map(\.lastError) == ["no such day"])
        },
        LedgerContract("an entry that was enqueued meanwhile is not removed, unless the user drops it") { fixture in
            try fixture.enqueue(sunday)
            let entry = try #require(try fixture.due().first)
            try fixture.enqueue(sunday)
            try fixture.store.remove(entry, evenIfEnqueued: false)
            #expect(try fixture.due().map(\.day) == [sunday])
            try fixture.store.remove(entry, evenIfEnqueued: false)
            #expect(try fixture.entries().isEmpty)
            try fixture.enqueue(sunday)
            try fixture.enqueue(sunday)
            try fixture.store.remove(entry, evenIfEnqueued: true)
            #expect(try fixture.entries().isEmpty)
        },
        LedgerContract("a removed entry does not return until its day changes or is requested") { fixture in
            for day in [sunday, monday] { try fixture.walk(4000, on: day) }
            try fixture.enqueueChanges()
            for entry in try fixture.due() { try fixture.store.remove(entry, evenIfEnqueued: true) }
            #expect(try fixture.entries().isEmpty)
            try fixture.enqueueChanges()
            #expect(try fixture.due().isEmpty)
            try fixture.walk(4500, on: sunday)
            try fixture.enqueueChanges()
            try fixture.enqueue(monday)
            let due = try fixture.due()
            #expect(due.map(\.day) == [sunday, monday])
            #expect(due.map(\.isRequested) == [false, true])
            for entry in due { #expect(entry.state == .pending) }
        },
    ]
}
