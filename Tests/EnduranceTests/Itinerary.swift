import Foundation
import StepDomain

/// Where a person is on which days.
struct Itinerary: Sendable {
    struct Stay: Sendable {
        var from: Day
        var zone: TimeZone
    }

    /// Sorted; the first one also applies to all time before it.
    var stays: [Stay]

    init(_ stays: (String, String)...) {
        self.stays = stays.map { Stay(from: Day($0.0)!, zone: TimeZone(identifier: $0.1)!) }
    }

    /// By days of Greenwich: journeys are made at a time when nobody walks.
    func zone(at moment: Timestamp) -> TimeZone {
        let day = Day(of: moment, utcOffset: 0)
        return (stays.last { $0.from <= day } ?? stays[0]).zone
    }

    func localTime(at moment: Timestamp) -> LocalTime { .zone(zone(at: moment)) }

    func utcOffset(at moment: Timestamp) -> Int { localTime(at: moment).utcOffset(moment) }

    /// Whether the person departs or arrives on the day.
    func isJourney(_ day: Day) -> Bool { stays.dropFirst().contains { $0.from == day } }
}
