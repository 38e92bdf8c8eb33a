/// A Bluetooth LE peripheral: what it advertises, its attributes, and how it answers. It does not depend on D-Bus or
/// BlueZ. It is called from one place at a time and does not block: a later answer is a notification.
public protocol SimulatedPeripheral: Sendable {
    /// `C0:DE:00:00:00:01`, upper case.
    var address: String { get }
    var addressKind: AddressKind { get }
    /// The current advertisement.
    var advertisement: Advertisement { get }
    /// The attribute table, read at every connection.
    var services: [SimulatedService] { get }
    /// How it pairs on request.
    var pairing: PairingMethod { get }
    /// Its own address, which it gives when it is bonded; nil if that is `address`.
    var identityAddress: String? { get }
    /// The ATT MTU that is agreed on, 23…517 bytes.
    var mtu: UInt16 { get }

    /// A central has connected; `link` is valid until `linkClosed`.
    func linkOpened(_ link: PeripheralLink)
    /// The link is closed, by either side; subscriptions end with it.
    func linkClosed()
    /// The value of a readable characteristic.
    func read(_ characteristic: CharacteristicID) throws(ATTError) -> [UInt8]
    /// Takes a write; the central receives an error only if it asked for a response.
    func write(_ value: [UInt8], to characteristic: CharacteristicID) throws(ATTError)
    /// The central has set or cleared the characteristic's client configuration.
    func subscriptionChanged(_ characteristic: CharacteristicID, subscribed: Bool) throws(ATTError)
}

public enum AddressKind: String, Sendable {
    case publicAddress = "public"
    case random
}

/// How a peripheral pairs.
public enum PairingMethod: Sendable, Hashable {
    /// Without a number: no comparison.
    case justWorks
    /// Both sides show a number of six digits, and the users compare them.
    case comparison(passkey: UInt32)
    /// The peripheral shows a number of six digits that the user enters at the host.
    case entry(passkey: UInt32)
    /// It does not support pairing.
    case unsupported
}

extension SimulatedPeripheral {
    public var addressKind: AddressKind { .random }
    public var pairing: PairingMethod { .justWorks }
    public var identityAddress: String? { nil }
    public var mtu: UInt16 { 247 }
    public func subscriptionChanged(_ characteristic: CharacteristicID, subscribed: Bool) throws(ATTError) {}
}

/// A peripheral's end of the radio link.
public struct PeripheralLink: Sendable {
    enum Event: Sendable {
        case notification(CharacteristicID, [UInt8])
        case discard(CharacteristicID)
        case hangUp
    }

    let send: @Sendable (Event) -> Void

    init(send: @escaping @Sendable (Event) -> Void) { self.send = send }

    /// A link without a stack, for a peripheral that is called directly.
    ///
    /// - Parameters:
    ///   - discarded: called when notifications that were not received yet are dropped.
    ///   - notified: called with each notification, whether it was subscribed to or not.
    public init(
        discarded: @escaping @Sendable (CharacteristicID) -> Void = { _ in },
        notified: @escaping @Sendable (CharacteristicID, [UInt8]) -> Void
    ) {
        send = { event in
            switch event {
            case .notification(let characteristic, let value): notified(characteristic, value)
            case .discard(let characteristic): discarded(characteristic)
            case .hangUp: break
            }
        }
    }

    /// Sends a notification or indication; without a subscription it is not received.
    public func notify(_ characteristic: CharacteristicID, _ value: [UInt8]) {
        send(.notification(characteristic, value))
    }

    /// Drops the notifications of a characteristic that are not sent yet: the peripheral goes on to another answer.
    public func discard(_ characteristic: CharacteristicID) { send(.discard(characteristic)) }

    /// The peripheral ends the link.
    public func disconnect() { send(.hangUp) }
}

/// The data that a peripheral broadcasts.
public struct Advertisement: Sendable, Hashable {
    /// The complete local name as sent. It may hold anything, control characters included.
    public var name: String?
    /// Whether the name is sent in the answer to an active scan only, and not in the advertisement itself.
    public var isNameInScanResponse = false
    /// Advertised services; often fewer than the peripheral has.
    public var services: [AttributeUUID]
    /// By company identifier.
    public var manufacturerData: [UInt16: [UInt8]]
    public var serviceData: [AttributeUUID: [UInt8]]
    /// Transmit power in dBm, when advertised.
    public var txPower: Int16?
    /// The GAP appearance, 0 when none is advertised.
    public var appearance: UInt16
    /// Mean received strength in dBm.
    public var rssi: Int16

    public init(
        name: String?, services: [AttributeUUID] = [], manufacturerData: [UInt16: [UInt8]] = [:],
        serviceData: [AttributeUUID: [UInt8]] = [:], txPower: Int16? = nil, appearance: UInt16 = 0, rssi: Int16 = -58
    ) {
        self.name = name
        self.services = services
        self.manufacturerData = manufacturerData
        self.serviceData = serviceData
        self.txPower = txPower
        self.appearance = appearance
        self.rssi = rssi
    }
}
