import StepDomain

/// The year before a demo: what its wearer walked, as weekly syncs have stored it, with days on which the pedometer was
/// not worn.
struct DemoHistory {
    private let model: DemoPedometer
    private let localTime: LocalTime
    private let today: Day

    private static let days = 365

    init(_ model: DemoPedometer, _ localTime: LocalTime, now: Timestamp) {
        self.model = model
        self.localTime = localTime
        today = localTime.day(of: now)
    }

    /// Adds the year to the only pedometer of a history. What the pedometer itself holds is left to its first sync.
    func fill(_ history: some StepHistory) throws {
        guard let pedometer = try history.pedometers().first else { return }
        let end = today.advanced(by: -model.daysHeld)
        var first = today.advanced(by: -Self.days)
        while first < end {
            let next = min(first.advanced(by: 7), end)
            // On the morning after.
            let start = localTime.moment(next, seconds: 7 * 3600 + (next.daysSince1970 * 7919) % 1800)
            let sync = try history.beginSync(of: pedometer.id, at: start)
            _ = try history.merge(batch(of: first..<next), sync: sync, localTime: localTime)
            try history.endSync(
                sync, at: start + 9, outcome: .complete, battery: 40 + (next.daysSince1970 * 31) % 60, failure: nil,
                cause: nil)
            first = next
        }
        let forgotten = today.advanced(by: -20)
        try history.setCorrection(
            StepCorrection(steps: 9_500, reason: "walked without the \(model.name)"), of: pedometer.user, on: forgotten,
            at: localTime.moment(forgotten, seconds: 21 * 3600))
    }

    /// The year before that, which another program has recorded.
    func exported() -> [StepSample] {
        (1...Self.days).reversed().flatMap { model.samples(of: today.advanced(by: -Self.days - $0), in: localTime) }
    }

    private func batch(of days: Range<Day>) -> SampleBatch {
        var batch = SampleBatch()
        for day in days {
            let age = today.daysSince1970 - day.daysSince1970
            // Three days without it each quarter, and now and then an evening.
            if (80...82).contains(age % 91) { continue }
            let whole = localTime.span(of: day)
            let worn = age % 61 == 30 ? TimeSpan(whole.start, localTime.moment(day, seconds: 15 * 3600)) : whole
            let walked = model.samples(of: day, in: localTime).map { Self.scaled($0, by: Self.activity(on: day)) }
            batch.samples += walked.filter { $0.start >= worn.start && $0.start + $0.length <= worn.end }
            batch.coverage.append(worn)
        }
        return batch
    }

    /// The simulated pedometers have the same walks each week: a year of them would look the same each week, too.
    ///
    /// - Returns: 0.45 to 1.2; 1 to 4 on a Sunday, because the simulated walks of Sundays are short. A day has the same
    ///   factor in every demo.
    private static func activity(on day: Day) -> Double {
        var bits = UInt64(bitPattern: Int64(day.daysSince1970)) &* 0x9E37_79B9_7F4A_7C15
        bits ^= bits >> 32
        let part = Double(bits % 1000) / 1000
        return day.weekday == .sunday ? 1 + 3 * part : 0.45 + 0.75 * part
    }

    private static func scaled(_ sample: StepSample, by factor: Double) -> StepSample {
        var sample = sample
        sample.steps = max(1, Int(Double(sample.steps) * factor))
        sample.distance = sample.distance.map { $0 * factor }
        sample.energy = sample.energy.map { $0 * factor }
        return sample
    }
}
