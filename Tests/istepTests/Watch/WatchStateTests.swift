import BlueZ
import StepDomain
import Testing

@testable import istep

/// What a watch decides, without a clock, a bus or a history: 2026-05-20 from noon on, a reading every 15 minutes.
struct WatchStateTests {
    private let noon = Timestamp(1_779_278_400)
    private let addresses = ["C0:DE:00:00:00:01", "C0:DE:00:00:00:02"]

    private func address(_ id: Pedometer.ID) -> DeviceAddress { DeviceAddress(addresses[Int(id) - 1])! }

    private func entry(_ id: Pedometer.ID, last: Timestamp? = nil, todayOnly: Bool = false) -> WatchState.Entry {
        WatchState.Entry(
            pedometer: Pedometer(
                id: id, user: 1, model: "colmi", address: addresses[Int(id) - 1], addressType: "random", name: "p\(id)"),
            lastComplete: last, keepsTodayOnly: todayOnly)
    }

    private func state(_ entries: [WatchState.Entry], isLive: Bool = false) -> WatchState {
        var state = WatchState(timing: SyncTiming(interval: 900), localTime: .fixed(0), isLive: isLive)
        state.take(entries)
        return state
    }

    @Test func nobodyKnownNobodySought() { #expect(state([]).decision(at: noon) == WatchState.Decision()) }

    @Test func onlyWhoIsDueIsSought() {
        let state = state([entry(1), entry(2, last: noon - 60)])
        let decision = state.decision(at: noon)
        #expect(decision.sync == nil)
        #expect(decision.seek == [address(1)])
        #expect(decision.wake == noon + 840)
        #expect(state.decision(at: noon + 840).seek == [address(1), address(2)])
    }

    @Test func whoIsHeardAndDueIsReadAloneAndTheOtherSoughtAgain() {
        var state = state([entry(1), entry(2)])
        state.hear(address(2))
        #expect(state.decision(at: noon).sync == 2)
        state.beginSync(of: 2)
        let during = state.decision(at: noon)
        #expect(during.sync == nil && during.seek.isEmpty)
        state.endSync(of: 2, isComplete: true, at: noon + 5)
        let after = state.decision(at: noon + 5)
        #expect(after.sync == nil)
        #expect(after.seek == [address(1)])
        #expect(after.wake == noon + 905)
    }

    /// BlueZ tells of one more than once: what was said before the reading says nothing of the time after it.
    @Test func whoIsHeardWhileReadMustBeHeardAnew() {
        var state = state([entry(1)])
        state.hear(address(1))
        state.beginSync(of: 1)
        state.hear(address(1))
        state.endSync(of: 1, isComplete: true, at: noon)
        #expect(state.decision(at: noon + 900).sync == nil)
        #expect(state.decision(at: noon + 900).seek == [address(1)])
    }

    /// The machine's clock was ahead for a time: what the history says of the future hides nothing of what the watch has done since.
    @Test func aReadingOfTheFutureDoesNotMakeItReadWithoutEnd() {
        var state = state([entry(1, last: noon + 300 * 86_400)])
        state.hear(address(1))
        #expect(state.decision(at: noon).sync == 1)
        state.beginSync(of: 1)
        state.endSync(of: 1, isComplete: true, at: noon)
        state.take([entry(1, last: noon + 300 * 86_400)])
        state.hear(address(1))
        #expect(state.decision(at: noon + 60).sync == nil)
        #expect(state.decision(at: noon + 60).wake == noon + 900)
    }

    @Test func theOneThatIsLongestDueComesFirst() {
        var state = state([entry(1, last: noon - 1000), entry(2, last: noon - 2000)])
        state.hear(address(1))
        state.hear(address(2))
        #expect(state.decision(at: noon).sync == 2)
        state.beginSync(of: 2)
        state.endSync(of: 2, isComplete: true, at: noon)
        #expect(state.decision(at: noon).sync == 1)
    }

    @Test func aStrangerIsNobody() {
        var state = state([entry(1)])
        state.hear(address(2))
        #expect(state.decision(at: noon).sync == nil)
    }

    @Test func whoFailedIsLeftAloneForAWhile() {
        var state = state([entry(1)])
        for (failures, pause) in [(1, 60), (2, 120), (3, 240)] {
            state.hear(address(1))
            state.beginSync(of: 1)
            state.endSync(of: 1, isComplete: false, at: noon)
            let decision = state.decision(at: noon)
            #expect(decision.seek.isEmpty, "\(failures)")
            #expect(decision.wake == noon + pause)
        }
        #expect(state.decision(at: noon + 240).seek == [address(1)])
        // It must be heard anew.
        #expect(state.decision(at: noon + 240).sync == nil)
    }

    @Test func anotherSyncThatRunsIsNoFailureOfThePedometer() {
        var state = state([entry(1)])
        for _ in 0..<5 {
            state.beginSync(of: 1)
            state.endSync(of: 1, isComplete: nil, at: noon)
        }
        #expect(state.decision(at: noon).wake == noon + 60)
    }

    @Test func whatAnotherProgramReadIsReadAndForgivesTheFailures() {
        var state = state([entry(1)])
        state.beginSync(of: 1)
        state.endSync(of: 1, isComplete: false, at: noon)
        state.take([entry(1, last: noon + 30)])
        #expect(state.decision(at: noon + 30).seek.isEmpty)
        #expect(state.decision(at: noon + 30).wake == noon + 930)
        state.beginSync(of: 1)
        state.endSync(of: 1, isComplete: false, at: noon + 930)
        #expect(state.decision(at: noon + 930).wake == noon + 990)
    }

    @Test func oneThatWasAddedIsSoughtAndOneThatWasForgottenIsNot() {
        var state = state([entry(1)])
        state.take([entry(1), entry(2)])
        #expect(state.decision(at: noon).seek.count == 2)
        state.hear(address(1))
        state.take([entry(2)])
        #expect(state.decision(at: noon).sync == nil)
        #expect(state.decision(at: noon).seek == [address(2)])
    }

    @Test func aCountOfTodayIsReadBeforeMidnight() {
        let midnight = Timestamp(1_779_321_600)
        let state = state([entry(1, last: midnight - 400, todayOnly: true)])
        #expect(state.decision(at: midnight - 390).wake == midnight - 300)
        #expect(state.decision(at: midnight - 300).seek == [address(1)])
    }

    // MARK: Live

    @Test func whoWasReadIsFollowedAndReadAgainWhenDue() {
        var state = state([entry(1)], isLive: true)
        state.hear(address(1))
        #expect(state.decision(at: noon).sync == 1)
        state.beginSync(of: 1)
        state.endSync(of: 1, isComplete: true, at: noon)
        #expect(state.decision(at: noon).follow == 1)
        state.beginFollowing(1)
        #expect(state.decision(at: noon).seek.isEmpty)
        state.follows(1, tells: true)
        let following = state.decision(at: noon + 10)
        #expect(following == WatchState.Decision(wake: noon + 900))
        #expect(state.decision(at: noon + 900).letGo == [1])
        state.endFollowing(1, as: .released, at: noon + 900)
        #expect(state.decision(at: noon + 900).sync == 1)
    }

    @Test func aLinkThatIsLostIsMadeAgainWhenItIsHeard() {
        var state = state([entry(1, last: noon)], isLive: true)
        #expect(state.decision(at: noon).seek == [address(1)])
        state.hear(address(1))
        state.beginFollowing(1)
        state.follows(1, tells: true)
        state.endFollowing(1, as: .lost, at: noon)
        #expect(state.decision(at: noon).seek.isEmpty)
        #expect(state.decision(at: noon).wake == noon + 30)
        #expect(state.decision(at: noon + 30).seek == [address(1)])
        #expect(state.decision(at: noon + 30).follow == nil)
        state.hear(address(1))
        #expect(state.decision(at: noon + 30).follow == 1)
    }

    /// One that hangs up at once is not connected to every half minute for ever.
    @Test func linksThatAreLostAtOnceAreMadeMoreSeldom() {
        var state = state([entry(1, last: noon)], isLive: true)
        var waits: [Int] = []
        for _ in 0..<9 {
            state.beginFollowing(1)
            state.follows(1, tells: false)
            state.endFollowing(1, as: .lost, at: noon)
            waits.append((1...4000).first { state.decision(at: noon + $0).seek == [address(1)] && $0 < 900 } ?? 900)
        }
        #expect(waits.prefix(5) == [30, 60, 120, 240, 480])
    }

    @Test func oneThatTellsNothingIsReadAtIntervals() {
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

    @Test func whileOneIsFollowedAnotherIsSought() {
        var state = state([entry(1, last: noon), entry(2)], isLive: true)
        state.beginFollowing(1)
        state.follows(1, tells: true)
        #expect(state.decision(at: noon).seek == [address(2)])
    }
}
