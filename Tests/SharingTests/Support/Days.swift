import StepDomain

extension User {
    static let anna = User(id: 1, name: "Anna")
}

extension SharedDay {
    /// Easter Sunday of 2014, and how Anna walked on it.
    static func easter(
        of user: User = .anna, steps: Int = 8123, metres: Double? = 5432.4, kilocalories: Double? = 231.6,
        goal: Int? = 10_000,
        completeness: DaySummary.Completeness = .complete, hours: [Int: Int] = [:], isInProgress: Bool = false,
        later: Int = 0,
        tracks: [Track] = []
    ) -> SharedDay {
        let day = Day(daysSince1970: 16_180 + later)
        // By Berlin's clocks.
        let midnight = Timestamp(day.daysSince1970 * 86_400 - 7200)
        let slots =
            hours.isEmpty
            ? []
            : (0..<24).map {
                DaySummary.Hour(start: midnight + $0 * 3600, hour: $0, utcOffset: 7200, steps: hours[$0] ?? 0)
            }
        let summary = DaySummary(
            user: user, day: day, steps: steps, distance: metres, energy: kilocalories, goal: goal,
            isRestDay: goal == nil, percentage: goal.map { Double(steps) * 100 / Double($0) }, hours: slots,
            completeness: completeness,
            isInProgress: isInProgress)
        guard let shared = SharedDay(summary, tracks: tracks) else { preconditionFailure("a day with steps") }
        return shared
    }
}

extension SharedDay {
    /// The same day, deleted.
    static var deleted: SharedDay {
        let summary = DaySummary(
            user: .anna, day: Day(daysSince1970: 16_180), steps: nil, distance: nil, energy: nil, goal: 10_000,
            isRestDay: false, percentage: nil, hours: [], completeness: .unknown, isInProgress: false)
        guard let shared = SharedDay(summary, isDeleted: true) else { preconditionFailure("a deleted day") }
        return shared
    }
}

extension SharedDay.Track {
    /// Steps on the way to church and back, a quarter of an hour each.
    static func track(_ pedometer: String, steps: Int...) -> SharedDay.Track {
        let samples = steps.enumerated().map { index, steps in
            StepSample(
                start: Timestamp(1_397_980_800 + index * 900), length: 900, steps: steps,
                distance: Double(steps) * 0.75, energy: nil,
                utcOffset: 7200)
        }
        return SharedDay.Track(pedometer: pedometer, samples: samples)
    }
}

extension SharePayload {
    init(_ day: SharedDay) { self.init(day: day, key: day.fingerprint) }

    /// The correction after a confirmed delivery of the same day.
    func corrected(to day: SharedDay, _ receipt: ShareReceipt?) -> SharePayload {
        SharePayload(day: day, key: day.fingerprint, remoteID: receipt?.remoteID, isConfirmed: true)
    }
}
