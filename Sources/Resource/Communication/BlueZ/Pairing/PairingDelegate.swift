/// What this side can show and ask for; together with the peripheral's it decides how the pairing is proved
/// (Core Specification Vol 3 Part H 2.3.5.1).
public enum PairingCapability: String, Sendable, Hashable {
    case displayOnly = "DisplayOnly"
    case displayYesNo = "DisplayYesNo"
    case keyboardOnly = "KeyboardOnly"
    case keyboardDisplay = "KeyboardDisplay"
    /// Only "Just Works" is possible: encrypted, but without proof against somebody in between.
    case noInputNoOutput = "NoInputNoOutput"
}

/// Answers the questions of a pairing. Asked only about the peripheral that this program is pairing just now;
/// everything else is refused without asking. What is not implemented refuses.
public protocol PairingDelegate: Sendable {
    var capability: PairingCapability { get }

    /// Whether to pair without proof ("Just Works").
    func authorize(_ peripheral: DeviceAddress) async -> Bool
    /// Whether the peripheral shows the same six digits (0 to 999,999; leading zeros count).
    func confirm(passkey: UInt32, of peripheral: DeviceAddress) async -> Bool
    /// The six digits that the peripheral shows (0 to 999,999). Nil refuses.
    func passkey(of peripheral: DeviceAddress) async -> UInt32?
    /// The PIN of an old device, 1 to 16 characters. Nil refuses.
    func pinCode(of peripheral: DeviceAddress) async -> String?
    /// Show these six digits: they are to be typed on the peripheral, which has got `entered` of them so far.
    func display(passkey: UInt32, entered: Int, for peripheral: DeviceAddress) async
    /// Show this PIN: it is to be typed on the peripheral.
    func display(pinCode: String, for peripheral: DeviceAddress) async
}

extension PairingDelegate {
    public func authorize(_ peripheral: DeviceAddress) async -> Bool { false }
    public func confirm(passkey: UInt32, of peripheral: DeviceAddress) async -> Bool { false }
    public func passkey(of peripheral: DeviceAddress) async -> UInt32? { nil }
    public func pinCode(of peripheral: DeviceAddress) async -> String? { nil }
    public func display(passkey: UInt32, entered: Int, for peripheral: DeviceAddress) async {}
    public func display(pinCode: String, for peripheral: DeviceAddress) async {}
}

/// Pairs without proof: for peripherals that can neither show nor ask for digits.
public struct AcceptJustWorks: PairingDelegate {
    public var capability: PairingCapability { .noInputNoOutput }

    public init() {}

    public func authorize(_ peripheral: DeviceAddress) async -> Bool { true }
}
