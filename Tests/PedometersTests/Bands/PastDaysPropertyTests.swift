import SimulatedBlueZ
import StepDomain
import TestSupport
import Testing

@testable import Pedometers

/// Bands with totals of past days that are read at any hours of many days, or not at all.
@Suite(.timeLimit(.minutes(5))) struct PastDaysPropertyTests {
    @Test(arguments: UInt64(1)...24)
    func `no step counts twice, and what is kept of each day is what was stored`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let isReversed = Bool.random(using: &random), hasHistory = Int.random(in: 0..<8, using: &random) > 0
        let band =
            Bool.random(using: &random)
            ? WornBand(CRP.self, seed: seed) { .crp($0, hasHistory: hasHistory) }
            : WornBand(MoYoung.self, seed: seed) {
                .moYoung($0, .stepsFirst, isReversed: isReversed, sendsPast: hasHistory)
            }
        for day in 0..<9 where Int.random(in: 0..<4, using: &random) > 0 {
            let hours = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                Int.random(in: 0..<24 * 60, using: &random)
            }
            for minute in Set(hours).sorted() {
                // Now and then the link is lost.
                let cut = Int.random(in: 0..<6, using: &random) == 0 ? Int.random(in: 2...12, using: &random) : .max
                try band.sync(day, minute / 60, minute % 60, linkEndsAfter: cut)
                try #require(band.steps(day) != nil, "samples overlap")
            }
        }
        let days = try (-8...9).map { day in (day, stored: try #require(band.steps(day)), truth: band.truth(day)) }
        #expect(days.reduce(0) { $0 + $1.stored } <= days.reduce(0) { $0 + $1.truth })
        for (day, stored, truth) in days {
            // Without totals, steps of an undecided reading are divided by time between two days.
            #expect(stored <= truth || !hasHistory, "day \(day)")
            if let known = band.cursor.pastDays?.counted.first(where: { $0.day == BandFixture.today.advanced(by: day) })
            {
                #expect(known.steps == stored, "day \(day)")
            }
        }
    }
}
