internal import StepDomain

/// Converts times of a pedometer's wall clock to moments.
///
/// A pedometer shows what it was last set to: it does not follow daylight saving or travel. So a slot that began after
/// istep set the clock is in that setting's offset, whatever local clocks have done since.
struct WallClockConverter {
    let settings: [ClockState.Setting]
    let localTime: LocalTime
    /// The first of the settings is what the clock was seen to show, not one made by istep: it shows nothing about the
    /// place.
    private let beginsObserved: Bool

    init(_ clock: ClockState, _ localTime: LocalTime) {
        settings = clock.settings
        self.localTime = localTime
        beginsObserved = false
    }

    private init(observed setting: ClockState.Setting, before clock: WallClockConverter) {
        settings = [setting] + clock.settings
        localTime = clock.localTime
        beginsObserved = true
    }

    /// The same clock, with what it showed before the first setting.
    func since(_ setting: ClockState.Setting) -> WallClockConverter {
        WallClockConverter(observed: setting, before: self)
    }

    struct Interpretation: Hashable {
        var start: Timestamp
        /// Seconds: those of the slot, or fewer where the clock was put forward out of it or into it.
        var length: Int
        /// Seconds east of Greenwich at the place where the steps were made.
        var utcOffset: Int

        /// Seconds of a sample. The pedometer's clock may drift, so that a part of a slot can need more than it has.
        ///
        /// - Parameter slot: seconds of the whole slot.
        func seconds(for steps: Int, of slot: Int) -> Int {
            length < slot ? min(slot, max(length, StepSample.minimumLength(for: steps))) : length
        }
    }

    /// - Parameters:
    ///   - wall: seconds since 1970 as the pedometer's clock showed them when the slot began.
    ///   - length: seconds of the slot: the one in which the clock was set belongs to the new setting.
    func interpret(wall: Int, length: Int) -> Interpretation {
        for (index, setting) in settings.enumerated().reversed() {
            var start = Timestamp(wall - setting.utcOffset), end = start + length
            guard end > setting.at else { continue }
            // The slot out of which a clock is put forward and the one into which it is put would have one time in UTC.
            if let change = change(before: index) { start = max(start, change.at) }
            if let change = change(after: index) { end = max(start + 1, min(end, change.at)) }
            let isObserved = beginsObserved && index == 0
            return Interpretation(
                start: start, length: end - start,
                utcOffset: isObserved ? localTime.utcOffset(start) : setting.offset(at: start, localTime))
        }
        // Older than every setting made by istep: the local time of the place where the clock was first set is the best
        // guess. The machine can be in another zone by now.
        if let first = settings.first, localTime.utcOffset(first.at) != first.utcOffset {
            return Interpretation(
                start: Timestamp(wall - first.utcOffset), length: length, utcOffset: first.utcOffset)
        }
        let day = Day(of: Timestamp(wall), utcOffset: 0)
        let start = localTime.moment(day, seconds: wall - day.daysSince1970 * 86_400)
        return Interpretation(start: start, length: length, utcOffset: localTime.utcOffset(start))
    }

    /// The setting that put the clock forward to what it showed after a setting; nil if it was not put forward. Each
    /// sync sets the clock, mostly to the same offset.
    private func change(before index: Int) -> ClockState.Setting? {
        let offset = settings[index].utcOffset
        guard let before = settings[..<index].lastIndex(where: { $0.utcOffset != offset }),
            settings[before].utcOffset < offset
        else { return nil }
        return settings[before + 1]
    }

    /// The next setting with another offset, if it put the clock forward.
    private func change(after index: Int) -> ClockState.Setting? {
        let offset = settings[index].utcOffset
        return settings[index...].first { $0.utcOffset != offset }.flatMap { $0.utcOffset > offset ? $0 : nil }
    }

    /// The moment from which on the pedometer's clock showed at least `wall`. If the clock was put forward beyond
    /// `wall` (a flight to the east), it is the moment of the setting; if it was put back to before `wall`, the later
    /// of the two moments.
    func moment(wall: Int) -> Timestamp {
        var next: Timestamp?
        for setting in settings.reversed() {
            let start = Timestamp(wall - setting.utcOffset)
            if start >= setting.at { return next.map { min(start, $0) } ?? start }
            next = setting.at
        }
        let start = interpret(wall: wall, length: 1).start
        return next.map { min(start, $0) } ?? start
    }

    /// What the pedometer's clock shows at a moment, seconds since 1970.
    func wall(at moment: Timestamp) -> Int {
        moment.seconds + (settings.last?.utcOffset ?? localTime.utcOffset(moment))
    }
}
