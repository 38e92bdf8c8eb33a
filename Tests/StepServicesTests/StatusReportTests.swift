import StepDomain
import StepServices
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct StatusReportTests {
    private let outbox = OutboxFixture(now: LocalTime.berlin.at("2014-04-22", 12))
    private var today: Day { outbox.localTime.day(of: outbox.now) }

    private func report(of user: User? = nil) throws -> StatusReport {
        try StatusReport(outbox.history, of: user, localTime: outbox.localTime, now: outbox.now)
    }

    private func add(_ name: String, of user: User) -> Pedometer {
        outbox.history.addPedometer(
            Pedometer(
                user: user.id, model: "generic", address: "C0:DE:00:00:00:02", addressType: "random", name: name)
        )
    }

    @Test func `each user has the steps of today and the own pedometers`() throws {
        try outbox.walk(4000, on: today, until: outbox.now)
        #expect(try !report().isHousehold)
        let ben = outbox.history.addUser(named: "ben"), watch = add("watch", of: ben)
        let both = try report()
        #expect(both.isHousehold)
        #expect(both.people.map(\.today.user) == [outbox.anna, ben] && both.people.map(\.today.steps) == [4000, nil])
        #expect(both.people.map(\.today.day) == [today, today])
        #expect(both.people.map { $0.pedometers.map(\.pedometer.name) } == [["ring"], [watch.name]])
    }

    @Test func `days that wait for a destination that has failed are counted, others are not`() throws {
        func entry(_ day: Day, _ destination: String, _ state: ShareEntry.State, of user: User) -> ShareEntry {
            ShareEntry(user: user.id, day: day, destination: destination, state: state, changedAt: outbox.now)
        }
        let ben = outbox.history.addUser(named: "ben"), day = today.advanced(by: -5)
        try outbox.history.record([
            entry(day, "dead", .pending, of: outbox.anna), entry(today, "dead", .unknown, of: outbox.anna),
            entry(today.advanced(by: -1), "dead", .rejected, of: outbox.anna), entry(day, "dead", .sent, of: ben),
            entry(day, "fresh", .pending, of: ben), entry(today, "dead", .pending, of: ben),
        ])
        #expect(try report().backlogs.isEmpty)
        var state = DestinationState(name: "dead")
        (state.failures, state.lastError) = (3, "no connection")
        try outbox.history.record(state)
        let dead = StatusReport.Backlog(destination: "dead", days: 3, oldest: day, reason: "no connection")
        #expect(try report().backlogs == [dead], "today of two users is two days")
        #expect(try report(of: ben).backlogs.map(\.days) == [1])
    }

    @Test func `a report of one user is still that of a household`() throws {
        let ben = outbox.history.addUser(named: "ben"), watch = add("watch", of: ben)
        let one = try report(of: ben)
        #expect(one.isHousehold)
        #expect(one.people.map(\.today.user) == [ben] && one.people.first?.pedometers.map(\.pedometer) == [watch])
    }

    @Test func `the last syncs of a pedometer come first, failed ones included`() throws {
        for number in 1...30 {
            let sync = try outbox.history.beginSync(of: outbox.ring.id, at: outbox.now - (31 - number) * 3600)
            try outbox.history.endSync(
                sync, at: outbox.now - (31 - number) * 3600 + 5, outcome: number == 30 ? .failed : .complete,
                battery: number, failure: nil,
                cause: nil)
        }
        let syncs = try #require(try report().people.first?.pedometers.first).recent.syncs
        #expect(syncs.compactMap(\.battery) == Array((11...30).reversed()) && syncs.first?.outcome == .failed)
    }

    /// One sync under a clock that was ahead once hid all failures until its date, and made today's figures invalid.
    @Test func `a sync of the future is named and hides nothing`() throws {
        func record(_ start: Timestamp, _ outcome: SyncRecord.Outcome) throws {
            let sync = try outbox.history.beginSync(of: outbox.ring.id, at: start)
            try outbox.history.endSync(
                sync, at: start + 5, outcome: outcome, battery: nil, failure: nil,
                cause: outcome == .failed ? .outOfRange : nil)
        }
        let ahead = outbox.now + 40 * 86_400
        try record(outbox.now - 7200, .complete)
        for day in 0..<30 { try record(ahead + day * 60, .complete) }
        for hour in [3, 2, 1] { try record(outbox.now - hour * 900, .failed) }
        let person = try #require(try report().people.first), device = try #require(person.pedometers.first)
        #expect(device.recent.ahead == ahead + 29 * 60)
        #expect(device.recent.syncs.failures(at: outbox.now).count == 3)
        #expect(device.recent.syncs.first { $0.outcome == .complete }?.start == outbox.now - 7200)
        #expect(person.today.lastSync == outbox.now - 7195)
        #expect(
            SyncHistoryFacts(pedometer: outbox.ring, recent: device.recent, now: outbox.now).diagnoses.dropFirst()
                == [.syncs(pedometer: outbox.ring.name, .ahead(ahead + 29 * 60))])
    }

    @Test func `notices of the machine concern every user, those of a user only that one`() throws {
        let ben = outbox.history.addUser(named: "ben"), history = outbox.history
        let machine = Notice(.machine, since: outbox.now, .nightsFailed(nights: 3, reason: "no adapter"))
        let goals = [outbox.anna, ben].map { user in
            Notice(
                .user(user.id), name: user.name, user: user.id, since: outbox.now,
                .goalReached(day: today, steps: 9000, goal: 8000))
        }
        let known = history.update(active: [machine] + goals, withdrawn: [], at: outbox.now)
        #expect(known.count == 3)
        #expect(try Set(report().notices.map(\.notice)) == Set([machine] + goals))
        #expect(try Set(report(of: ben).notices.map(\.notice)) == [machine, goals[1]])
        history.markSeen(Array(known), at: outbox.now)
        #expect(try report().notices.map(\.notice) == [machine], "what was seen and has happened is over")
    }
}
