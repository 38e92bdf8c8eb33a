import StepDomain
import Testing

@testable import StepServices
@testable import StepViews

@Suite(.timeLimit(.minutes(5))) struct DayExplanationTests {
    static let view: DayExplanationView = {
        func slot(_ hour: Int, _ steps: Int, _ state: DayProvenance.Slot.State) -> DayProvenance.Slot {
            let start = Sample.localTime.moment(Sample.day, seconds: hour * 3600)
            return .init(sample: StepSample(start: start, length: 3600, steps: steps, utcOffset: 7200), state: state)
        }
        let ring = DayProvenance.Source(
            name: "ring", isImported: false, recorded: 8801, counted: 7151, implausible: 60_000,
            slots: [
                slot(7, 812, .counted), slot(8, 1650, .other), slot(10, 60_000, .implausible), slot(23, 40, .excluded),
            ],
            syncs: [DaySync(pedometer: 1, start: Sample.synced, end: Sample.synced + 9, slots: 8, steps: 8801)],
            completedBy: Sample.synced, isLookedUp: true)
        let watch = DayProvenance.Source(
            name: "watch\u{1b}", isImported: true, recorded: 1700, counted: 1700, implausible: 0,
            slots: [slot(8, 1700, .counted)],
            syncs: [], completedBy: nil, isLookedUp: true)
        let profile = Profile(validFrom: Day(daysSince1970: 0), height: 1.7, weight: 62, sex: .female)
        return DayExplanationView(
            Sample.view(), DayProvenance(sources: [ring, watch], stepLength: StepLength(profile)))
    }()

    @Test func `each sample is listed with whether it counts, and why not`() {
        #expect(
            Self.view.lines(TextStyle()).prefix(12) == [
                "anna · Sunday 20 April 2014: 8,801 steps", "", "ring",
                "  8,801 steps recorded, 7,151 counted, 60,000 implausible",
                "  07:00 to 08:00      812  counted",
                "  08:00 to 09:00    1,650  not counted: another source has more",
                "  10:00 to 11:00   60,000  not counted: implausible",
                "  23:00 to 24:00       40  not counted: excluded by you",
                "  sync of 2014-04-21 07:30: 8 samples, 8,801 steps", "", "watch\u{fffd}",
                "  1,700 steps recorded, 1,700 counted",
            ], "\(Self.view.lines(TextStyle()))")
    }

    @Test func `the rules behind the figures are named, in the reader's units`() {
        var style = TextStyle()
        style.units = .imperial
        let text = Self.view.lines(style).joined(separator: " ")
        #expect(text.contains("the one with more steps counts"))
        #expect(text.contains("a step length estimated from the height, 27.6 in"), "\(text)")
        #expect(text.contains("Calories: by weight and distance, above rest."))
    }
}
