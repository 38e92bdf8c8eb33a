import StepDomain
import Testing

@testable import istep

/// Since when a watch has listened: 2026-05-20 from noon on, with a sign of life each minute.
struct VigilTests {
    private let noon = Timestamp(1_779_278_400)
    private let hour = 3600

    private func vigil(for ids: [Pedometer.ID] = [1]) -> Vigil {
        var vigil = Vigil(pause: 180)
        vigil.begin(for: ids, at: noon)
        vigil.isAwake(at: noon)
        return vigil
    }

    /// Awake each minute until then.
    private func pass(_ vigil: inout Vigil, _ span: ClosedRange<Timestamp>) {
        for moment in stride(from: span.lowerBound.seconds, through: span.upperBound.seconds, by: 60) {
            vigil.isAwake(at: Timestamp(moment))
        }
    }

    private func takesThought(_ vigil: inout Vigil, _ moment: Timestamp) -> Bool { vigil.takesThought(at: moment) }

    @Test func itLastsWhileSomebodyListens() {
        var vigil = vigil(for: [1, 2])
        pass(&vigil, noon...noon + 30 * hour)
        vigil.begin(for: [1, 2], at: noon + 30 * hour)
        #expect(vigil.listening.since == [1: noon, 2: noon])
    }

    @Test func nobodyIsListenedForBeforeItBegins() {
        var vigil = Vigil(pause: 180)
        vigil.attend(to: [1], at: noon)
        #expect(vigil.listening.since == [:])
        vigil.begin(for: [1], at: noon + 60)
        #expect(vigil.listening.since == [1: noon + 60])
    }

    @Test func aNewPedometerIsListenedForFromThenOnAndOneThatIsGoneNoMore() {
        var vigil = vigil()
        vigil.attend(to: [1, 2], at: noon + hour)
        #expect(vigil.listening.since == [1: noon, 2: noon + hour])
        vigil.attend(to: [2], at: noon + 2 * hour)
        #expect(vigil.listening.since == [2: noon + hour])
        vigil.attend(to: [1, 2], at: noon + 3 * hour)
        #expect(vigil.listening.since == [1: noon + 3 * hour, 2: noon + hour])
    }

    @Test func anAdapterThatIsGoneBreaksIt() {
        var vigil = vigil()
        vigil.end(because: "no adapter", at: noon)
        vigil.attend(to: [1], at: noon + 60)
        #expect(vigil.listening.since == [:])
        vigil.begin(for: [1], at: noon + 120)
        #expect(vigil.listening.since == [1: noon + 120])
    }

    /// In seconds: asleep for eight hours; a clock put a day back; set right by an hour.
    @Test(arguments: [8 * 3600, -86_400, 3600]) func aMachineThatSleptAndAClockThatIsSetBreakIt(jump: Int) {
        var vigil = vigil()
        pass(&vigil, noon...noon + Vigil.leisure)
        #expect(takesThought(&vigil, noon + Vigil.leisure))
        let then = noon + Vigil.leisure + jump
        vigil.isAwake(at: then)
        #expect(vigil.listening.since == [1: then])
        // And silence is not thought about at once, as though it had lasted.
        #expect(takesThought(&vigil, then) == false)
        pass(&vigil, then...then + Vigil.leisure)
        #expect(takesThought(&vigil, then + Vigil.leisure) == true)
    }

    @Test func aClockThatIsCorrectedByAMinuteDoesNot() {
        var vigil = vigil()
        for moment in [noon + 60, noon, noon + 60, noon + 230] { vigil.isAwake(at: moment) }
        #expect(vigil.listening.since == [1: noon])
    }

    @Test func silenceIsThoughtAboutFourTimesADay() {
        var vigil = vigil()
        var thoughts: [Int] = []
        for minute in 0..<24 * 60 {
            vigil.isAwake(at: noon + minute * 60)
            if vigil.takesThought(at: noon + minute * 60) { thoughts.append(minute / 60) }
        }
        #expect(thoughts == [6, 12, 18])
    }

    @Test func thereIsNothingToThinkAboutWithoutAPedometer() {
        var alone = vigil(for: [])
        #expect(takesThought(&alone, noon + 7 * hour) == false)
    }

    /// The reason may change, and the machine may try again and again: it is deaf since the first.
    @Test func deafnessLastsUntilSomebodyListensAgain() {
        var vigil = vigil()
        vigil.end(because: "no adapter", at: noon)
        vigil.end(because: "no bluetoothd", at: noon + hour)
        #expect(vigil.listening == Listening(deafness: .init(since: noon, reason: "no bluetoothd")))
        #expect(takesThought(&vigil, noon + 7 * hour) == true)
        vigil.begin(for: [1], at: noon + 8 * hour)
        #expect(vigil.listening == Listening(since: [1: noon + 8 * hour]))
    }

    @Test func aMachineThatSleptWasNotDeafMeanwhile() {
        var vigil = vigil()
        vigil.end(because: "no adapter", at: noon)
        vigil.isAwake(at: noon + 80 * hour)
        #expect(vigil.listening.deafness?.since == noon + 80 * hour)
    }
}
