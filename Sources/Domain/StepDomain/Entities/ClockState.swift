/// How istep set a pedometer's clock: the pedometer stamps slots with the time that its clock showed, and does not know
/// daylight saving or travel.
public struct ClockState: Hashable, Sendable, Codable {
    /// The clock was set at `at` to local time, `utcOffset` seconds east of Greenwich.
    public struct Setting: Hashable, Sendable, Codable {
        public let at: Timestamp
        public let utcOffset: Int

        public init(at: Timestamp, utcOffset: Int) {
            self.at = at
            self.utcOffset = utcOffset
        }
    }

    /// Oldest first. Settings that are too old for any slot in the pedometer's memory are dropped.
    public private(set) var settings: [Setting]

    public init(settings: [Setting] = []) { self.settings = settings.sorted { $0.at < $1.at } }

    /// When it was set.
    public var moments: [Timestamp] { settings.map(\.at) }

    /// Adds a setting, and drops those that no slot within `memory` seconds can need. The setting that was in force at
    /// the beginning of that time is kept.
    public mutating func record(_ setting: Setting, memory: Int) {
        settings.append(setting)
        settings.sort { $0.at < $1.at }
        let oldest = setting.at - memory
        while settings.count > 1, settings[1].at <= oldest { settings.removeFirst() }
    }
}

/// A slot of a pedometer's wall clock when it was last read.
///
/// A clock that is set back shows a time twice, and the pedometer adds the later steps to the slot of the earlier ones.
/// The steps that were there before must be known; otherwise they are counted again.
public struct WallSlot: Hashable, Sendable, Codable {
    /// Seconds since 1970 as the pedometer's clock showed them when the slot began.
    public var wall: Int
    /// The moment that `wall` was interpreted as.
    public var start: Timestamp
    /// Steps in it that belong to earlier times with the same wall clock.
    public var base: Int
    /// All steps in it, as the pedometer reported them.
    public var steps: Int

    public init(wall: Int, start: Timestamp, base: Int = 0, steps: Int) {
        self.wall = wall
        self.start = start
        self.base = base
        self.steps = steps
    }
}

extension ClockState {
    /// The local time where a pedometer was: the offset that its clock was set to, from each setting on.
    ///
    /// Within one zone the day follows the zone, across a change of daylight saving too; after a journey the time
    /// before it keeps the old place's offset. Before the first setting, and for a pedometer without a clock, it is
    /// `here`.
    public func localTime(_ here: LocalTime) -> LocalTime {
        let settings = settings
        guard !settings.isEmpty else { return here }
        return LocalTime { moment in
            guard let setting = settings.last(where: { $0.at <= moment }) else { return here.utcOffset(moment) }
            return setting.offset(at: moment, here)
        }
    }
}

extension ClockState.Setting {
    /// The offset of the place where a pedometer with this setting was at a moment.
    ///
    /// Within one zone it follows the zone, across a change of daylight saving too; steps made at an old place keep its
    /// offset.
    package func offset(at moment: Timestamp, _ here: LocalTime) -> Int {
        here.utcOffset(at) == utcOffset ? here.utcOffset(moment) : utcOffset
    }
}
