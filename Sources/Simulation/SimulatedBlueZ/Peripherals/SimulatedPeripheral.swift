/// A Bluetooth LE peripheral: what it advertises, its attributes, and how it answers. It knows nothing of D-Bus or
/// BlueZ, and it is called from one place at a time, without waiting: an answer that comes later is a notification.
public protocol SimulatedPeripheral: Sendable {
    /// `C0:DE:00:00:00:01`, upper case.
    var address: String { get }
    var addressKind: AddressKind { get }
    /// What is on the air now.
    var advertisement: Advertisement { get }
    /// The attribute table, read at every connection.
    var services: [SimulatedService] { get }
    /// How it pairs when it is asked to.
    var pairing: PairingMethod { get }
    /// The ATT MTU that is agreed on, 23…517 bytes.
    var mtu: UInt16 { get }

    /// A central has connected; `link` serves until `linkClosed`.
    func linkOpened(_ link: PeripheralLink)
    /// The link is gone, whoever ended it; subscriptions end with it.
    func linkClosed()
    /// The value of a readable characteristic.
    func read(_ characteristic: CharacteristicID) throws(ATTError) -> [UInt8]
    /// Takes a write; an error is heard by the central only when it asked for a response.
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
    /// Without a number: nobody compares anything.
    case justWorks
    /// Both sides show a number of six digits, the users compare.
    case comparison(passkey: UInt32)
    /// The peripheral shows a number of six digits that is typed in at the host.
    case entry(passkey: UInt32)
    /// It knows no pairing.
    case unsupported
}

extension SimulatedPeripheral {
    public var addressKind: AddressKind { .random }
    public var pairing: PairingMethod { .justWorks }
    public var mtu: UInt16 { 247 }
    public func subscriptionChanged(_ characteristic: CharacteristicID, subscribed: Bool) throws(ATTError) {}
}

/// A peripheral's end of the radio link.
public struct PeripheralLink: Sendable {
    enum Event: Sendable {
        case notification(CharacteristicID, [UInt8])
        case hangUp
    }

    let send: @Sendable (Event) -> Void

    /// Sends a notification or indication; without a subscription nobody hears it.
    public func notify(_ characteristic: CharacteristicID, _ value: [UInt8]) { send(.notification(characteristic, value)) }

    /// The peripheral ends the link.
    public func disconnect() { send(.hangUp) }
}
