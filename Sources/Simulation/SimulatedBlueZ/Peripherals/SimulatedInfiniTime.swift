public import Foundation
import Synchronization

/// A PineTime with InfiniTime: today's steps, a clock that can be read and set, and the version of its firmware.
///
/// It follows the firmware (`DateTimeController.cpp`, `SystemTask.cpp`, `MotionController.cpp`, tags 1.13.0 to 1.16.0).
/// A reset is due when the clock first shows an hour of 0, whether time has passed or the clock was set. A clock that
/// is set past that hour causes none. A watch that sleeps shows an old count and carries out the reset when it wakes;
/// 1.15 does both while the motion values are subscribed to, and 1.16 always.
public final class SimulatedInfiniTime: SimulatedPeripheral {
    public let address: String
    private let version: Firmware?
    private let now: @Sendable () -> Date
    private let history: WalkingHistory?
    private let zone: TimeZone
    private let state: Mutex<State>

    public static let service: AttributeUUID = "00030000-78fc-48fe-8e23-433b3a1942d0"
    public static let steps = CharacteristicID(service, "00030001-78fc-48fe-8e23-433b3a1942d0")
    public static let motion = CharacteristicID(service, "00030002-78fc-48fe-8e23-433b3a1942d0")
    public static let currentTime = CharacteristicID("1805", "2a2b")
    public static let firmware = CharacteristicID(.deviceInformation, "2a26")

    /// A version of the firmware, with the counter as that version updates it.
    public enum Firmware: String, Sendable, CaseIterable {
        case v13 = "1.13.0"
        case v14 = "1.14.0"
        case v15 = "1.15.0"
        case v16 = "1.16.0"
    }

    /// - Parameters:
    ///   - firmware: nil for a watch that does not have the characteristic with its version; it behaves as 1.14.
    ///   - seed: determines the steps of its wearer; nil for only the steps passed to `walk`.
    ///   - zone: its clock shows this zone's time at the beginning.
    public init(
        address: String = "C0:DE:1F:71:00:01", firmware: Firmware? = .v15, seed: UInt64? = 2,
        zone: TimeZone = .ofMachine,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.address = address
        version = firmware
        self.zone = zone
        self.now = now
        history = seed.map(WalkingHistory.init)
        let date = now()
        let clockOffset = zone.secondsFromGMT(for: date)
        let wall = Int(date.timeIntervalSince1970.rounded(.down)) + clockOffset
        state = Mutex(
            State(clockOffset: clockOffset, lastWall: wall, hasSeenHourZero: WallClock(seconds: wall).hour == 0))
    }

    private struct State {
        var link: PeripheralLink?
        /// Seconds that its clock is ahead of UTC.
        var clockOffset: Int
        /// What the clock showed when its time was last calculated.
        var lastWall: Int
        var hasSeenHourZero: Bool
        /// Steps of `walk` that the sensor has counted since it was last reset.
        var walked = 0
        /// The time from which the steps of the history count; nil for the present day of the zone.
        var countsSince: WallClock?
        /// What the counter shows: the sensor's count when it was last updated.
        var shown = 0
        var isResetDue = false
        var resets = 0
        var isAsleep = false
        var isMotionSubscribed = false
        var glitch: Int?
        var refusesClock = false
        var clockWrites: [[UInt8]] = []
    }

    // MARK: Access for tests

    /// Adds steps; notifies if it is awake, or subscribed to.
    public func walk(_ steps: Int) {
        act {
            $0.walked += steps
            update(&$0)
        }
    }

    /// Time has passed: it does what the firmware does by itself.
    public func tick() { act { _ in } }

    /// Its screen goes off, and neither a raised wrist nor shaking wakes it, as delivered.
    public func sleep() { act { $0.isAsleep = true } }

    /// Its wearer looks at it.
    public func wake() {
        act {
            $0.isAsleep = false
            update(&$0)
        }
    }

    /// A soft reset: the counter is zero. Its clock stays.
    public func reboot() {
        act {
            reset(&$0, since: nil)
            ($0.shown, $0.isResetDue, $0.isAsleep) = (0, false, false)
        }
    }

    /// Its battery was empty: the counter is zero, and the clock begins with the year of the firmware's build.
    public func bootCold(year: Int = 2026) {
        reboot()
        act { set(WallClock(year: year, month: 1, day: 1), &$0, isStart: true) }
    }

    /// Shows a number until it is nil again, whatever it has counted.
    public func setGlitch(_ number: Int?) { state.withLock { $0.glitch = number } }

    /// The clock cannot be set.
    public func refuseClock() { state.withLock { $0.refusesClock = true } }

    /// Sets its clock as a phone would.
    public func setClock(_ clock: WallClock) { state.withLock { set(clock, &$0) } }

    public var clock: WallClock {
        state.withLock {
            update(&$0)
            return WallClock(seconds: $0.lastWall)
        }
    }

    /// The values that were written to its clock.
    public var clockWrites: [[UInt8]] { state.withLock { $0.clockWrites } }

    /// What it shows.
    public var count: Int {
        state.withLock {
            update(&$0)
            return $0.glitch ?? $0.shown
        }
    }

    /// How often the counter was set to zero.
    public var resets: Int { state.withLock(\.resets) }

    /// Notifies of the current number.
    public func announce() { state.withLock(\.link)?.notify(Self.steps, little(count)) }

    // MARK: The firmware

    /// Changes the state, and notifies if the number has changed.
    private func act(_ body: (inout State) -> Void) {
        let (link, values) = state.withLock { state in
            let before = state.shown
            update(&state)
            var values = state.shown == before ? [] : [state.shown]
            let midnight = state.shown
            body(&state)
            if state.shown != midnight { values.append(state.shown) }
            return (state.link, values)
        }
        for value in values { link?.notify(Self.steps, little(value)) }
    }

    private func isUpdating(_ state: State) -> Bool {
        switch version {
        case .v16: true
        case .v15: !state.isAsleep || state.isMotionSubscribed
        case .v14, .v13, nil: !state.isAsleep
        }
    }

    private func update(_ state: inout State) {
        let wall = Int(now().timeIntervalSince1970.rounded(.down)) + state.clockOffset
        let (before, after) = (WallClock(seconds: state.lastWall), WallClock(seconds: wall))
        state.lastWall = wall
        let hasPassedMidnight = after.dayNumber > before.dayNumber || (after.hour == 0 && !state.hasSeenHourZero)
        state.hasSeenHourZero = after.hour == 0
        if isUpdating(state), state.isResetDue || hasPassedMidnight {
            reset(&state, since: hasPassedMidnight && !state.isResetDue ? after.secondOfDay : nil)
            state.isResetDue = false
        } else if hasPassedMidnight {
            state.isResetDue = true
        }
        if isUpdating(state) { state.shown = sensorCount(state) }
    }

    /// - Parameter isStart: whether it has just started. It then regards the hour of 0 as seen.
    private func set(_ clock: WallClock, _ state: inout State, isStart: Bool = false) {
        update(&state)
        state.clockOffset = clock.seconds - Int(now().timeIntervalSince1970.rounded(.down))
        state.lastWall = clock.seconds
        if clock.hour == 0, !state.hasSeenHourZero, !isStart { state.isResetDue = true }
        state.hasSeenHourZero = clock.hour == 0
        update(&state)
    }

    /// - Parameter seconds: how long ago that was; nil for now.
    private func reset(_ state: inout State, since seconds: Int?) {
        state.walked = 0
        state.resets += 1
        state.countsSince = WallClock(seconds: WallClock(now(), in: zone).seconds - (seconds ?? 0))
    }

    private func sensorCount(_ state: State) -> Int {
        let clock = WallClock(now(), in: zone)
        guard let history else { return state.walked }
        let slots = history.slots(day: clock.dayNumber, until: clock)
        return state.walked
            + slots.filter { slot in state.countsSince.map { slot.start >= $0 } ?? true }.reduce(0) { $0 + $1.steps }
    }

    private func little(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }

    // MARK: SimulatedPeripheral

    /// The service with the steps is not advertised, but those of the heart rate and of firmware updates are.
    public var advertisement: Advertisement {
        var advertisement = Advertisement(
            name: "InfiniTime", services: ["180d", "00001530-1212-efde-1523-785feabcd123"], rssi: -66)
        advertisement.isNameInScanResponse = true
        return advertisement
    }

    public var mtu: UInt16 { 256 }

    public var services: [SimulatedService] {
        let information = version.map { _ in
            SimulatedService(.deviceInformation, [SimulatedCharacteristic(Self.firmware.characteristic, [.read])])
        }
        return [
            SimulatedService(.battery, [SimulatedCharacteristic(.batteryLevel, [.read, .notify])]),
            SimulatedService(
                Self.currentTime.service, [SimulatedCharacteristic(Self.currentTime.characteristic, [.read, .write])]),
            SimulatedService(
                Self.service,
                [
                    SimulatedCharacteristic(Self.steps.characteristic, [.read, .notify]),
                    SimulatedCharacteristic(Self.motion.characteristic, [.read, .notify]),
                ]),
        ] + [information].compactMap(\.self)
    }

    public func linkOpened(_ link: PeripheralLink) { state.withLock { $0.link = link } }
    public func linkClosed() { state.withLock { ($0.link, $0.isMotionSubscribed) = (nil, false) } }

    /// Each update of the counter follows with a notification of the motion: three are enough to show it.
    public func subscriptionChanged(_ characteristic: CharacteristicID, subscribed: Bool) throws(ATTError) {
        guard characteristic == Self.motion else { return }
        act { $0.isMotionSubscribed = subscribed }
        act { update(&$0) }
        guard subscribed else { return }
        for value in 0..<3 { state.withLock(\.link)?.notify(Self.motion, [UInt8(value), 0, 0, 0, 0, 4]) }
    }

    public func read(_ characteristic: CharacteristicID) throws(ATTError) -> [UInt8] {
        switch characteristic {
        case Self.steps: return little(count)
        case Self.motion: return [0, 0, 0, 0, 0, 4]
        case Self.firmware: return Array((version?.rawValue ?? "").utf8)
        case Self.currentTime:
            let clock = clock
            let fields = [
                clock.year & 0xff, clock.year >> 8, clock.month, clock.day, clock.hour, clock.minute, clock.second,
            ]
            // The weekday and the last byte are what was in memory.
            return fields.map { UInt8($0) } + [0xc4, 0, 0x20]
        case CharacteristicID(.battery, .batteryLevel): return [61]
        default: throw .readNotPermitted
        }
    }

    /// The firmware reads ten bytes of ten or more.
    public func write(_ value: [UInt8], to characteristic: CharacteristicID) throws(ATTError) {
        guard characteristic == Self.currentTime else { throw .writeNotPermitted }
        guard !state.withLock({ $0.refusesClock }) else { throw .writeNotPermitted }
        guard value.count >= 10 else { throw .invalidLength }
        let fields = value.map(Int.init)
        let clock = WallClock(
            year: fields[0] | fields[1] << 8, month: fields[2], day: fields[3], hour: fields[4], minute: fields[5],
            second: fields[6])
        act {
            $0.clockWrites.append(value)
            set(clock, &$0)
        }
    }
}
