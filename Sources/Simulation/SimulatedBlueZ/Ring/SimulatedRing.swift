public import Foundation
import Synchronization

/// A Colmi R02 smart ring: clock, battery and seven past days of steps behind a serial port over GATT.
public final class SimulatedRing: SimulatedPeripheral {
    public let address: String
    public let name: String
    /// Nil for a wearer who walks only when told.
    let history: WalkingHistory?
    let calories: CalorieProtocol
    let granularity: Granularity
    let now: @Sendable () -> Date
    private let state: Mutex<State>

    /// - Parameters:
    ///   - name: as advertised; real ones end in four digits of the address.
    ///   - seed: another seed is another person; nil is one who makes only the steps that `addSteps` is told.
    ///   - clock: how its clock was set before anybody here met it.
    ///   - battery: percent.
    ///   - now: the time of day that its clock counts on from.
    public init(
        address: String = "C0:DE:52:02:A1:B2", name: String = "R02_A1B2", seed: UInt64? = 1,
        calories: CalorieProtocol = .tens, granularity: Granularity = .quarterHours,
        clock: ClockSetting = .local(.current), battery: UInt8 = 76, now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.address = address
        self.name = name
        history = seed.map(WalkingHistory.init)
        self.calories = calories
        self.granularity = granularity
        self.now = now
        state = Mutex(State(battery: battery, lead: clock.lead(at: now())))
    }

    /// How calories are sent: the header of a reply tells which.
    public enum CalorieProtocol: Sendable {
        /// As they are, at most 65,535 in a slot.
        case single
        /// Divided by ten.
        case tens
    }

    /// Older firmware sums up whole hours and sends them at the hour's first quarter.
    public enum Granularity: Sendable { case quarterHours, hours }

    // MARK: SimulatedPeripheral

    public static let service: AttributeUUID = "6e40fff0-b5a3-f393-e0a9-e50e24dcca9e"
    public static let commands = CharacteristicID(service, "6e400002-b5a3-f393-e0a9-e50e24dcca9e")
    public static let replies = CharacteristicID(service, "6e400003-b5a3-f393-e0a9-e50e24dcca9e")

    public var advertisement: Advertisement { Advertisement(name: name, services: [Self.service]) }

    public var services: [SimulatedService] {
        [
            SimulatedService(Self.service, [
                SimulatedCharacteristic(Self.commands.characteristic, [.writeWithoutResponse]),
                SimulatedCharacteristic(Self.replies.characteristic, [.notify]),
            ]),
            SimulatedService(.deviceInformation, [
                SimulatedCharacteristic("2a27", [.read]), SimulatedCharacteristic("2a26", [.read]),
            ]),
        ]
    }

    public func linkOpened(_ link: PeripheralLink) { state.withLock { $0.link = link } }
    public func linkClosed() { state.withLock { $0.link = nil } }

    public func read(_ characteristic: CharacteristicID) throws(ATTError) -> [UInt8] {
        switch characteristic.characteristic {
        case "2a27": Array("R02_V3.0".utf8)
        case "2a26": Array("R02_3.00.06_240523".utf8)
        default: throw .readNotPermitted
        }
    }

    public func write(_ value: [UInt8], to characteristic: CharacteristicID) throws(ATTError) {
        guard characteristic == Self.commands else { throw .writeNotPermitted }
        let (link, packets) = state.withLock { state in
            state.received.append(value)
            return (state.link, answer(to: value, &state))
        }
        for packet in packets { link?.notify(Self.replies, packet) }
    }

    // MARK: Its own state

    struct State {
        var link: PeripheralLink?
        var battery: UInt8
        /// Seconds that the ring's clock is ahead of UTC.
        var lead: Int
        var behaviour = Behaviour()
        /// Steps on top of the history, by the slot's start.
        var extra: [WallClock: Int] = [:]
        var received: [[UInt8]] = []
    }

    func withState<Result: Sendable>(_ body: (inout sending State) -> sending Result) -> Result {
        state.withLock(body)
    }
}
