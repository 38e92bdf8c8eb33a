import StepDomain
import Testing

@testable import StepServices

/// The decisions of a watch, without a clock, a bus or a history: from 2026-05-20, noon, on, with a reading every 15
/// minutes.
@Suite(.timeLimit(.minutes(5))) struct WatchStateTests {
    private let noon = Timestamp(1_779_278_400)
    private let addresses = ["C0:DE:00:00:00:01", "C0:DE:00:00:00:02"]

    private func address(_ id: Pedometer.ID) -> String { addresses[Int(id) - 1] }

    private func entry(_ id: Pedometer.ID, last: Timestamp? = nil, todayOnly: Bool = false) -> WatchState.Entry {
        WatchState.Entry(
            pedometer: Pedometer(
                id: id, user: 1, model: "colmi", address: addresses[Int(id) - 1], addressType: "random", name: "p\(id)"),
            lastComplete: last, holdsTodayOnly: todayOnly)
    }

    private func state(_ entries: [WatchState.Entry], isLive: Bool = false) -> WatchState {
        var state = WatchState(schedule: ReadingSchedule(interval: 900), localTime: .fixed(0), isLive: isLive)
        state.update(entries)
        return state
    }

    @Test func `no search runs without a known pedometer`() {
        #expect(state([]).decision(at: noon) == WatchState.Decision())
    }

    @Test func `only due pedometers are sought`() {
        let state = state([entry(1), entry(2, last: noon - 60)])
        let decision = state.decision(at: noon)
        #expect(decision.sync == nil)
        #expect(decision.scan == [address(1)])
        #expect(decision.wake == noon + 840)
        #expect(state.decision(at: noon + 840).scan == [address(1), address(2)])
    }

    @Test func `pedometers that advertise their steps are listed if they are due`() {
        var band = entry(2)
        band.isAdvertised = true
        #expect(state([entry(1), band]).decision(at: noon).advertised == [address(2)])
        band.lastComplete = noon - 60
        #expect(state([entry(1), band]).decision(at: noon).advertised == [])
        // Followed by its advertisements, as others by a connection.
        var live = state([band], isLive: true)
        #expect(live.decision(at: noon).advertised == [address(2)])
        live.recordAdvertisement(of: address(2))
        #expect(live.decision(at: noon).follow == 2)
    }

    @Test func `a due pedometer in range is read before others are sought`() {
        var state = state([entry(1), entry(2)])
        state.recordAdvertisement(of: address(2))
        #expect(state.decision(at: noon).sync == 2)
        state.beginSync(of: 2)
        let during = state.decision(at: noon)
        #expect(during.sync == nil && during.scan.isEmpty)
        state.endSync(of: 2, isComplete: true, at: noon + 5)
        let after = state.decision(at: noon + 5)
        #expect(after.sync == nil)
        #expect(after.scan == [address(1)])
        #expect(after.wake == noon + 905)
    }

    /// BlueZ reports a device more than once: a report from before the end of the reading says nothing about the time
    /// after it.
    @Test func `a pedometer seen during its sync must be seen again`() {
        var state = state([entry(1)])
        state.recordAdvertisement(of: address(1))
        state.beginSync(of: 1)
        state.recordAdvertisement(of: address(1))
        state.endSync(of: 1, isComplete: true, at: noon)
        #expect(state.decision(at: noon + 900).sync == nil)
        #expect(state.decision(at: noon + 900).scan == [address(1)])
    }

    /// The machine's clock was ahead for a time: records in the future do not hide what the watch has done since.
    @Test func `a reading in the future does not cause endless syncs`() {
        var state = state([entry(1, last: noon + 300 * 86_400)])
        state.recordAdvertisement(of: address(1))
        #expect(state.decision(at: noon).sync == 1)
        state.beginSync(of: 1)
        state.endSync(of: 1, isComplete: true, at: noon)
        state.update([entry(1, last: noon + 300 * 86_400)])
        state.recordAdvertisement(of: address(1))
        #expect(state.decision(at: noon + 60).sync == nil)
        #expect(state.decision(at: noon + 60).wake == noon + 900)
    }

    @Test func `the pedometer due for the longest time is read first`() {
        var state = state([entry(1, last: noon - 1000), entry(2, last: noon - 2000)])
        state.recordAdvertisement(of: address(1))
        state.recordAdvertisement(of: address(2))
        #expect(state.decision(at: noon).sync == 2)
        state.beginSync(of: 2)
        state.endSync(of: 2, isComplete: true, at: noon)
        #expect(state.decision(at: noon).sync == 1)
    }

    @Test func `an unknown device is ignored`() {
        var state = state([entry(1)])
        state.recordAdvertisement(of: address(2))
        #expect(state.decision(at: noon).sync == nil)
    }

    @Test func `a pedometer that failed is retried after a backoff`() {
        var state = state([entry(1)])
        for (failures, pause) in [(1, 60), (2, 120), (3, 240)] {
            state.recordAdvertisement(of: address(1))
            state.beginSync(of: 1)
            state.endSync(of: 1, isComplete: false, at: noon)
            let decision = state.decision(at: noon)
            #expect(decision.scan.isEmpty, "\(failures)")
            #expect(decision.wake == noon + pause)
        }
        #expect(state.decision(at: noon + 240).scan == [address(1)])
        // Another advertisement is needed first.
        #expect(state.decision(at: noon + 240).sync == nil)
    }

    @Test func `a sync blocked by another sync is not a failure`() {
        var state = state([entry(1)])
        for _ in 0..<5 {
            state.beginSync(of: 1)
            state.endSync(of: 1, isComplete: nil, at: noon)
        }
        #expect(state.decision(at: noon).wake == noon + 60)
    }

    @Test func `a sync by another program resets the failures`() {
        var state = state([entry(1)])
        state.beginSync(of: 1)
        state.endSync(of: 1, isComplete: false, at: noon)
        state.update([entry(1, last: noon + 30)])
        #expect(state.decision(at: noon + 30).scan.isEmpty)
        #expect(state.decision(at: noon + 30).wake == noon + 930)
        state.beginSync(of: 1)
        state.endSync(of: 1, isComplete: false, at: noon + 930)
        #expect(state.decision(at: noon + 930).wake == noon + 990)
    }

    @Test func `an added pedometer is sought and a removed one is not`() {
        var state = state([entry(1)])
        state.update([entry(1), entry(2)])
        #expect(state.decision(at: noon).scan.count == 2)
        state.recordAdvertisement(of: address(1))
        state.update([entry(2)])
        #expect(state.decision(at: noon).sync == nil)
        #expect(state.decision(at: noon).scan == [address(2)])
    }

    @Test func `a count of today is read before midnight`() {
        let midnight = Timestamp(1_779_321_600)
        let state = state([entry(1, last: midnight - 400, todayOnly: true)])
        #expect(state.decision(at: midnight - 390).wake == midnight - 300)
        #expect(state.decision(at: midnight - 300).scan == [address(1)])
    }

    // MARK: Live

    @Test func `a followed pedometer is read again when due`() {
        var state = state([entry(1)], isLive: true)
        state.recordAdvertisement(of: address(1))
        #expect(state.decision(at: noon).sync == 1)
        state.beginSync(of: 1)
        state.endSync(of: 1, isComplete: true, at: noon)
        #expect(state.decision(at: noon).follow == 1)
        state.beginFollowing(1)
        #expect(state.decision(at: noon).scan.isEmpty)
        state.isFollowing(1, hasSteps: true)
        let following = state.decision(at: noon + 10)
        #expect(following == WatchState.Decision(wake: noon + 900))
        #expect(state.decision(at: noon + 900).disconnect == [1])
        state.endFollowing(1, as: .released, at: noon + 900)
        #expect(state.decision(at: noon + 900).sync == 1)
    }

    @Test func `a pedometer that is forgotten while it is followed is disconnected`() {
        var state = state([entry(1, last: noon), entry(2, last: noon)], isLive: true)
        for id in [1, 2] as [Pedometer.ID] {
            state.beginFollowing(id)
            state.isFollowing(id, hasSteps: true)
        }
        #expect(state.decision(at: noon).disconnect == [])
        state.update([entry(2, last: noon)])
        #expect(state.decision(at: noon).disconnect == [1])
        state.endFollowing(1, as: .released, at: noon)
        #expect(state.decision(at: noon) == WatchState.Decision(wake: noon + 900))
    }

    @Test func `a lost link is restored when the pedometer is seen`() {
        var state = state([entry(1, last: noon)], isLive: true)
        #expect(state.decision(at: noon).scan == [address(1)])
        state.recordAdvertisement(of: address(1))
        state.beginFollowing(1)
        state.isFollowing(1, hasSteps: true)
        state.endFollowing(1, as: .lost, at: noon)
        #expect(state.decision(at: noon).scan.isEmpty)
        #expect(state.decision(at: noon).wake == noon + 30)
        // It was lost while the clock was ahead.
        #expect(state.decision(at: noon - 31 * 86_400).scan == [address(1)])
        #expect(state.decision(at: noon + 30).scan == [address(1)])
        #expect(state.decision(at: noon + 30).follow == nil)
        state.recordAdvertisement(of: address(1))
        #expect(state.decision(at: noon + 30).follow == 1)
    }

    /// A pedometer that disconnects at once is not connected to every half minute for ever.
    @Test func `links that fail immediately are retried with growing delays`() {
        var state = state([entry(1, last: noon)], isLive: true)
        var waits: [Int] = []
        for _ in 0..<9 {
            state.beginFollowing(1)
            state.isFollowing(1, hasSteps: false)
            state.endFollowing(1, as: .lost, at: noon)
            waits.append((1...4000).first { state.decision(at: noon + $0).scan == [address(1)] && $0 < 900 } ?? 900)
        }
        #expect(waits.prefix(5) == [30, 60, 120, 240, 480])
    }

    @Test func `a pedometer without live steps is read at intervals`() {
        var state = state([entry(1)], isLive: true)
        state.beginSync(of: 1)
        state.endSync(of: 1, isComplete: true, at: noon)
        state.beginFollowing(1)
        state.endFollowing(1, as: .impossible, at: noon)
        #expect(state.decision(at: noon) == WatchState.Decision(wake: noon + 900))
        state.beginSync(of: 1)
        state.endSync(of: 1, isComplete: true, at: noon + 900)
        #expect(state.decision(at: noon + 900) == WatchState.Decision(wake: noon + 1800))
    }

    @Test func `other pedometers are sought while one is followed`() {
        var state = state([entry(1, last: noon), entry(2)], isLive: true)
        state.beginFollowing(1)
        state.isFollowing(1, hasSteps: true)
        #expect(state.decision(at: noon).scan == [address(2)])
    }
}
