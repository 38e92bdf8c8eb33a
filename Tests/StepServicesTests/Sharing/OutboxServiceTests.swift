import StepDomain
import StepServices
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct OutboxServiceTests {
    private let garden = ScriptedDestination(
        "Garden", ShareTraits(resending: .repeats, corrects: true, acceptsUnfinishedDays: true), terms: always)

    private func fixture() throws -> ServiceFixture {
        var fixture = ServiceFixture()
        fixture.destinations = [garden]
        fixture.otherNames = ["closed"]
        try fixture.outbox.walk(4000, on: april20)
        return fixture
    }

    private func drop(_ destination: String, _ day: Day? = nil, _ fixture: ServiceFixture) async throws -> [ShareEntry]
    {
        try await OutboxService(fixture.context).drop(.init(destination: destination, day: day)).entries
    }

    @Test func `a day is dropped by the destination's name in any case`() async throws {
        let fixture = try fixture()
        try await ShareService(fixture.context).enqueue(.days([april20], of: fixture.outbox.anna))
        #expect(try await drop("garden", april20, fixture).map(\.day) == [april20])
        #expect(fixture.outbox.entry(april20, garden) == nil)
        #expect(fixture.lock.log == [.sharing], "nothing is sent meanwhile")
    }

    /// Otherwise another process could send a day between the reading of its entry and the writing.
    @Test func `a retry and a drop read and change the ledger under one hold of the lock for sharing`() async throws {
        let fixture = try fixture()
        try await ShareService(fixture.context).enqueue(.days([april20], of: fixture.outbox.anna))
        let history = LockCheckingHistory(fixture.history, fixture.lock)
        var context = fixture.context
        context.history = history
        for (work, holds) in [("retry", 1), ("drop", 2)] {
            if work == "retry" {
                try await OutboxService(context).retry(.init(destination: "Garden"))
            } else {
                _ = try await OutboxService(context).drop(.init(destination: "Garden", day: april20))
            }
            let calls = history.takeCalls()
            let lastWrite = calls.lastIndex { $0.isWrite }
            let last = try #require(lastWrite, "\(work)")
            // After the last change, the ledger is read for the notices.
            let changing = calls[...last]
            let (areLocked, areWrites) = (changing.allSatisfy { $0.isLocked }, changing.allSatisfy { $0.isWrite })
            #expect(areLocked && !areWrites, "\(work): \(calls)")
            #expect(fixture.lock.log.count == holds)
        }
        #expect(fixture.outbox.entry(april20, garden) == nil)
    }

    @Test func `notices agree with the ledger after a share and after a drop`() async throws {
        let fixture = try fixture()
        garden.script(.fail(ShareFailure(.rejected, "422")))
        _ = try await ShareService(fixture.context).share(.due)
        #expect(fixture.history.standingNotices().map(\.notice.kind) == [.shareRejected])
        let areNew = fixture.history.standingNotices().allSatisfy { $0.isNew }
        #expect(areNew)
        _ = try await drop("Garden", april20, fixture)
        #expect(fixture.history.standingNotices().isEmpty)
    }

    @Test func `a notice that the output of a share has shown is not new`() async throws {
        let fixture = try fixture()
        garden.script(.fail(ShareFailure(.rejected, "422")))
        let reports = try await ShareService(fixture.context).share(.due)
        await fixture.context.markSeen(in: [])
        #expect(fixture.history.standingNotices().map(\.isNew) == [true])
        await fixture.context.markSeen(in: reports)
        #expect(fixture.history.standingNotices().isEmpty, "an event ends once it was seen")
    }

    @Test func `a preview shows for each destination and day what would be sent, or why nothing would`() async throws {
        var fixture = try fixture()
        let diary = ScriptedDestination("diary", terms: ShareTerms(users: ["ben"]))
        let ben = fixture.history.addUser(named: "ben")
        fixture.destinations = [garden, diary]
        let sharing = try ShareService(fixture.context)
        func results(of user: User, again: Bool = false) throws -> [SharePreview.Result] {
            try sharing.previews(of: [april20, april21], of: user, again: again).map(\.result)
        }
        let previews = try sharing.previews(of: [april20, april21], of: fixture.outbox.anna)
        #expect(previews.map(\.destination) == ["Garden", "Garden", "diary", "diary"])
        #expect(previews.map(\.day) == [april20, april21, april20, april21])
        #expect(previews.map(\.result) == [.content("2014-04-20: 4000"), .nothingKnown, .userExcluded, .userExcluded])
        #expect(try results(of: ben) == [.nothingKnown, .nothingKnown, .nothingKnown, .nothingKnown])
        #expect(
            garden.deliveries.isEmpty && fixture.history.entries(for: nil, in: Set(ShareEntry.State.allCases)).isEmpty)

        _ = try await sharing.share(.days([april20], of: fixture.outbox.anna))
        #expect(try results(of: fixture.outbox.anna).first == .settled)
        #expect(try results(of: fixture.outbox.anna, again: true).first == .content("2014-04-20: 4000"))
    }

    @Test func `a preview says why a day that the destination has, or may have, is not sent`() async throws {
        let post = ScriptedDestination(
            "post", ShareTraits(resending: .repeats, corrects: false, acceptsUnfinishedDays: true), terms: always)
        var fixture = try fixture()
        fixture.destinations = [post]
        let outbox = fixture.outbox, sharing = try ShareService(fixture.context),
            service = OutboxService(fixture.context)
        func result(again: Bool = false, hasContent: Bool = true) throws -> SharePreview.Result? {
            try sharing.previews(of: [april20], of: outbox.anna, again: again, hasContent: hasContent).first?.result
        }
        #expect(try result(hasContent: false) == .content(""))
        post.script(.fail(ShareFailure(.unanswered, "no answer")))
        _ = try await sharing.share(.days([april20], of: outbox.anna))
        #expect(try result() == .doubtful)
        #expect(try result(again: true) == .content("2014-04-20: 4000"))

        _ = try await service.retry(.init(destination: "post", day: april20)).share(.due)
        #expect(try result() == .settled)
        // Put into the outbox by name, it is examined, and not sent.
        try await sharing.enqueue(.days([april20], of: outbox.anna))
        #expect(try result(hasContent: false) == .settled)
        #expect(try await sharing.share(.due).first?.outcomes == [.unchanged])
        try outbox.walk(5000, on: april20)
        #expect(try result() == .fixed)
        try await sharing.enqueue(.days([april20], of: outbox.anna, again: true))
        #expect(try result(hasContent: false) == .content(""))
    }

    @Test func `an outbox without entries drops nothing`() async throws {
        #expect(try await drop("closed", nil, try fixture()).isEmpty)
    }

    @Test func `missing items are named`() async throws {
        let fixture = try fixture()
        await #expect(throws: ServiceError.neverShared("shed")) { try await drop("shed", nil, fixture) }
        await #expect(throws: ServiceError.notInOutbox(april21, destination: "Garden")) {
            try await drop("garden", april21, fixture)
        }
        _ = try await ShareService(fixture.context).share(.days([april20], of: fixture.outbox.anna))
        await #expect(throws: ServiceError.alreadySent(april20, destination: "Garden")) {
            try await drop("garden", april20, fixture)
        }
    }

    @Test func `a day that may have arrived is retried only by name`() async throws {
        let fixture = try fixture()
        garden.script(.fail(ShareFailure(.unanswered, "no answer")))
        garden.answer(.unclear)
        _ = try await ShareService(fixture.context).share(.days([april20], of: fixture.outbox.anna))
        let doubtful = try #require(fixture.outbox.entry(april20, garden))
        #expect(doubtful.state == .unknown)
        try await OutboxService(fixture.context).retry(.init(destination: "Garden"))
        #expect(fixture.outbox.entry(april20, garden)?.state == .unknown)
        try await OutboxService(fixture.context).retry(.init(destination: "Garden", day: april20))
        #expect(fixture.outbox.entry(april20, garden)?.state == .pending)
    }

    @Test(arguments: [true, false]) func `a retry looks for a day that may have arrived before it sends it again`(
        hasArrived: Bool
    ) async throws {
        var fixture = ServiceFixture()
        let post = ScriptedDestination(
            "post", ShareTraits(resending: .repeats, corrects: true, canFind: true, acceptsUnfinishedDays: true),
            terms: always)
        fixture.destinations = [post]
        try fixture.outbox.walk(4000, on: april20)
        post.script(hasArrived ? .acceptSilently : .fail(ShareFailure(.unanswered, "no answer")))
        _ = try await ShareService(fixture.context).share(.days([april20], of: fixture.outbox.anna))
        // As after a kill in the middle of the delivery.
        var entry = try #require(fixture.outbox.entry(april20, post))
        #expect(entry.state == .unknown && post.deliveries.count == 1)
        entry.state = .sending
        try fixture.history.record([entry])
        fixture.outbox.pass(ShareRetry.processingTime)
        let sharing = try await OutboxService(fixture.context).retry(.init(destination: "post", day: april20))
        _ = try await sharing.share(.due)
        #expect(post.finds == 1 && post.times(april20) == 1)
        #expect(post.deliveries.count == (hasArrived ? 1 : 2))
        #expect(fixture.outbox.entry(april20, post)?.state == .sent)
    }

    @Test func `a paused destination is released by a retry`() async throws {
        let fixture = try fixture()
        garden.script(.fail(ShareFailure(.credentials, "who are you")))
        _ = try await ShareService(fixture.context).share(.days([april20], of: fixture.outbox.anna))
        #expect(fixture.history.state(of: "Garden").stopped != nil)
        try await OutboxService(fixture.context).retry(.init(destination: "Garden"))
        #expect(fixture.history.state(of: "Garden").stopped == nil)
    }

    /// The credentials were rejected for a finished day; today and a day with gaps have not been attempted.
    @Test func `a retry sends a day that is held back only by name`() async throws {
        var fixture = ServiceFixture(now: LocalTime.berlin.at("2026-04-22", 12))
        let post = ScriptedDestination(
            "post", ShareTraits(resending: .repeats, corrects: false, acceptsUnfinishedDays: false), terms: always)
        fixture.destinations = [post]
        let outbox = fixture.outbox, today = outbox.localTime.day(of: outbox.now), yesterday = today.advanced(by: -1)
        let morning = outbox.localTime.span(of: today).start, midnight = outbox.localTime.span(of: today).end
        try outbox.walk(4000, on: april20)
        try outbox.walk(3000, on: yesterday, until: morning - 12 * 3600)
        try outbox.walk(2000, on: today, until: outbox.now)
        post.script(.fail(ShareFailure(.credentials, "401")))
        _ = try await ShareService(fixture.context).share(.due)
        #expect(post.deliveries == [[april20]])

        let sharing = try await OutboxService(fixture.context).retry(.init(destination: "post"))
        let held: [ShareReport.Event.Outcome] = [
            .held(until: morning + HeldDay.delayOfIncompleteDays), .held(until: midnight),
        ]
        #expect(try await sharing.share(.due).first?.outcomes == [.sent] + held)
        // Once more, when the outbox shows until when they wait.
        let again = try await OutboxService(fixture.context).retry(.init(destination: "post"))
        #expect(try await again.share(.due).first?.events.isEmpty == true)
        #expect(outbox.entry(today, post)?.nextAttempt == midnight)
        #expect(post.deliveries == [[april20], [april20]])

        let named = try await OutboxService(fixture.context).retry(.init(destination: "post", day: today))
        #expect(try await named.share(.due).first?.outcomes == [.sent])
        #expect(post.steps(today) == 2000 && post.times(yesterday) == 0)
    }

    @Test func `a rejected day is retried without its name`() async throws {
        let fixture = try fixture()
        garden.script(.fail(ShareFailure(.rejected, "422")))
        _ = try await ShareService(fixture.context).share(.due)
        #expect(fixture.outbox.entry(april20, garden)?.state == .rejected)
        let sharing = try await OutboxService(fixture.context).retry(.init(destination: "Garden"))
        #expect(try await sharing.share(.due).first?.outcomes == [.sent])
    }

    @Test func `only a destination that is known has a list`() async throws {
        var fixture = try fixture()
        try await ShareService(fixture.context).enqueue(.days([april20], of: fixture.outbox.anna))
        let service = OutboxService(fixture.context)
        #expect(throws: ServiceError.neverShared("shed")) { try service.entries(of: "shed", in: [.pending]) }
        #expect(try service.entries(of: "closed", in: [.pending]).isEmpty)
        #expect(try service.entries(of: nil, in: [.pending]).map(\.destination) == ["Garden"])
        // It is no longer configured, and the ledger has it.
        fixture.destinations = []
        #expect(try OutboxService(fixture.context).entries(of: "garden", in: [.pending]).map(\.day) == [april20])
    }

    @Test func `waiting goes on until the destination answers`() async throws {
        let fixture = try fixture()
        garden.script(
            .fail(ShareFailure(.busy, "later", retryAfter: 600)), .fail(ShareFailure(.unreachable, "no network")))
        let reports = try await ShareService(fixture.context).share(
            .days([april20], of: fixture.outbox.anna), waits: true)
        #expect(garden.steps(april20) == 4000)
        #expect(reports.map(\.queued) == [0])
        // A pause can take hours: others may share meanwhile.
        #expect(fixture.lock.log.count { $0 == .sharing } == 3)
    }

    @Test func `waiting goes on when another process has shared during a pause`() async throws {
        let fixture = try fixture()
        garden.script(.fail(ShareFailure(.unreachable, "no network")))
        garden.whileDelivering { [lock = fixture.lock] in lock.holdElsewhere(.sharing, for: 2) }
        let reports = try await ShareService(fixture.context).share(
            .days([april20], of: fixture.outbox.anna), waits: true)
        #expect(garden.steps(april20) == 4000 && reports.map(\.queued) == [0])
    }

    /// It was removed, and the next change of the day was sent as a new one.
    @Test func `a day that was to be sent once more stays known as sent when it is dropped`() async throws {
        let fixture = try fixture(), outbox = fixture.outbox
        let sharing = try ShareService(fixture.context)
        _ = try await sharing.share(.days([april20], of: outbox.anna))
        garden.script(.fail(ShareFailure(.unreachable, "no network")))
        _ = try await sharing.share(.days([april20], of: outbox.anna, again: true))
        try await OutboxService(fixture.context).drop(.init(destination: "Garden"))
        let entry = try #require(outbox.history.entry(for: "Garden", of: outbox.anna.id, on: april20))
        #expect(entry.state == .sent && entry.isConfirmed)
    }

    /// The pause of the one is over before the other is done.
    @Test func `waiting goes on with a destination whose pause another one has outlasted`() async throws {
        var fixture = try fixture()
        let slow = ScriptedDestination("slow", terms: always)
        slow.whileDelivering { [outbox = fixture.outbox] in outbox.pass(600) }
        fixture.destinations.append(slow)
        garden.script(.fail(ShareFailure(.unreachable, "no network")))
        let reports = try await ShareService(fixture.context).share(
            .days([april20], of: fixture.outbox.anna), waits: true)
        #expect(garden.steps(april20) == 4000 && slow.steps(april20) == 4000)
        #expect(reports.allSatisfy { $0.queued == 0 })
    }

    @Test func `a day that is corrected after it was sent waits until the next share`() async throws {
        let fixture = try fixture(), outbox = fixture.outbox, service = OutboxService(fixture.context)
        let sharing = try ShareService(fixture.context)
        _ = try await sharing.share(.due)
        #expect(try service.waiting().isEmpty)
        func correct(_ steps: Int?) {
            outbox.history.setCorrection(
                steps.map { StepCorrection(steps: $0) }, of: outbox.anna.id, on: april20, at: outbox.now)
        }
        correct(5000)
        let waiting = try service.waiting(of: outbox.anna)
        #expect(waiting.map(\.day) == [april20] && waiting.allSatisfy { $0.isChanged })
        #expect(try service.destinationsToCorrect(april20, of: outbox.anna).map(\.name) == ["Garden"])
        let all = try service.entries(of: "garden", in: Set(ShareEntry.State.allCases))
        #expect(all == waiting, "the sent entry is not there a second time")
        #expect(try await sharing.statuses(isChecked: false).map(\.changed) == [1])
        #expect(try service.waiting(of: outbox.history.addUser(named: "ben")).isEmpty)

        // The destination has these figures: nothing would be sent.
        correct(nil)
        #expect(try service.waiting().isEmpty)
        correct(5000)
        #expect(try await sharing.share(.due).first?.outcomes == [.corrected])
        #expect(try service.waiting().isEmpty)
    }

    @Test func `changed days that a refused delivery did not reach go on waiting`() async throws {
        let fixture = try fixture(), outbox = fixture.outbox, service = OutboxService(fixture.context)
        try outbox.walk(3000, on: april21)
        let sharing = try ShareService(fixture.context)
        _ = try await sharing.share(.days([april20, april21], of: outbox.anna))
        #expect(try service.waiting().isEmpty)
        for day in [april20, april21] {
            outbox.history.setCorrection(StepCorrection(steps: 9000), of: outbox.anna.id, on: day, at: outbox.now)
        }
        garden.script(.fail(ShareFailure(.credentials, "401")))
        _ = try await sharing.share(.due)
        #expect(try service.waiting().map(\.day) == [april20, april21], "one was tried, the other one was not")
        for day in [april20, april21] {
            #expect(try service.destinationsToCorrect(day, of: outbox.anna).map(\.stopped) == ["401"])
        }
        // The one that was not tried can be retried by name.
        #expect(try await service.retry(.init(destination: "Garden", day: april21)).share(.due).count == 1)
        #expect(garden.steps(april20) == 9000 && garden.steps(april21) == 9000)
        #expect(try service.waiting().isEmpty)
    }

    @Test func `a day without an entry that becomes known waits, too`() async throws {
        let fixture = try fixture(), outbox = fixture.outbox
        _ = try await ShareService(fixture.context).share(.due)
        outbox.history.setCorrection(
            StepCorrection(steps: 900), of: outbox.anna.id, on: april21, at: outbox.now)
        let waiting = try OutboxService(fixture.context).waiting()
        #expect(waiting.map(\.day) == [april21] && waiting.map(\.state) == [.pending])
        #expect(try OutboxService(fixture.context).destinationsToCorrect(april21, of: outbox.anna).isEmpty)
    }

    @Test func `a change waits only where it would be sent`() async throws {
        let post = ScriptedDestination(
            "post", ShareTraits(resending: .repeats, corrects: false, acceptsUnfinishedDays: true), terms: always)
        let display = ScriptedDestination(
            "display",
            ShareTraits(resending: .replaces, corrects: true, acceptsUnfinishedDays: true, showsLatestOnly: true),
            terms: always)
        let diary = ScriptedDestination("diary", terms: ShareTerms(since: april20))
        var fixture = try fixture()
        fixture.destinations = [post, display, diary]
        let outbox = fixture.outbox
        try outbox.walk(3000, on: april21)
        _ = try await ShareService(fixture.context).share(.due)
        try outbox.walk(4500, on: april20)
        #expect(try OutboxService(fixture.context).waiting().map(\.destination) == ["diary"])
        let previews = try ShareService(fixture.context).previews(of: [april20], of: outbox.anna)
        #expect(previews.map(\.result) == [.fixed, .passed, .content("2014-04-20: 4500")])
        // A destination of the configuration that is gone sends nothing.
        fixture.destinations = [post, display]
        #expect(try OutboxService(fixture.context).waiting().isEmpty)
    }
}
