internal import DBus
internal import Support

extension Central {
    /// Pairs with a peripheral and keeps the bond; returns at once if it is paired already. If it connected for that,
    /// it disconnects afterwards.
    ///
    /// - Throws: `pairingFailed` with the reason, or what `withPeripheral` throws.
    public func pair(
        _ address: DeviceAddress, adapter: String? = nil, limits: ConnectionLimits = ConnectionLimits(),
        delegate: any PairingDelegate
    ) async throws(BluetoothError) {
        let link = try await connect(address, adapter: adapter, limits: limits, pairing: delegate)
        await release(link)
    }

    /// Makes BlueZ remove a peripheral: its bond and everything it has stored about it. On the peripheral the bond
    /// stays.
    ///
    /// - Returns: whether BlueZ knew it.
    @discardableResult
    public func remove(_ address: DeviceAddress, adapter name: String? = nil) async throws(BluetoothError) -> Bool {
        guard !inUse.contains(address) else { throw .busy("\(address) is in use by this program") }
        try await daemon.ready()
        var wasKnown = false
        let all = await daemon.cache.adapters.filter { name == nil || $0.name == name }
        // One that is off removes nothing, and must not keep the others from it.
        let on = all.filter(\.isPowered)
        for adapter in on.isEmpty ? all : on {
            if try await remove(address, on: adapter.path) { wasKnown = true }
        }
        return wasKnown
    }

    @discardableResult
    func remove(_ address: DeviceAddress, on adapter: ObjectPath) async throws(BluetoothError) -> Bool {
        guard let device = await daemon.cache.device(address, on: adapter) else { return false }
        do throws(DBusError) {
            _ = try await daemon.call(
                adapter, BlueZName.adapter, "RemoveDevice", [.objectPath(device.path)], limit: .seconds(10))
        } catch {
            let name = adapter.lastElement
            switch error.remoteName {
            case "org.bluez.Error.DoesNotExist": return false
            case "org.bluez.Error.NotReady":
                throw Self.fault(name, known: await daemon.cache.adapter(adapter), machine: daemon.machine?.read())
            case _ where error.kind == .unknownObject: throw .adapterLost(name)
            default: throw BluetoothError(error, doing: "removing \(address)")
            }
        }
        try await daemon.wait(limit: .seconds(5), doing: "removing \(address)") { cache in
            cache.device(device.path) == nil ? .success(()) : nil
        }
        undisconnected.remove(device.path)
        return true
    }

    func pair(_ link: Link, _ delegate: any PairingDelegate) async throws(BluetoothError) {
        let daemon = daemon
        if await daemon.cache.device(link.device)?.isPaired == true { return }
        try await agent.serving(link.device, link.address, delegate) { () async -> Result<Void, BluetoothError> in
            do throws(DBusError) {
                _ = try await daemon.call(link.device, BlueZName.device, "Pair", limit: link.limits.pairing)
                return .success(())
            } catch {
                if error.isOurs {
                    await uncancelled {
                        _ = try? await daemon.call(link.device, BlueZName.device, "CancelPairing", limit: .seconds(5))
                    }
                }
                if error.remoteName == "org.bluez.Error.AlreadyExists" { return .success(()) }
                return .failure(Self.pairingError(error, link.addressText))
            }
        }
        // The answer may be read before the signals that came with it are applied: the bond, and the peripheral's own
        // address.
        _ = try? await daemon.wait(limit: .seconds(5), doing: "") { cache in
            cache.device(link.device).map { $0.isConnected && !$0.isPaired } == true ? nil : .success(())
        }
        if let end = await daemon.endOfLink(link.id) { throw end.error(during: "pairing with \(link.addressText)") }
    }

    /// The only place that interprets the errors of `Device1.Pair` (`doc/org.bluez.Device.rst`).
    static func pairingError(_ error: DBusError, _ peripheral: String) -> BluetoothError {
        guard case .remote(let name, let message) = error else {
            return BluetoothError(error, doing: "pairing with \(peripheral)")
        }
        let reason: String
        switch name {
        case "org.bluez.Error.AuthenticationCanceled": reason = "it was cancelled"
        case "org.bluez.Error.AuthenticationFailed": reason = "the two sides do not agree on the keys"
        case "org.bluez.Error.AuthenticationRejected": reason = "it was refused"
        case "org.bluez.Error.AuthenticationTimeout": reason = "there was no answer in time"
        case "org.bluez.Error.ConnectionAttemptFailed": reason = "the connection failed"
        case "org.bluez.Error.Failed", "org.bluez.Error.InvalidArguments": reason = message
        default: return BluetoothError(error, doing: "pairing with \(peripheral)")
        }
        return .pairingFailed(peripheral, reason: reason)
    }
}

extension DBusError {
    /// Whether the call was ended on this side, so that BlueZ may still be pairing.
    var isOurs: Bool {
        switch self {
        case .timedOut, .cancelled(_, wasSent: true): true
        default: false
        }
    }
}

/// What this side can show and ask for. Together with the peripheral's capability it decides how the pairing is
/// authenticated (Core Specification Vol 3 Part H 2.3.5.1).
public enum PairingCapability: String, Sendable, Hashable {
    /// Can show six digits.
    case displayOnly = "DisplayOnly"
    /// Can show six digits and ask whether they are right.
    case displayYesNo = "DisplayYesNo"
    /// Can ask for six digits.
    case keyboardOnly = "KeyboardOnly"
    /// Can do both.
    case keyboardDisplay = "KeyboardDisplay"
    /// Only "Just Works" is possible: encrypted, but without protection against a man in the middle.
    case noInputNoOutput = "NoInputNoOutput"
}

/// Answers the questions of a pairing. It is asked only about the peripheral that this program is pairing at the
/// moment; all other requests are refused without asking. A method that is not implemented refuses.
public protocol PairingDelegate: Sendable {
    /// What this side can show and ask for.
    var capability: PairingCapability { get }

    /// Whether to pair without authentication ("Just Works"). BlueZ takes the pairing request as consent, and usually
    /// (measured with 5.66) does not ask this if the request came from this side.
    func authorize(_ peripheral: DeviceAddress) async -> Bool
    /// Whether the peripheral shows the same six digits (0 to 999,999; leading zeros count).
    func confirm(passkey: UInt32, of peripheral: DeviceAddress) async -> Bool
    /// The six digits that the peripheral shows (0 to 999,999). Nil refuses.
    func passkey(of peripheral: DeviceAddress) async -> UInt32?
    /// The PIN of an old device, 1 to 16 characters. Nil refuses.
    func pinCode(of peripheral: DeviceAddress) async -> String?
    /// Show these six digits: the user types them on the peripheral, which has received `entered` of them so far.
    func display(passkey: UInt32, entered: Int, for peripheral: DeviceAddress) async
    /// Show this PIN: the user types it on the peripheral.
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

/// Pairs without authentication: for peripherals that can neither show nor ask for digits.
public struct AcceptJustWorks: PairingDelegate {
    /// Neither shows nor asks.
    public var capability: PairingCapability { .noInputNoOutput }

    /// Must be created explicitly, since pairing without authentication should always be a decision.
    public init() {}

    /// Accepts.
    public func authorize(_ peripheral: DeviceAddress) async -> Bool { true }
}
