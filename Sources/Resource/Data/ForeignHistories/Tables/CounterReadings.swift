import StepDomain

/// The readings of one device's counter that begins with each day, in any order.
struct CounterReadings {
    private struct Reading {
        var value: Int
        var at: Timestamp
        var offset: Int

        /// The reading at midnight closes the day before.
        var day: Day { Day(of: at - 1, utcOffset: offset) }
    }

    private var readings: [Reading] = []

    /// By index, the later moments of readings whose time clocks show twice.
    private var laterMoments: [Int: Timestamp] = [:]

    /// - Parameters:
    ///   - moment: the first one at which clocks show the time of the reading, and `later` the last one.
    ///   - utcOffset: at the first one.
    mutating func add(_ value: Int, at moment: Timestamp, or later: Timestamp, utcOffset: Int) {
        if later > moment { laterMoments[readings.count] = later }
        readings.append(Reading(value: value, at: moment, offset: utcOffset))
    }

    /// The readings with the hour that clocks show twice: from the first one whose clock time is before that of a lower
    /// count, all are of its second time.
    private var placed: [Reading] {
        var placed = readings
        var (last, isLater) = (Reading?.none, false)
        let repeated = laterMoments.keys.sorted {
            let (a, b) = (readings[$0], readings[$1])
            return (a.day, a.value, a.at) < (b.day, b.value, b.at)
        }
        for index in repeated {
            let reading = readings[index]
            isLater = last?.day == reading.day && (isLater || reading.at < last?.at ?? reading.at)
            last = reading
            guard isLater, let later = laterMoments[index] else { continue }
            placed[index].offset -= later - reading.at
            placed[index].at = later
        }
        return placed
    }

    /// The differences from reading to reading; what the counter has at the first one of a day was made since midnight.
    ///
    /// Of several readings of one moment, the greatest counts: a file can have a line twice.
    func samples(_ localTime: LocalTime) -> [StepSample] {
        var samples: [StepSample] = []
        var last: Reading?
        let sorted = placed.sorted { ($0.at, $0.value) < ($1.at, $1.value) }
        for (index, reading) in sorted.enumerated() {
            if index + 1 < sorted.count, sorted[index + 1].at == reading.at { continue }
            if let last, last.day == reading.day {
                // Below the reading before: it has begun again.
                let grown = reading.value >= last.value ? reading.value - last.value : reading.value
                samples.append(
                    StepSample(start: last.at, length: reading.at - last.at, steps: grown, utcOffset: last.offset))
            } else {
                samples.append(Self.first(reading, after: last, localTime))
            }
            last = reading
        }
        return samples
    }

    /// - Parameter before: the last reading of an earlier day.
    private static func first(_ reading: Reading, after before: Reading?, _ localTime: LocalTime) -> StepSample {
        let isHere = reading.offset == localTime.utcOffset(reading.at)
        let midnight =
            isHere
            ? localTime.moment(reading.day) : Timestamp(reading.day.daysSince1970 * 86_400 - reading.offset)
        let length = reading.at - midnight
        var steps = reading.value
        if let before, !isReset(reading.value, seconds: length, after: before.value) { steps -= before.value }
        return StepSample(
            start: midnight, length: length, steps: steps,
            utcOffset: isHere ? localTime.utcOffset(midnight) : reading.offset)
    }

    /// Whether the first reading of a day counts this day alone. Old firmware of InfiniTime sets the counter to 0 when
    /// the watch next wakes up (https://github.com/InfiniTimeOrg/InfiniTime/issues/1270).
    ///
    /// - Parameters:
    ///   - seconds: since midnight.
    ///   - before: the last reading of an earlier day.
    static func isReset(_ value: Int, seconds: Int, after before: Int) -> Bool {
        !(value >= before && seconds < 3600 && before > 0 && value > 2000)
    }
}
