internal import StepDomain

/// Compares the steps that a ring counts today with those that it has recorded.
///
/// A ring whose clock has stopped counts on, and records nothing: each night it sends no records, or only old ones
/// (PulseLoopAndroid, issue 56). A record that has not ended yet looks the same, so the comparison is made with the
/// reading before: what the ring had counted and not recorded then must be in a record that has ended since. Of a ring
/// that was never read, and has no record at all, nothing more needs to be known.
struct YCBTCountCheck {
    /// Steps below which nothing is reported: a few minutes of walking.
    private static let leastSteps = 200
    /// Seconds after which the record of the present time has ended. The longest that is known is half an hour.
    private static let maximumRecord = 3_600
    /// Seconds between the end of a record and its storage.
    private static let delay = 900

    /// Whether all steps that it counts are in its records.
    let isRecorded: Bool
    /// The steps that it counts and has not recorded, for the next reading; nil if it did not send its count.
    let mark: CounterReading?
    let notices: [SyncNotice]

    /// - Parameters:
    ///   - records: with steps, and at a time that the ring can hold.
    ///   - counted: the steps of today by the ring's own count; nil if it did not send them.
    init(
        _ context: SessionContext, _ converter: WallSlotConverter, _ records: [WallRecord], counted: Int?,
        at now: Timestamp
    ) {
        guard let counted else {
            (isRecorded, mark, notices) = (false, nil, [])
            return
        }
        let today = records.filter { DeviceClock(wall: $0.wall).day == converter.today(now) }.reduce(0) {
            $0 + $1.steps
        }
        let rest = max(0, counted - today)
        isRecorded = rest <= DeviceTotal.tolerance
        // Of a ring that records most of its steps, the rest is no sign of a clock that has stopped.
        mark = CounterReading(
            at: now, value: rest * 2 > counted ? rest : 0, utcOffset: context.localTime.utcOffset(now))
        let cursor = context.pedometer.cursor
        var hasStopped = false
        if let before = cursor.counter, before.value >= Self.leastSteps, now - before.at >= Self.maximumRecord {
            let wall = converter.clock.wall(at: before.at)
            hasStopped = !records.contains { $0.wall + $0.length > wall - Self.delay }
        } else if cursor.readThrough == nil, records.isEmpty {
            hasStopped = counted >= Self.leastSteps
        }
        notices = hasStopped ? [.stepsInDoubt(.unrecorded(counted))] : []
    }
}
