import StepDomain
import TestSupport

@testable import StepViews

/// A sample day, and variants of it with single values changed.
enum Sample {
    static let localTime = LocalTime.berlin
    static let day = localTime.day(of: localTime.at("2014-04-20", 12))
    static let now = localTime.at("2014-04-21", 10, 30)
    static let synced = localTime.at("2014-04-21", 7, 30)

    static let steps = [7: 812, 8: 1650, 9: 40, 12: 2210, 13: 380, 17: 1104, 18: 2600, 21: 5]

    /// 8,801 steps of Easter Sunday 2014.
    static func summary(
        _ day: Day = day, steps: [Int: Int] = steps, change: (inout DaySummary) -> Void = { _ in }
    ) -> DaySummary {
        let track = DayData.Track(
            pedometer: 1, name: "ring",
            samples: steps.sorted { $0.key < $1.key }.map {
                StepSample(
                    start: localTime.moment(day, seconds: $0.key * 3600), length: 3600, steps: $0.value, utcOffset: 7200
                )
            }, coverage: localTime.covered(localTime.span(of: day)))
        let data = DayData(
            user: User(id: 1, name: "anna"), day: day, tracks: [track],
            profile: Profile(validFrom: Day(daysSince1970: 0), height: 1.7, weight: 62, sex: .female),
            plan: SportPlan(validFrom: Day(daysSince1970: 0), everyDay: 8000), lastSync: synced)
        var summary = DaySummary(data, localTime: localTime, now: now)
        change(&summary)
        return summary
    }

    static func view(_ day: Day = day, change: (inout DaySummary) -> Void = { _ in }) -> DayView {
        view(summary(day, change: change))
    }

    static func view(_ summary: DaySummary) -> DayView {
        DayView(summary, today: localTime.day(of: now), now: now, localTime: localTime)
    }

    static let models = ModelTitles(kinds: [PedometerKind(key: "colmi", title: "a smart ring")], formats: [])

    static func pedometer(_ name: String = "ring", clock: ClockState = ClockState()) -> Pedometer {
        Pedometer(
            id: 1, user: 1, model: "colmi", address: "C0:DE:00:00:00:01", addressType: "public", name: name,
            clock: clock,
            cursor: PedometerCursor(readThrough: synced))
    }

    static func sync(
        _ outcome: SyncRecord.Outcome = .complete, at start: Timestamp = synced, battery: Int? = 81,
        failure: String? = nil
    ) -> SyncRecord {
        SyncRecord(
            id: 1, pedometer: 1, start: start, end: outcome == .running ? nil : start + 4, outcome: outcome,
            battery: battery,
            counts: MergeCounts(added: 40, grown: 2, unchanged: 7, steps: 8801, frames: 60), failure: failure)
    }

    static let plain = TextStyle()
    static let ascii = TextStyle(unicode: false)
}

extension View {
    func text(_ style: TextStyle = Sample.plain) -> String { lines(style).joined(separator: "\n") }
}
