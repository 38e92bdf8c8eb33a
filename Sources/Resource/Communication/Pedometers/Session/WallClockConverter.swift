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
        /// Seconds east of Greenwich at the place where the steps were made.
        var utcOffset: Int
    }

    /// - Parameters:
    ///   - wall: seconds since 1970 as the pedometer's clock showed them when the slot began.
    ///   - length: seconds of the slot: the one in which the clock was set belongs to the new setting.
    func interpret(wall: Int, length: Int) -> Interpretation {
        for (index, setting) in settings.enumerated().reversed() {
            let start = Timestamp(wall - setting.utcOffset)
            guard start + length > setting.at else { continue }
            let isObserved = beginsObserved && index == 0
            return Interpretation(
                start: start, utcOffset: isObserved ? localTime.utcOffset(start) : setting.offset(at: start, localTime))
        }
        // Older than every setting made by istep: local time is the best guess.
        let day = Day(of: Timestamp(wall), utcOffset: 0)
        let start = localTime.moment(day, seconds: wall - day.daysSince1970 * 86_400)
        return Interpretation(start: start, utcOffset: localTime.utcOffset(start))
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
