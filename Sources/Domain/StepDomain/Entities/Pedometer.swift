/// A pedometer that a user added: which one, of which kind, and how far its history has been read.
public struct Pedometer: Hashable, Sendable, Identifiable {
    public typealias ID = Int64
    public let id: ID
    public let user: User.ID
    /// Key of the model in the registry, such as `colmi`.
    public var model: String
    /// Bluetooth address, upper case with colons. Unique among a history's pedometers.
    public var address: String
    /// `public` or `random`.
    public var addressType: String
    /// The user's name for it: unique without regard to case; valid by `NameRule`, as the name of a user is.
    public var name: String
    /// Further settings of the model (the UUIDs and the value format of the generic one), by option name.
    public var options: [String: String]
    public var clock: ClockState
    public var cursor: PedometerCursor

    /// - Parameter id: 0 of a pedometer that is not in the history yet, which gives it its number.
    public init(
        id: ID = 0, user: User.ID, model: String, address: String, addressType: String, name: String,
        options: [String: String] = [:], clock: ClockState = ClockState(), cursor: PedometerCursor = PedometerCursor()
    ) {
        self.id = id
        self.user = user
        self.model = model
        self.address = address
        self.addressType = addressType
        self.name = name
        self.options = options
        self.clock = clock
        self.cursor = cursor
    }
}

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

/// How far a pedometer has been read.
public struct PedometerCursor: Hashable, Sendable, Codable {
    /// All data that the pedometer had of the time before this moment has been committed.
    public var readThrough: Timestamp?
    /// Seconds east of Greenwich at `readThrough`, for a pedometer that records local times without an offset: it shows
    /// whether its user has travelled since.
    public var utcOffset: Int?
    /// The last committed reading of a pedometer that has only a counter; of one that has records and a counter, the
    /// steps that it had counted and not recorded.
    public var counter: CounterReading?
    /// A first reading of a day that may still show yesterday's steps: it is counted when a later one shows which day
    /// it belongs to.
    public var undecided: CounterReading?
    /// Slots of the pedometer's wall clock as last read: those of its current day, those ahead of a clock that was set
    /// back, and those that contain steps of more than one time.
    public var tail: [WallSlot]?
    /// Days before `readThrough`, or its own day, that were requested and not received completely. The next sync
    /// requests them again, until the pedometer no longer holds them. By day; nil if there are none.
    public var missing: [DayGap]?
    /// When it last did not answer the request for its own total of the day, or refused it; nil if it answers.
    public var lacksTotalSince: Timestamp?
    /// When it last did not answer the request for its battery, but others; nil if it answers.
    public var lacksBatterySince: Timestamp?
    /// Seconds by which the pedometer's clock was ahead of UTC, compared with this machine's clock, when it was last
    /// read, at or before `counter`; nil if it was not read. A change shows that one of the two clocks was set.
    public var clockOffset: Int?
    /// What is known of past days, of a pedometer that counts the steps of today and also reports totals of past days;
    /// nil of all others.
    public var pastDays: PastDays?
    /// Seconds east of Greenwich at `readThrough` according to the pedometer itself, if it reports them and does not
    /// change them by a rule. A change shows that its zone was set.
    public var deviceOffset: Int?
    /// This machine's clock when the cursor was stored; nil in the cursors of versions that did not keep it.
    public var clockMark: ClockMark?

    private enum CodingKeys: String, CodingKey {
        case readThrough, utcOffset, counter
        /// The name in the histories of released versions.
        case undecided = "quarantined"
        case tail, missing, lacksTotalSince, lacksBatterySince, pastDays, deviceOffset, clockMark
        /// The name in the histories of released versions.
        case clockOffset = "clockLead"
    }

    public init(
        readThrough: Timestamp? = nil, utcOffset: Int? = nil, counter: CounterReading? = nil,
        undecided: CounterReading? = nil,
        tail: [WallSlot]? = nil, missing: [DayGap]? = nil, lacksTotalSince: Timestamp? = nil,
        lacksBatterySince: Timestamp? = nil, clockOffset: Int? = nil, pastDays: PastDays? = nil,
        deviceOffset: Int? = nil,
        clockMark: ClockMark? = nil
    ) {
        self.readThrough = readThrough
        self.utcOffset = utcOffset
        self.counter = counter
        self.undecided = undecided
        self.tail = tail
        self.missing = missing
        self.lacksTotalSince = lacksTotalSince
        self.lacksBatterySince = lacksBatterySince
        self.clockOffset = clockOffset
        self.pastDays = pastDays
        self.deviceOffset = deviceOffset
        self.clockMark = clockMark
    }

    /// All times of this machine's clock that it has. Those of the pedometer's own clock can be ahead: `tail`, and the
    /// days of `missing` and `pastDays`.
    public var moments: [Timestamp] {
        [readThrough, counter?.at, undecided?.at, lacksTotalSince, lacksBatterySince, clockMark?.at].compactMap(\.self)
    }

    /// The missing days that a user should know of.
    public var reportedGaps: [DayGap] { (missing ?? []).filter { $0.reason != .unconfirmed } }
}

/// A day that a pedometer did not deliver completely.
public struct DayGap: Hashable, Sendable, Codable {
    public enum Reason: String, Sendable, Codable {
        /// It answered every request with an error.
        case refused
        /// It did not answer.
        case unanswered
        /// Part of the day was received.
        case incomplete
        /// It answered "no data" at a time at which it is not certain which day its answer was for: around midnight, or
        /// while its clock was off. The day is requested once more as a precaution, and not reported.
        case unconfirmed
    }

    /// By the pedometer's own calendar.
    public var day: Day
    public var reason: Reason

    public init(_ day: Day, _ reason: Reason) {
        self.day = day
        self.reason = reason
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

/// A counter's value at a moment.
public struct CounterReading: Hashable, Sendable, Codable {
    public var at: Timestamp
    public var value: Int
    /// Seconds east of Greenwich when it was read: decides on which day.
    public var utcOffset: Int
    /// The day whose steps it shows, if this is known not to be the day on which it was read: the counter had not been
    /// reset yet.
    public var countsDay: Day?

    public init(at: Timestamp, value: Int, utcOffset: Int, countsDay: Day? = nil) {
        self.at = at
        self.value = value
        self.utcOffset = utcOffset
        self.countsDay = countsDay
    }

    /// The day whose steps it shows.
    public var day: Day { countsDay ?? Day(of: at, utcOffset: utcOffset) }
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

extension Pedometer {
    /// Whether it is a source of imports: it is not read by Bluetooth.
    public var isOfImport: Bool { model.hasPrefix("import:") }
}
