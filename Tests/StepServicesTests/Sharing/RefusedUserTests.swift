import StepDomain
import Synchronization
import TestSupport
import Testing

@testable import StepServices

/// A destination that does not accept the days of one user.
@Suite struct RefusedUserTests {
    private let outbox = OutboxFixture()
    private let bob: User

    init() { bob = outbox.history.addUser(named: "bob") }

    private func garden(batch: Int) -> ScriptedDestination {
        var traits = ShareTraits.replacing
        traits.batch = batch
        return ScriptedDestination("garden", traits, terms: always)
    }

    private func correct(_ users: [User], _ days: [Day]) throws {
        for user in users {
            for day in days {
                outbox.history.setCorrection(StepCorrection(steps: 5000), of: user.id, on: day, at: outbox.now)
            }
        }
    }

    private func entries(_ state: ShareEntry.State, of user: User) -> [ShareEntry] {
        outbox.history.entries(for: "garden", in: [state]).filter { $0.user == user.id }
    }

    @Test(arguments: [1, 3, 64]) func `only the days of that user wait`(batch: Int) async throws {
        let days = (0..<10).map { april20.advanced(by: -$0) }
        try correct([outbox.anna, bob], days)
        let garden = garden(batch: batch)
        garden.script(.refuseUser(bob.id))
        let report = try #require(try await outbox.share(to: garden).first)
        #expect(report.failure?.reason == "not enrolled" && report.state.stopped == nil)
        #expect(!report.state.isHeldBack(at: outbox.now))
        #expect(report.outcomes.count { $0 == .sent } == 10 && report.queued == 10)
        #expect(entries(.sent, of: outbox.anna).count == 10)
        #expect(days.allSatisfy { garden.times($0) == 1 })
        let waiting = entries(.pending, of: bob)
        #expect(waiting.count == 10 && waiting.allSatisfy { $0.isOfRefusedUser && $0.nextAttempt == outbox.now })
        #expect(waiting.first?.lastError?.hasSuffix("not enrolled. Enrol the user") == true)
        #expect(waiting.first?.cause == .refusedUser)

        // Accepted now: without an action of the user, they are sent.
        let later = ScriptedDestination("garden", garden.traits, terms: always)
        #expect(try await outbox.share(to: later).first?.failure == nil)
        #expect(entries(.sent, of: bob).count == 10 && later.payloads.allSatisfy { $0.day.user == bob })
    }

    @Test func `days that wait are not counted as sent by the progress`() async throws {
        try correct([outbox.anna, bob], (0..<10).map { april20.advanced(by: -$0) })
        let garden = garden(batch: 64)
        garden.script(.refuseUser(bob.id))
        let last = Mutex<ShareProgress?>(nil)
        _ = try await outbox.service.share(.due, to: [garden], users: outbox.history.users()) { progress in
            last.withLock { $0 = progress }
        }
        #expect(last.withLock(\.self) == ShareProgress(destination: "garden", done: 10, all: 20))
    }

    /// More days than a window: the next ones are begun before it is known that the user is refused.
    @Test func `of a thousand days each of the others arrives once`() async throws {
        let days = (0..<1000).map { april20.advanced(by: -$0) }
        try correct([outbox.anna, bob], days)
        let garden = garden(batch: 16)
        garden.script(.refuseUser(bob.id))
        let report = try #require(try await outbox.share(to: garden).first)
        #expect(report.outcomes.count { $0 == .sent } == 1000)
        #expect(days.allSatisfy { garden.times($0) == 1 })
        #expect(outbox.history.entries(for: "garden", in: [.sending]).isEmpty)
        #expect(entries(.pending, of: bob).count == 1000)
        #expect(garden.payloads.count { $0.day.user == bob } < 500, "not each of his days is tried")
    }

    @Test func `a day that was confirmed stays so when its user is refused later`() async throws {
        try correct([bob], [april20])
        let first = garden(batch: 4)
        try await outbox.share(to: first)
        outbox.history.setCorrection(StepCorrection(steps: 6000), of: bob.id, on: april20, at: outbox.now)
        let second = garden(batch: 4)
        second.script(.refuseUser(bob.id))
        try await outbox.share(to: second)
        let entry = try #require(outbox.history.entry(bob.id, april20, "garden"))
        #expect(entry.state == .pending && entry.isConfirmed)
    }

    @Test func `the user is told at once`() throws {
        var entry = ShareEntry(
            user: bob.id, day: april20, destination: "garden", attempts: 1, nextAttempt: outbox.now,
            changedAt: outbox.now)
        entry.begin("1", at: outbox.now)
        entry.fail(
            ShareFailure(.credentials, "not enrolled", advice: "Enrol", users: [bob.id]), before: .pending,
            at: outbox.now)
        let facts = OutboxFacts(state: DestinationState(name: "garden"), entries: [entry], now: outbox.now)
        #expect(facts.diagnoses.count == 1)
        let rules = NoticeRules(
            users: [bob], sharing: [.init(DestinationState(name: "garden"), [entry])], now: outbox.now,
            localTime: outbox.localTime)
        let notices = rules.notices
        #expect(notices.count == 1)
        guard case .shareWaiting(days: 1, let reason)? = notices.first?.content else {
            Issue.record("\(notices)")
            return
        }
        #expect(reason?.hasSuffix("not enrolled. Enrol") == true)
    }
}
