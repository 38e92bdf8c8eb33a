import StepDomain
import Testing

@Suite(.timeLimit(.minutes(5))) struct FrameRetentionTests {
    private let now = Timestamp(1_764_000_000)

    private func frames(_ sync: Int64, daysAgo: Int, bytes: Int = 100, _ doubt: SyncFrames.Doubt? = nil) -> SyncFrames {
        SyncFrames(sync: sync, pedometer: 1, start: now - daysAgo * 86_400, bytes: bytes, doubt: doubt)
    }

    @Test func `frames that are too old are removed`() {
        let syncs = [frames(3, daysAgo: 0), frames(1, daysAgo: 800), frames(2, daysAgo: 700)]
        #expect(FrameRetention().surplus(syncs, at: now).map(\.sync) == [1])
        #expect(FrameRetention(days: nil).surplus(syncs, at: now) == [])
    }

    @Test func `the oldest frames are removed if they exceed the limit`() {
        let syncs = (1...5).map { frames(Int64($0), daysAgo: 10 - $0) }
        #expect(FrameRetention(bytes: 250).surplus(syncs, at: now).map(\.sync) == [1, 2, 3])
        #expect(FrameRetention(bytes: 500).surplus(syncs, at: now) == [])
    }

    @Test(arguments: SyncFrames.Doubt.allCases) func `frames of a sync in doubt stay`(doubt: SyncFrames.Doubt) {
        let syncs = [frames(1, daysAgo: 9000, bytes: 1000, doubt), frames(2, daysAgo: 1, bytes: 100)]
        #expect(FrameRetention(days: 1, bytes: 500).surplus(syncs, at: now).map(\.sync) == [2])
        #expect(FrameRetention(days: 1, bytes: 5000).surplus(syncs, at: now) == [])
    }
}
