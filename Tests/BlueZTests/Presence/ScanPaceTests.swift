import Testing

@testable import BlueZ

@Suite(.timeLimit(.minutes(5))) struct ScanPaceTests {
    @Test func `scans run once a minute at first`() {
        var pace = ScanPace()
        #expect(pace.next(discovered: false) == .seconds(55))
        #expect(pace.next(discovered: true) == .seconds(55))
    }

    @Test func `the pause between scans grows while no device is seen`() {
        var pace = ScanPace()
        var pauses: [Duration] = []
        var passed = Duration.zero
        var changes: [Duration: Duration] = [:]
        for _ in 0..<300 {
            let pause = pace.next(discovered: false)
            passed += .seconds(60)
            if pauses.last != pause { changes[pause] = passed }
            pauses.append(pause)
        }
        #expect(changes[.seconds(55)] == .seconds(60))
        #expect(changes[.seconds(115)] == .seconds(3600))
        #expect(changes[.seconds(295)] == .seconds(4 * 3600))
        #expect(pauses.last == .seconds(295))
        // Once it is heard again, the pause is as at the beginning.
        #expect(pace.next(discovered: true) == .seconds(55))
        #expect(pace.next(discovered: false) == .seconds(55))
    }

    @Test func `scans beside a monitor run every five minutes`() {
        var pace = ScanPace().besideMonitor
        #expect(pace.beginsWithPause)
        #expect(pace.pause == .seconds(295))
        #expect(pace.next(discovered: true) == .seconds(295))
    }
}
