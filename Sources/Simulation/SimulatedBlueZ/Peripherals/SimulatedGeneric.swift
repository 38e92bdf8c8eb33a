public import Foundation
import Synchronization

/// A pedometer with one number in one characteristic, readable and notifying; UUIDs, width and meaning are free.
public final class SimulatedGeneric: SimulatedPeripheral {
    public let address: String
    public let advertisement: Advertisement
    public let steps: CharacteristicID
    public let format: Format
    public let pairing: PairingMethod
    private let security: SimulatedCharacteristic.Security
    private let source: Source
    private let now: @Sendable () -> Date
    private let state: Mutex<State>

    /// - Parameters:
    ///   - advertisedServices: often not the one with the steps.
    ///   - security: `.encrypted` makes it require pairing.
    public init(
        address: String, name: String, advertisedServices: [AttributeUUID], steps: CharacteristicID,
        format: Format = Format(), source: Source, battery: UInt8? = nil,
        security: SimulatedCharacteristic.Security = .open, pairing: PairingMethod = .justWorks,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.address = address
        advertisement = Advertisement(name: name, services: advertisedServices, rssi: -66)
        self.steps = steps
        self.format = format
        self.source = source
        self.security = security
        self.pairing = pairing
        self.now = now
        state = Mutex(State(battery: battery))
    }

    /// How the number is encoded in the value.
    public struct Format: Sendable, Hashable {
        /// 1…8 bytes.
        public var width: Int
        public var bigEndian: Bool
        /// Bytes before it, sent as zeros.
        public var offset: Int

        public init(width: Int = 4, bigEndian: Bool = false, offset: Int = 0) {
            self.width = width
            self.bigEndian = bigEndian
            self.offset = offset
        }

        /// The number modulo the width, like a counter that overflows.
        public func encode(_ number: Int) -> [UInt8] {
            let little = (0..<width).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
            return [UInt8](repeating: 0, count: offset) + (bigEndian ? little.reversed() : little)
        }
    }

    /// Where the number comes from.
    public enum Source: Sendable {
        /// Only the number passed to `set`.
        case manual(Int)
        /// The steps since local midnight of a simulated person.
        case today(WalkingHistory, TimeZone)
        /// All steps since a local day, never reset.
        case counter(WalkingHistory, TimeZone, since: WallClock)
    }

    private struct State {
        var link: PeripheralLink?
        var set: Int?
        var battery: UInt8?
    }

    /// The number now, before it is cut to the width.
    public var count: Int {
        if let set = state.withLock(\.set) { return set }
        switch source {
        case .manual(let number): return number
        case .today(let history, let zone):
            let clock = WallClock(now(), in: zone)
            return history.slots(day: clock.dayNumber, until: clock).map(\.steps).reduce(0, +)
        case .counter(let history, let zone, let since):
            let clock = WallClock(now(), in: zone)
            guard since.dayNumber <= clock.dayNumber else { return 0 }
            return (since.dayNumber...clock.dayNumber).reduce(0) { sum, day in
                history.slots(day: day, until: clock).filter { $0.start >= since }.map(\.steps).reduce(sum, +)
            }
        }
    }

    /// Sets the number, replaces its source permanently, and notifies.
    public func set(_ number: Int) {
        state.withLock { $0.set = number }
        announce()
    }

    /// Notifies of the current number.
    public func announce() { state.withLock(\.link)?.notify(steps, format.encode(count)) }

    // MARK: SimulatedPeripheral

    public var services: [SimulatedService] {
        let own = SimulatedService(
            steps.service, [SimulatedCharacteristic(steps.characteristic, [.read, .notify], security: security)])
        let battery = SimulatedService(.battery, [SimulatedCharacteristic(.batteryLevel, [.read, .notify])])
        return state.withLock(\.battery) == nil ? [own] : [battery, own]
    }

    public func linkOpened(_ link: PeripheralLink) { state.withLock { $0.link = link } }
    public func linkClosed() { state.withLock { $0.link = nil } }

    public func read(_ characteristic: CharacteristicID) throws(ATTError) -> [UInt8] {
        if characteristic == steps { return format.encode(count) }
        guard let battery = state.withLock(\.battery) else { throw .attributeNotFound }
        return [battery]
    }

    public func write(_ value: [UInt8], to characteristic: CharacteristicID) throws(ATTError) {
        throw .writeNotPermitted
    }
}

extension SimulatedGeneric {
    /// A PineTime with InfiniTime: today's steps as u32 LE, without encryption. The service with the steps is not
    /// advertised (InfiniTime advertises heart rate), so it is found by its name only.
    public static func infiniTime(
        address: String = "C0:DE:1F:71:00:01", seed: UInt64 = 2, zone: TimeZone = .ofMachine,
        now: @escaping @Sendable () -> Date = { Date() }
    ) -> SimulatedGeneric {
        SimulatedGeneric(
            address: address, name: "InfiniTime", advertisedServices: ["180d"],
            steps: CharacteristicID("00030000-78fc-48fe-8e23-433b3a1942d0", "00030001-78fc-48fe-8e23-433b3a1942d0"),
            source: .today(WalkingHistory(seed: seed), zone), battery: 61, now: now)
    }
}
