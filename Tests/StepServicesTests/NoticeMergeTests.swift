import StepDomain
import TestSupport
import Testing

@testable import StepServices

@Suite(.timeLimit(.minutes(5))) struct NoticeMergeTests {
    @Test(arguments: NoticeContract.all)
    func `the notice store in memory follows each rule of the contract`(_ rule: NoticeContract) throws {
        try rule.check(InMemoryHistory())
    }

    @Test func `notice subjects are written as text and read back`() {
        let subjects: [Notice.Subject] = [.machine, .pedometer(7), .user(-1), .destination("a:b"), .destination("")]
        for subject in subjects { #expect(Notice.Subject(subject.description) == subject) }
        for text in ["", "machine:", "pedometer:", "pedometer:x", "user", "planet:3"] {
            #expect(Notice.Subject(text) == nil)
        }
    }

    // MARK: The service

    /// Three failed nights and a goal, found by a service with a history in memory.
    @Test func `a service derives notices from the history`() throws {
        let history = InMemoryHistory()
        let anna = history.addUser(named: "anna")
        history.setPlan(SportPlan(validFrom: Day(daysSince1970: 0), everyDay: 100), of: anna.id)
        let ring = history.addPedometer(
            Pedometer(
                user: anna.id, model: "colmi", address: "C0:DE:00:00:00:01", addressType: "public", name: "ring")
        )
        let now = Timestamp(16_180 * 86_400 + 4 * 3600)
        let first = try history.beginSync(of: ring.id, at: now - 4 * 86_400)
        let walked = StepSample(start: now - 3600, length: 900, steps: 150, utcOffset: 0)
        _ = try history.merge(SampleBatch(samples: [walked]), sync: first, localTime: .fixed(0))
        for night in [3, 2, 1] {
            let sync = try history.beginSync(of: ring.id, at: now - night * 86_400)
            try history.endSync(
                sync, at: now - night * 86_400 + 5, outcome: .failed, battery: nil, failure: "no answer", cause: .other)
        }
        let service = NoticeService(history, localTime: .fixed(0), now: { now })
        let standing = try service.updateNotices(destinations: [])
        #expect(Set(standing.notices.map(\.notice.kind)) == [.nightsFailed, .goalReached])
        #expect(standing.begun == Set(standing.notices.map(\.id)))
        #expect(
            try service.updateNotices(destinations: [])
                == StandingNotices(notices: standing.notices, begun: []))

        // A goal that the corrected day did not reach is not reported.
        let day = Day(daysSince1970: 16_180)
        history.setCorrection(99, of: anna.id, on: day, at: now)
        #expect(try service.updateNotices(destinations: []).notices.map(\.notice.kind) == [.nightsFailed])
        history.setCorrection(nil, of: anna.id, on: day, at: now)
        let again = try service.updateNotices(destinations: [])
        #expect(again.notices.filter { again.begun.contains($0.id) }.map(\.notice.kind) == [.goalReached])
        history.markSeen(again.notices.map(\.id), at: now)
        history.setCorrection(99, of: anna.id, on: day, at: now)
        _ = try service.updateNotices(destinations: [])
        history.setCorrection(nil, of: anna.id, on: day, at: now)
        #expect(try service.updateNotices(destinations: []).begun.isEmpty)
    }

    /// A watch tries so often that the last good sync is soon not among the last ones.
    @Test func `a complete sync before many failures is found`() throws {
        let history = InMemoryHistory()
        let anna = history.addUser(named: "anna")
        let ring = history.addPedometer(
            Pedometer(
                user: anna.id, model: "colmi", address: "C0:DE:00:00:00:01", addressType: "public", name: "ring")
        )
        let now = Timestamp(16_180 * 86_400 + 4 * 3600)
        let good = now - 30 * 86_400
        let first = try history.beginSync(of: ring.id, at: good - 5)
        try history.endSync(first, at: good, outcome: .complete, battery: nil, failure: nil, cause: nil)
        for number in (1...450).reversed() {
            let start = now - number * 1200
            let sync = try history.beginSync(of: ring.id, at: start)
            try history.endSync(
                sync, at: start + 5, outcome: .failed, battery: nil, failure: "away", cause: .outOfRange)
        }
        let service = NoticeService(history, localTime: .fixed(0), now: { now })
        let standing = try service.updateNotices(destinations: []).notices
        #expect(standing.map(\.notice.content) == [.notSeen(lastRead: good)])
        #expect(standing.map(\.notice.since) == [good])
    }

    @Test func `a destination removed from the configuration produces no notices`() throws {
        let history = InMemoryHistory()
        try history.record(DestinationState(name: "garden", stopped: "no"))
        let service = NoticeService(
            history, localTime: .fixed(0), now: { Timestamp(1_400_000_000) })
        #expect(try service.updateNotices(destinations: ["garden"]).notices.count == 1)
        // A configuration that cannot be read says nothing about the destination.
        #expect(try service.updateNotices(destinations: nil).notices.count == 1)
        #expect(try service.updateNotices(destinations: []).notices.isEmpty)
    }
}
