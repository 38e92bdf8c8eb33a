import StepDomain
import TestSupport
import Testing

@Suite struct NoticeMergeTests {
    @Test(arguments: NoticeContract.all)
    func theStoreInMemoryKeeps(_ rule: NoticeContract) throws { try rule.check(InMemoryHistory()) }

    @Test func subjectsAreWrittenAndRead() {
        let subjects: [Notice.Subject] = [.machine, .pedometer(7), .user(-1), .destination("a:b"), .destination("")]
        for subject in subjects { #expect(Notice.Subject(subject.description) == subject) }
        for text in ["", "machine:", "pedometer:", "pedometer:x", "user", "planet:3"] { #expect(Notice.Subject(text) == nil) }
    }

    // MARK: The service

    /// Three failed nights and a goal, by a service over a history in memory.
    @Test func aServiceFindsThemInTheHistory() throws {
        let history = InMemoryHistory()
        let anna = history.addUser(named: "anna")
        history.setPlan(SportPlan(validFrom: Day(daysSince1970: 0), everyDay: 100), of: anna.id)
        let ring = history.addPedometer(
            Pedometer(id: 0, user: anna.id, model: "colmi", address: "C0:DE:00:00:00:01", addressType: "public", name: "ring"))
        let now = Timestamp(16_180 * 86_400 + 4 * 3600)
        let first = try history.beginSync(of: ring.id, at: now - 4 * 86_400)
        let walked = StepSample(start: now - 3600, length: 900, steps: 150, utcOffset: 0)
        _ = try history.merge(SampleBatch(samples: [walked]), sync: first, place: .fixed(0))
        for night in [3, 2, 1] {
            let sync = try history.beginSync(of: ring.id, at: now - night * 86_400)
            try history.endSync(sync, at: now - night * 86_400 + 5, outcome: .failed, battery: nil, failure: "no answer", cause: .other)
        }
        let service = StepDataService(history: history, ledger: history, localTime: .fixed(0), now: { now })
        let standing = try service.keepNotices(in: history, destinations: [])
        #expect(Set(standing.map(\.notice.kind)) == [.nightsFailed, .goalReached])
        #expect(try service.keepNotices(in: history, destinations: []) == standing)
    }

    @Test func aDestinationThatIsTakenOutOfTheConfigurationHasNothingToSay() throws {
        let history = InMemoryHistory()
        try history.record(DestinationState(name: "garden", stopped: "no"))
        let service = StepDataService(history: history, ledger: history, localTime: .fixed(0), now: { Timestamp(1_400_000_000) })
        #expect(try service.keepNotices(in: history, destinations: ["garden"]).count == 1)
        // A configuration that cannot be read says nothing of it.
        #expect(try service.keepNotices(in: history, destinations: nil).count == 1)
        #expect(try service.keepNotices(in: history, destinations: []).isEmpty)
    }
}
