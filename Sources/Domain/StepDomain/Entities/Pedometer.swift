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
    /// The user's name for it: unique without regard to case; 1 to 64 characters.
    public var name: String
    /// What a model needs to know besides (the generic one's UUIDs and value format), by option name.
    public var options: [String: String]
    public var clock: ClockState
    public var cursor: PedometerCursor

    public init(
        id: ID, user: User.ID, model: String, address: String, addressType: String, name: String,
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

/// What istep did to a pedometer's clock: slots that the pedometer stamps with wall time mean what its clock then showed,
/// and a pedometer does not know daylight saving or travel.
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

    /// Oldest first; no more than the pedometer's history can reach back to.
    public private(set) var settings: [Setting]

    public init(settings: [Setting] = []) { self.settings = settings.sorted { $0.at < $1.at } }

    /// Adds a setting and drops those that no slot within `memory` seconds can need; the one in force then stays.
    public mutating func record(_ setting: Setting, memory: Int) {
        settings.append(setting)
        settings.sort { $0.at < $1.at }
        let oldest = setting.at - memory
        while settings.count > 1, settings[1].at <= oldest { settings.removeFirst() }
    }
}

/// How far a pedometer has been read.
public struct PedometerCursor: Hashable, Sendable, Codable {
    /// All that the pedometer knew of the time before this moment has been committed.
    public var readThrough: Timestamp?
    /// The last committed reading of a pedometer that only counts.
    public var counter: CounterReading?
    /// A reading that may still be yesterday's: it counts once the next one shows which day it was of.
    public var quarantined: CounterReading?
    /// Slots of the pedometer's wall clock as they last were: those of its today, those that lie ahead of a clock that was
    /// put back, and those with steps of more than one time in them.
    public var tail: [WallSlot]?

    public init(
        readThrough: Timestamp? = nil, counter: CounterReading? = nil, quarantined: CounterReading? = nil,
        tail: [WallSlot]? = nil
    ) {
        self.readThrough = readThrough
        self.counter = counter
        self.quarantined = quarantined
        self.tail = tail
    }
}

/// A slot of a pedometer's wall clock when it was last read.
///
/// A clock that is put back shows a time twice, and the pedometer adds the second steps to the first ones' slot. What
/// was there before has to be known, or it counts again.
public struct WallSlot: Hashable, Sendable, Codable {
    /// Seconds since 1970 as the pedometer's clock showed them when the slot began.
    public var wall: Int
    /// What that was taken for.
    public var start: Timestamp
    /// Steps in it that belong to earlier times with the same wall clock.
    public var base: Int
    /// All steps in it, as the pedometer told.
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
    /// Seconds east of Greenwich when it was read: tells on which day.
    public var utcOffset: Int

    public init(at: Timestamp, value: Int, utcOffset: Int) {
        self.at = at
        self.value = value
        self.utcOffset = utcOffset
    }

    public var day: Day { Day(of: at, utcOffset: utcOffset) }
}
