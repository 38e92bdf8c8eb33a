import StepDomain
import StepServices
import TestSupport
import Testing

/// What of a day counts is what the merge of its sources counts.
@Suite(.timeLimit(.minutes(5))) struct DayProvenanceTests {
    @Test func `of samples of the same time those of the source with more steps count`() throws {
        let localTime = LocalTime.berlin, day = try #require(Day("2014-04-20"))
        func sample(_ hour: Int, _ steps: Int, seconds: Int = 3600) -> StepSample {
            StepSample(
                start: localTime.moment(day, seconds: hour * 3600), length: seconds, steps: steps, utcOffset: 7200)
        }
        let data = DayData(
            user: User(id: 1, name: "anna"), day: day,
            tracks: [
                .init(
                    pedometer: 1, name: "ring", samples: [sample(7, 800), sample(8, 100), sample(9, 0)],
                    excluded: [sample(12, 40)], implausible: [sample(10, 60_000, seconds: 60)]),
                .init(pedometer: 2, name: "watch", samples: [sample(8, 300)]),
            ])
        let sources = try DayProvenance(of: data, in: InMemoryHistory(), localTime: localTime).sources
        #expect(
            sources.map(\.slots).map { $0.map(\.state) } == [[.counted, .other, .implausible, .excluded], [.counted]])
        #expect(sources.map(\.recorded) == [940, 300] && sources.map(\.counted) == [800, 300])
        #expect(sources.map(\.counted).reduce(0, +) == DaySummary(data, localTime: localTime, now: noon).steps)
    }

    private let noon = LocalTime.berlin.at("2014-04-21", 12)
}
