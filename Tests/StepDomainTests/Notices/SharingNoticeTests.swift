import StepDomain
import TestSupport
import Testing

/// The notices that result from sharing and goals.
@Suite(.timeLimit(.minutes(5))) struct SharingNoticeTests {
    private let localTime = LocalTime.berlin
    private let anna = User(id: 1, name: "anna")
    private var now: Timestamp { localTime.at("2014-04-20", 4) }
    private var today: Day { localTime.day(of: now) }

    private func entry(
        _ state: ShareEntry.State, changed hoursAgo: Int = 1, _ change: (inout ShareEntry) -> Void = { _ in }
    ) -> ShareEntry {
        var entry = ShareEntry(
            user: 1, day: today.advanced(by: -1), destination: "garden", state: state, attempts: 1,
            firstAttempt: now - hoursAgo * 3600,
            nextAttempt: now, lastError: "no", changedAt: now - hoursAgo * 3600)
        change(&entry)
        return entry
    }

    private func notices(_ state: DestinationState = DestinationState(name: "garden"), _ entries: ShareEntry...)
        -> [Notice]
    {
        NoticeRules(users: [anna], sharing: [.init(state, entries)], now: now, localTime: localTime).notices
    }

    @Test func `a rejected day produces an event notice`() throws {
        let rejected = entry(.rejected) { $0.nextAttempt = nil }
        let notice = try #require(notices(DestinationState(name: "garden"), rejected).first)
        #expect(notice.content == .shareRejected(user: "anna", day: rejected.day, reason: "no"))
        #expect(notice.user == 1 && notice.subject == .destination("garden") && !notice.isState)
        let withheld = entry(.rejected) { ($0.nextAttempt, $0.cause) = (nil, .implausibleSteps) }
        #expect(
            notices(DestinationState(name: "garden"), withheld).first?.content
                == .shareWithheld(user: "anna", day: withheld.day))
        // A rejection with other figures is a new notice.
        let again = notices(DestinationState(name: "garden"), entry(.rejected, changed: 0)).first
        #expect(again?.key != notice.key)
    }

    @Test func `a day rejected a month ago produces no notice`() {
        #expect(notices(DestinationState(name: "garden"), entry(.rejected, changed: 31 * 24)).isEmpty)
    }

    @Test func `a day in doubt that needs the user produces a notice`() {
        #expect(
            notices(DestinationState(name: "garden"), entry(.unknown) { $0.nextAttempt = nil }).map(\.kind) == [
                .shareInDoubt
            ])
        #expect(notices(DestinationState(name: "garden"), entry(.unknown)).isEmpty)
    }

    @Test func `a stopped destination is reported until the user releases it`() {
        var state = DestinationState(name: "garden", failures: 1, stopped: "token expired")
        let stopped = notices(state, entry(.pending, changed: 99 * 24))
        #expect(stopped.map(\.content) == [.destinationStopped(reason: "token expired")])
        #expect(stopped.first?.isState == true)
        state.release()
        #expect(notices(state).isEmpty)
    }

    @Test func `days that wait for 72 hours are reported`() {
        let state = DestinationState(name: "garden", failures: 9)
        #expect(notices(state, entry(.pending, changed: 71)).isEmpty)
        let long = notices(state, entry(.pending, changed: 72), entry(.unknown, changed: 5))
        #expect(long.map(\.content) == [.shareWaiting(days: 2, reason: "no")])
        #expect(long.first?.since == now - 72 * 3600)
        // A day that waits for its end or its missing steps does not wait for a destination.
        #expect(notices(state, entry(.pending, changed: 200) { ($0.attempts, $0.firstAttempt) = (0, nil) }).isEmpty)
        #expect(notices(state, entry(.rejected, changed: 80)).map(\.kind) == [.shareRejected])
    }

    // MARK: Goals

    private func goal(_ steps: Int?, of goal: Int?, rest: Bool = false, daysAgo: Int = 0) -> [Notice] {
        let day = DaySummary(user: anna, day: today.advanced(by: -daysAgo), steps: steps, goal: goal, isRestDay: rest)
        return NoticeRules(users: [anna], days: [day], now: now, localTime: localTime).notices
    }

    @Test func `a reached goal is reported once a day`() {
        #expect(goal(8000, of: 8000).map(\.content) == [.goalReached(day: today, steps: 8000, goal: 8000)])
        #expect(goal(7999, of: 8000).isEmpty)
        #expect(goal(nil, of: 8000).isEmpty)
        #expect(goal(300_000, of: 8000).isEmpty, "more than anyone makes")
        let (early, late) = (goal(8000, of: 8000).first, goal(12_000, of: 8000).first)
        #expect(early?.key == late?.key)
        #expect(goal(9000, of: 8000, daysAgo: 1).first?.key != early?.key)
    }

    @Test func `a goal notice is withdrawn if the goal is not reached anymore`() {
        let reached = goal(8000, of: 8000).map { StoredNotice(id: 1, notice: $0, storedAt: now) }
        func withdrawn(_ steps: Int?, of goal: Int?, by person: Int64 = 1, daysAgo: Int = 0) -> Set<String> {
            let day = DaySummary(
                user: User(id: person, name: "x"), day: today.advanced(by: -daysAgo), steps: steps, goal: goal)
            return NoticeRules(users: [anna], days: [day], standing: reached, now: now, localTime: localTime).withdrawn
        }
        let keys = Set(reached.map(\.notice.key))
        #expect(keys.count == 1)
        #expect(withdrawn(7999, of: 8000) == keys)
        #expect(withdrawn(8000, of: 8001) == keys)
        #expect(withdrawn(8000, of: nil) == keys)
        #expect(withdrawn(8000, of: 8000).isEmpty)
        // This has no effect on other days and users.
        #expect(withdrawn(1, of: 8000, daysAgo: 1).isEmpty)
        #expect(withdrawn(1, of: 8000, by: 2).isEmpty)
    }

    @Test func `rest days and days without a plan have no goal notice`() {
        #expect(goal(20_000, of: nil, rest: true).isEmpty)
        #expect(goal(20_000, of: nil).isEmpty)
        #expect(goal(20_000, of: 0).isEmpty)
    }
}
