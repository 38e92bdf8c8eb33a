public import Foundation

/// Access for tests: state and actions that are not available to a Bluetooth client.
extension SimulatedColmi {
    /// The ring keeps today and the seven days before.
    public static let daysKept = 0...7

    /// The slots that the ring would report for a day, in their order, in the units that it reports.
    public func expectedSteps(daysAgo: Int) -> [WalkedSlot] { withState { slots(daysAgo: daysAgo, $0) } }

    /// All slots that the ring remembers, oldest first.
    public func expectedSteps() -> [WalkedSlot] { Self.daysKept.reversed().flatMap(expectedSteps(daysAgo:)) }

    /// The time that its clock shows.
    public var clock: WallClock { withState { clock($0) } }

    /// Sets its clock as another program would, to any time.
    public func setClock(_ setting: ClockSetting) { withState { $0.clockOffset = setting.offset(at: now()) } }

    /// Adds steps to those of the history.
    /// - Parameter slot: any time inside the slot, by the ring's clock.
    public func addSteps(_ steps: Int, at slot: WallClock) {
        let start = WallClock(seconds: slot.seconds - slot.secondOfDay % WalkedSlot.length)
        withState { $0.extra[start, default: 0] += steps }
    }

    /// Its wearer walks now, by the ring's clock. What is stored stays when the clock is set back, also under times
    /// that have not come.
    public func walk(_ steps: Int) {
        withState { state in
            var slot = clock(state)
            slot.seconds -= slot.secondOfDay % WalkedSlot.length
            state.recorded[slot, default: 0] += steps
        }
    }

    public var battery: UInt8 {
        get { withState(\.battery) }
        set { withState { $0.battery = newValue } }
    }

    public var behaviour: Behaviour {
        get { withState(\.behaviour) }
        set { withState { $0.behaviour = newValue } }
    }

    /// All packets that were sent to it, unchanged.
    public var received: [[UInt8]] { withState(\.received) }

    /// Sends the current steps without a request, if a client is subscribed.
    public func announceSteps() {
        let (link, packet) = withState { ($0.link, liveSteps($0)) }
        link?.notify(Self.replies, packet)
    }

    /// Faults of a ring.
    public struct Behaviour: Sendable, Hashable {
        /// Sends live steps before each packet of a reply.
        public var sendsUnrequestedData = false
        /// Sends its battery level before each packet of a reply.
        public var sendsUnrequestedBattery = false
        /// Before the reply for another day, sends the last record of the day this many days ago, without its header.
        public var repeatsRecordOf: Int?
        /// Never sends the last record of a day.
        public var omitsLastRecord = false
        /// Commands that it answers with an error.
        public var refuses: Set<UInt8> = []
        /// Commands that it does not answer.
        public var ignored: Set<UInt8> = []
        /// Steps by which its own total of today differs from its slots.
        public var totalIsOffBy = 0
        /// Asks for a bond when it is asked what it supports.
        public var asksForBond = false
        /// Days ago that it was not worn.
        public var notWorn: Set<Int> = []

        public init() {}
    }

    /// How a ring's clock was set.
    public enum ClockSetting: Sendable {
        case local(TimeZone)
        case utc
        /// To any time; it continues from there.
        case showing(WallClock)

        func offset(at date: Date) -> Int {
            switch self {
            case .local(let zone): zone.secondsFromGMT(for: date)
            case .utc: 0
            case .showing(let clock): clock.seconds - Int(date.timeIntervalSince1970.rounded(.down))
            }
        }
    }

    // MARK: Internal state

    func clock(_ state: State) -> WallClock {
        WallClock(seconds: Int(now().timeIntervalSince1970.rounded(.down)) + state.clockOffset)
    }

    func slots(daysAgo: Int, _ state: State) -> [WalkedSlot] {
        guard Self.daysKept.contains(daysAgo), !state.behaviour.notWorn.contains(daysAgo) else { return [] }
        let clock = clock(state)
        let day = clock.dayNumber - daysAgo
        var slots: [WallClock: WalkedSlot] = [:]
        for slot in history?.slots(day: day, until: clock) ?? [] { slots[slot.start] = slot }
        for (start, steps) in state.extra where start.dayNumber == day && start < clock {
            slots[start] = WalkingHistory.slot(start: start, steps: steps).adding(slots[start])
        }
        for (start, steps) in state.recorded where start.dayNumber == day {
            slots[start] = WalkingHistory.slot(start: start, steps: steps).adding(slots[start])
        }
        let sorted = slots.values.sorted { $0.start < $1.start }
        return (granularity == .hours ? Self.hours(sorted) : sorted).map(asSent)
    }

    private static func hours(_ slots: [WalkedSlot]) -> [WalkedSlot] {
        var hours: [WalkedSlot] = []
        for var slot in slots {
            slot.start.seconds -= slot.start.secondOfDay % 3_600
            if let last = hours.last, last.start == slot.start { slot = slot.adding(hours.removeLast()) }
            hours.append(slot)
        }
        return hours
    }

    /// Rounds and limits the values to what a record can hold.
    private func asSent(_ slot: WalkedSlot) -> WalkedSlot {
        let limit = Int(UInt16.max)
        let calories = calories == .tens ? min(slot.calories / 10, limit) * 10 : min(slot.calories, limit)
        return WalkedSlot(
            start: slot.start, steps: min(slot.steps, limit), calories: calories, metres: min(slot.metres, limit))
    }
}

extension WalkedSlot {
    func adding(_ other: WalkedSlot?) -> WalkedSlot {
        guard let other else { return self }
        return WalkedSlot(
            start: start, steps: steps + other.steps, calories: calories + other.calories,
            metres: metres + other.metres)
    }
}
