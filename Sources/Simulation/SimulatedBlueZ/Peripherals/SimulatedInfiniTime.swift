public import Foundation
import Synchronization

/// A PineTime with InfiniTime: today's steps, a clock that can be read and set, and the version of its firmware.
///
/// Its counter follows the firmware (`DateTimeController.cpp`): it becomes zero when the clock first shows an hour of 0, whether time has
/// passed or the clock was set. A clock that is set past that hour does not set it to zero.
public final class SimulatedInfiniTime: SimulatedPeripheral {
    public let address: String
    private let now: @Sendable () -> Date
    private let history: WalkingHistory?
    private let zone: TimeZone
    private let state: Mutex<State>

    public static let service: AttributeUUID = "00030000-78fc-48fe-8e23-433b3a1942d0"
    public static let steps = CharacteristicID(service, "00030001-78fc-48fe-8e23-433b3a1942d0")
    public static let currentTime = CharacteristicID("1805", "2a2b")
    public static let firmware = CharacteristicID(.deviceInformation, "2a26")

    /// - Parameters:
    ///   - seed: determines the steps of its wearer; nil for only the steps passed to `walk`.
    ///   - zone: its clock shows this zone's time at the beginning.
    public init(
        address: String = "C0:DE:1F:71:00:01", seed: UInt64? = 2, zone: TimeZone = .current, now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.address = address
        self.zone = zone
        self.now = now
        history = seed.map(WalkingHistory.init)
        let date = now()
        let lead = zone.secondsFromGMT(for: date)
        let wall = Int(date.timeIntervalSince1970.rounded(.down)) + lead
        state = Mutex(State(lead: lead, lastWall: wall, hasSeenHourZero: WallClock(seconds: wall).hour == 0))
    }

    private struct State {
        var link: PeripheralLink?
        /// Seconds that its clock is ahead of UTC.
        var lead: Int
        /// What the clock showed when its time was last calculated.
        var lastWall: Int
        var hasSeenHourZero: Bool
        /// Steps of `walk` since the counter was last zero.
        var walked = 0
        /// The time from which the steps of the history count; nil for the present day of the zone.
        var countsSince: WallClock?
        var glitch: Int?
        var refusesClock = false
        var clockWrites: [[UInt8]] = []
    }

    // MARK: Access for tests

    /// Adds steps, and notifies.
    public func walk(_ steps: Int) {
        state.withLock {
            update(&$0)
            $0.walked += steps
        }
        announce()
    }

    /// The watch restarts: the counter is zero. Its clock stays.
    public func reboot() { state.withLock { reset(&$0) } }

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

    public var count: Int { state.withLock { count(&$0) } }

    /// Notifies of the current number.
    public func announce() { state.withLock { ($0.link, count(&$0)) }.0?.notify(Self.steps, little(count)) }

    // MARK: The firmware

    private func update(_ state: inout State) {
        let wall = Int(now().timeIntervalSince1970.rounded(.down)) + state.lead
        let (before, after) = (WallClock(seconds: state.lastWall), WallClock(seconds: wall))
        state.lastWall = wall
        if after.dayNumber > before.dayNumber { state.hasSeenHourZero = false }
        if after.dayNumber > before.dayNumber || (after.hour == 0 && !state.hasSeenHourZero) { reset(&state) }
        state.hasSeenHourZero = after.hour == 0
    }

    private func set(_ clock: WallClock, _ state: inout State) {
        update(&state)
        state.lead = clock.seconds - Int(now().timeIntervalSince1970.rounded(.down))
        state.lastWall = clock.seconds
        if clock.hour == 0, !state.hasSeenHourZero { reset(&state) }
        state.hasSeenHourZero = clock.hour == 0
    }

    private func reset(_ state: inout State) {
        state.walked = 0
        state.countsSince = WallClock(now(), in: zone)
    }

    private func count(_ state: inout State) -> Int {
        update(&state)
        if let glitch = state.glitch { return glitch }
        let clock = WallClock(now(), in: zone)
        guard let history else { return state.walked }
        let slots = history.slots(day: clock.dayNumber, until: clock)
        return state.walked + slots.filter { slot in state.countsSince.map { slot.start >= $0 } ?? true }.reduce(0) { $0 + $1.steps }
    }

    private func little(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }

    // MARK: SimulatedPeripheral

    /// The service with the steps is not advertised.
    public var advertisement: Advertisement { Advertisement(name: "InfiniTime", services: ["180d"], rssi: -66) }

    public var services: [SimulatedService] {
        [
            SimulatedService(.battery, [SimulatedCharacteristic(.batteryLevel, [.read, .notify])]),
            SimulatedService(Self.currentTime.service, [SimulatedCharacteristic(Self.currentTime.characteristic, [.read, .write])]),
            SimulatedService(.deviceInformation, [SimulatedCharacteristic(Self.firmware.characteristic, [.read])]),
            SimulatedService(Self.service, [SimulatedCharacteristic(Self.steps.characteristic, [.read, .notify])]),
        ]
    }

    public func linkOpened(_ link: PeripheralLink) { state.withLock { $0.link = link } }
    public func linkClosed() { state.withLock { $0.link = nil } }

    public func read(_ characteristic: CharacteristicID) throws(ATTError) -> [UInt8] {
        switch characteristic {
        case Self.steps: return little(count)
        case Self.firmware: return Array("1.15.0".utf8)
        case Self.currentTime:
            let clock = clock
            let fields = [clock.year & 0xff, clock.year >> 8, clock.month, clock.day, clock.hour, clock.minute, clock.second, clock.weekday + 1]
            return fields.map { UInt8($0) } + [0, 0]
        case CharacteristicID(.battery, .batteryLevel): return [61]
        default: throw .readNotPermitted
        }
    }

    /// The firmware reads ten bytes, however many there are.
    public func write(_ value: [UInt8], to characteristic: CharacteristicID) throws(ATTError) {
        guard characteristic == Self.currentTime else { throw .writeNotPermitted }
        guard !state.withLock({ $0.refusesClock }) else { throw .writeNotPermitted }
        guard value.count == 10 else { throw .invalidLength }
        let fields = value.map(Int.init)
        let clock = WallClock(
            year: fields[0] | fields[1] << 8, month: fields[2], day: fields[3], hour: fields[4], minute: fields[5], second: fields[6])
        state.withLock {
            $0.clockWrites.append(value)
            set(clock, &$0)
        }
    }
}
