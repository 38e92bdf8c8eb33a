import StepDomain
import TestSupport

/// Random days as they could be: some pedometers, each with its own slot length, gaps, and now and then hours in one
/// sample.
enum RandomDay {
    static func tracks(
        of word: String, in localTime: LocalTime, using generator: inout SeededGenerator
    ) -> [DayData.Track] {
        let span = localTime.span(of: Day(word) ?? Day(daysSince1970: 0))
        return (1...Int.random(in: 1...4, using: &generator)).map { id in
            let length = [60, 900, 3600, 5400, 20_000].randomElement(using: &generator) ?? 900
            var samples: [StepSample] = []
            var start = span.start + Int.random(in: 0..<3600, using: &generator)
            while start < span.end {
                if Bool.random(using: &generator) {
                    let steps = Int.random(in: 0...(length * 2), using: &generator)
                    samples.append(
                        StepSample(start: start, length: length, steps: steps, utcOffset: localTime.utcOffset(start)))
                }
                start = start + length + (Int.random(in: 0..<4, using: &generator) == 0 ? 777 : 0)
            }
            return DayData.Track(
                pedometer: Int64(id), name: "track \(id)", samples: samples,
                coverage: localTime.covered(TimeSpan(span.start, start)))
        }
    }
}

extension MergedTracks {
    /// The sum of what counts.
    var steps: Int { samples.reduce(0) { $0 + $1.steps } }
}
