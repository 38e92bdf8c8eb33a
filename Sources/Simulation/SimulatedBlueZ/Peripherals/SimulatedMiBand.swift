import Synchronization

/// A Mi Smart Band 6 that is set to be discoverable: it advertises today's steps, and accepts no connection without its
/// key.
public final class SimulatedMiBand: SimulatedPeripheral {
    public let address: String
    /// The address in its data, which stays the same when the sender's address changes.
    public let identity: String
    private let state: Mutex<State>

    public static let service: AttributeUUID = "fee0"
    public static let company: UInt16 = 0x0157

    /// What is advertised, as far as it varies.
    public struct Content: Sendable, Hashable {
        public var name: String? = "Mi Smart Band 6"
        public var steps: UInt32
        /// `02` for a band; an Amazfit Bip S has `00`.
        public var type: UInt8 = 0x02
        /// Whether "Discoverable" is on: otherwise it advertises its name only.
        public var isDiscoverable = true

        public init(steps: UInt32) { self.steps = steps }
    }

    private struct State {
        var content: Content
    }

    /// - Parameter identity: the address in its data; nil for the address of the sender.
    public init(address: String = "C0:DE:57:01:00:06", identity: String? = nil, steps: UInt32 = 4_321) {
        self.address = address
        self.identity = identity ?? address
        state = Mutex(State(content: Content(steps: steps)))
    }

    public var content: Content {
        get { state.withLock { $0.content } }
        set { state.withLock { $0.content = newValue } }
    }

    public var advertisement: Advertisement {
        let content = content
        guard content.isDiscoverable else {
            return Advertisement(name: content.name, services: [Self.service], rssi: -70)
        }
        let own = identity.split(separator: ":").compactMap { UInt8($0, radix: 16) }
        let data = [content.type, 0x02, 0x01, 0x48] + [UInt8](repeating: 0xff, count: 13) + [0x03] + own
        return Advertisement(
            name: content.name, services: [Self.service], manufacturerData: [Self.company: data],
            serviceData: [Self.service: (0..<4).map { UInt8(truncatingIfNeeded: content.steps >> (8 * $0)) }], rssi: -70
        )
    }

    public var services: [SimulatedService] { [SimulatedService(Self.service, [])] }
    public func linkOpened(_ link: PeripheralLink) {}
    public func linkClosed() {}
    public func read(_ characteristic: CharacteristicID) throws(ATTError) -> [UInt8] { throw .readNotPermitted }
    public func write(_ value: [UInt8], to characteristic: CharacteristicID) throws(ATTError) {
        throw .writeNotPermitted
    }
}
