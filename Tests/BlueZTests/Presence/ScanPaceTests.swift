import Testing

@testable import BlueZ

struct ScanPaceTests {
    @Test func aMinuteAtFirst() {
        var pace = ScanPace()
        #expect(pace.next(heard: false) == .seconds(55))
        #expect(pace.next(heard: true) == .seconds(55))
    }

    @Test func moreSeldomTheLongerNobodyIsHeard() {
        var pace = ScanPace()
        var pauses: [Duration] = []
        var passed = Duration.zero
        var changes: [Duration: Duration] = [:]
        for _ in 0..<300 {
            let pause = pace.next(heard: false)
            passed += .seconds(60)
            if pauses.last != pause { changes[pause] = passed }
            pauses.append(pause)
        }
        #expect(changes[.seconds(55)] == .seconds(60))
        #expect(changes[.seconds(115)] == .seconds(3600))
        #expect(changes[.seconds(295)] == .seconds(4 * 3600))
        #expect(pauses.last == .seconds(295))
        // Back again, it is looked for as in the beginning.
        #expect(pace.next(heard: true) == .seconds(55))
        #expect(pace.next(heard: false) == .seconds(55))
    }

    @Test func besideAMonitorTheyAreSeldom() {
        var pace = ScanPace().besideMonitor
        #expect(pace.beginsWithPause)
        #expect(pace.pause == .seconds(295))
        #expect(pace.next(heard: true) == .seconds(295))
    }
}
