/// What this side can show and ask for; together with the peripheral's it decides how the pairing is proved
/// (Core Specification Vol 3 Part H 2.3.5.1).
public enum PairingCapability: String, Sendable, Hashable {
    /// Can show six digits.
    case displayOnly = "DisplayOnly"
    /// Can show six digits and ask whether they are right.
    case displayYesNo = "DisplayYesNo"
    /// Can ask for six digits.
    case keyboardOnly = "KeyboardOnly"
    /// Can do both.
    case keyboardDisplay = "KeyboardDisplay"
    /// Only "Just Works" is possible: encrypted, but without proof against somebody in between.
    case noInputNoOutput = "NoInputNoOutput"
}

/// Answers the questions of a pairing. Asked only about the peripheral that this program is pairing just now;
/// everything else is refused without asking. What is not implemented refuses.
public protocol PairingDelegate: Sendable {
    /// What this side can show and ask for.
    var capability: PairingCapability { get }

    /// Whether to pair without proof ("Just Works"). BlueZ takes the wish to pair as consent, and as a rule (measured with
    /// 5.66) does not ask this when the wish was ours.
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
    /// Refuses.
    public func authorize(_ peripheral: DeviceAddress) async -> Bool { false }
    /// Refuses.
    public func confirm(passkey: UInt32, of peripheral: DeviceAddress) async -> Bool { false }
    /// Refuses.
    public func passkey(of peripheral: DeviceAddress) async -> UInt32? { nil }
    /// Refuses.
    public func pinCode(of peripheral: DeviceAddress) async -> String? { nil }
    /// Shows nothing.
    public func display(passkey: UInt32, entered: Int, for peripheral: DeviceAddress) async {}
    /// Shows nothing.
    public func display(pinCode: String, for peripheral: DeviceAddress) async {}
}

/// Pairs without proof: for peripherals that can neither show nor ask for digits.
public struct AcceptJustWorks: PairingDelegate {
    /// Neither shows nor asks.
    public var capability: PairingCapability { .noInputNoOutput }

    /// Made by hand, since all pairing without proof should be wanted.
    public init() {}

    /// Accepts.
    public func authorize(_ peripheral: DeviceAddress) async -> Bool { true }
}
