import Testing

@testable import BlueZ

@Suite(.timeLimit(.minutes(5))) struct RetryPolicyTests {
    let quick: Duration = .seconds(1)

    private func policy(attempts: Int = 4, isPaired: Bool = false) -> RetryPolicy {
        RetryPolicy(limits: ConnectionLimits(attempts: attempts, backoff: .seconds(1)), isPaired: isPaired)
    }

    @Test func `a failed link is tried again at once, then with growing waits, then given up`() {
        var policy = policy(attempts: 5)
        let failure = ConnectFailure(.linkFailed)
        #expect(policy.next(after: failure, took: quick) == .again(after: .zero, .direct))
        #expect(policy.next(after: failure, took: quick) == .again(after: .seconds(1), .direct))
        #expect(policy.next(after: failure, took: quick) == .again(after: .seconds(2), .afterDiscovery))
        #expect(policy.next(after: failure, took: quick) == .again(after: .seconds(4), .afterDiscovery))
        #expect(policy.next(after: failure, took: quick) == .giveUp(failure))
    }

    @Test func `after a slow failure the next attempt waits for the peripheral's advertisement`() {
        var policy = policy()
        let failure = ConnectFailure(.linkFailed)
        #expect(policy.next(after: failure, took: .seconds(20)) == .again(after: .zero, .afterDiscovery))
    }

    @Test func `after a slow failure of a link that was up, the next attempt is direct`() {
        var policy = policy()
        #expect(
            policy.next(after: ConnectFailure(.servicesUnresolved), took: .seconds(20)) == .again(after: .zero, .direct)
        )
    }

    @Test func `if another attempt is under way, the next one waits a second`() {
        var policy = policy()
        #expect(policy.next(after: ConnectFailure(.busy), took: quick) == .again(after: .seconds(1), .direct))
    }

    @Test func `an attempt that does not end is ended by Disconnect, then given up with advice`() {
        var policy = policy()
        let busy = ConnectFailure(.busy, detail: "In Progress")
        #expect(policy.next(after: busy, took: .zero) == .again(after: .seconds(1), .direct))
        #expect(policy.next(after: busy, took: .zero) == .again(after: .seconds(1), .afterDisconnecting))
        let stuck = ConnectFailure(.stuck, detail: "In Progress")
        #expect(policy.next(after: busy, took: .zero) == .giveUp(stuck))
        #expect(stuck.advice("C0:DE:00:00:00:01").contains("`bluetoothctl remove C0:DE:00:00:00:01`"))
    }

    @Test func `a link that does not exist is disconnected twice`() {
        var policy = policy()
        let stuck = ConnectFailure(.stuck)
        #expect(policy.next(after: stuck, took: .seconds(5)) == .again(after: .zero, .direct))
        #expect(policy.next(after: stuck, took: .zero) == .giveUp(stuck))
    }

    @Test func `a link that has stayed after Disconnect before is disconnected once more`() {
        var policy = RetryPolicy(limits: ConnectionLimits(), isPaired: false, isPhantom: true)
        #expect(policy.next(after: ConnectFailure(.stuck), took: .zero) == .giveUp(ConnectFailure(.stuck)))
    }

    @Test(arguments: [(false, true), (true, false)])
    func `only a peripheral without a bond is removed, once`(isPaired: Bool, isRemoved: Bool) {
        var policy = RetryPolicy(
            limits: ConnectionLimits(attempts: 4, backoff: .seconds(1)), isPaired: isPaired, recovers: true)
        let stuck = ConnectFailure(.stuck)
        _ = policy.next(after: stuck, took: .zero)
        #expect(
            policy.next(after: stuck, took: .zero)
                == (isRemoved ? .again(after: .zero, .afterRemoving) : .giveUp(stuck)))
        #expect(policy.next(after: stuck, took: .zero) == .giveUp(stuck))
    }

    @Test func `after BlueZ has dropped a peripheral, later attempts run during discovery`() {
        var policy = policy()
        #expect(policy.next(after: ConnectFailure(.vanished), took: quick) == .again(after: .zero, .whileDiscovering))
        #expect(
            policy.next(after: ConnectFailure(.linkFailed), took: quick)
                == .again(after: .seconds(1), .whileDiscovering))
    }

    @Test func `a permanent error ends the attempts at once`() {
        for reason in ConnectFailure.Reason.allCases where !ConnectFailure(reason).isTransient {
            var policy = policy()
            #expect(policy.next(after: ConnectFailure(reason), took: quick) == .giveUp(ConnectFailure(reason)))
        }
    }

    @Test func `a limit of one attempt allows no second attempt`() {
        var policy = policy(attempts: 1)
        #expect(policy.next(after: ConnectFailure(.linkFailed), took: quick) == .giveUp(ConnectFailure(.linkFailed)))
        #expect(ConnectionLimits(attempts: 0).attempts == 1)
    }

    @Test(arguments: [(true, true), (false, false)])
    func `three failures of a paired peripheral raise the suspicion of a broken pairing`(
        isPaired: Bool, isSuspected: Bool
    ) {
        var policy = policy(attempts: 3, isPaired: isPaired)
        for _ in 1...2 { _ = policy.next(after: ConnectFailure(.linkFailed), took: quick) }
        var failure = ConnectFailure(.linkFailed)
        failure.suspectsPairing = isSuspected
        #expect(policy.next(after: ConnectFailure(.linkFailed), took: quick) == .giveUp(failure))
    }

    @Test func `failures of another kind in between clear the suspicion`() {
        var policy = policy(attempts: 3, isPaired: true)
        _ = policy.next(after: ConnectFailure(.linkFailed), took: quick)
        _ = policy.next(after: ConnectFailure(.busy), took: quick)
        #expect(policy.next(after: ConnectFailure(.linkFailed), took: quick) == .giveUp(ConnectFailure(.linkFailed)))
    }

    @Test func `the wait stays bounded`() {
        var policy = policy(attempts: 100)
        var last = RetryPolicy.Step.again(after: .zero, .direct)
        for _ in 1..<100 { last = policy.next(after: ConnectFailure(.linkFailed), took: quick) }
        #expect(last == .again(after: .seconds(64), .afterDiscovery))
    }
}
