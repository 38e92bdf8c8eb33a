import StepDomain
import TestSupport

/// The steps of a person in each quarter of an hour, wherever that is: the steps to which a history is compared.
struct Walker: Sendable {
    let seed: UInt64
    let itinerary: Itinerary

    static let quarter = 900

    /// - Parameter moment: the beginning of a quarter of an hour.
    func steps(at moment: Timestamp) -> Int {
        let wall = moment.seconds + itinerary.utcOffset(at: moment)
        let (hour, minute) = (wall / 3600 % 24, wall / 60 % 60)
        var dice = SeededGenerator(seed: seed &+ UInt64(moment.seconds) &* 0x9e37_79b9_7f4a_7c15)
        if isWakeful(moment) { return (1..<5).contains(hour) ? Int.random(in: 20...60, using: &dice) : 0 }
        // A traveller sits, except in the hour in which all places have the same date: at other times it is not defined
        // to which place a step belongs.
        if itinerary.isJourney(Day(of: moment, utcOffset: 0)) { return moment.seconds / 3600 % 24 == 13 ? 120 : 0 }
        switch hour {
        case 7, 12, 17: return Int.random(in: 300...1300, using: &dice)
        case 8..<22: return Int.random(in: 0...9, using: &dice) < 6 ? Int.random(in: 5...200, using: &dice) : 0
        case 22 where minute < 30: return Int.random(in: 0...40, using: &dice)
        default: return 0
        }
    }

    /// In the nights of clock changes people dance, so that skipped and repeated hours have steps.
    private func isWakeful(_ moment: Timestamp) -> Bool {
        guard (0..<6).contains((moment.seconds + itinerary.utcOffset(at: moment)) / 3600 % 24) else { return false }
        let localTime = itinerary.localTime(at: moment)
        return localTime.utcOffset(moment - 6 * 3600) != localTime.utcOffset(moment + 6 * 3600)
    }
}
