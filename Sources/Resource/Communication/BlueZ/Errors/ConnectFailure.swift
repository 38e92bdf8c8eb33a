/// Why a connection did not come about.
public struct ConnectFailure: Error, Sendable, Hashable {
    /// The reason in one word. Which of them can pass, `isTransient` says.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// The link could not be set up. BlueZ says no more than this of most failures over the air.
        case linkFailed
        /// No answer within the time.
        case timedOut
        /// Another Connect or Disconnect got in between.
        case cancelled
        /// Another program, or BlueZ itself, is connecting just now.
        case busy
        case refused
        case abortedByPeripheral
        /// The adapter holds as many connections as it can.
        case tooManyConnections
        case protocolError
        /// BlueZ reported success, but the peripheral is not connected.
        case notConnectedAfterAll
        /// The services were not all found within the time, or reading them failed.
        case servicesUnresolved
        /// The link is up but BlueZ shows no services.
        case noServices
        /// BlueZ dropped the peripheral, as it does with one that it has not heard for a while.
        case vanished
        /// The link dropped again before the services were known.
        case droppedAgain
        case outOfResources

        /// Keys do not fit: one side has lost the pairing.
        case pairingBroken
        /// BlueZ tried BR/EDR on a peripheral that speaks both.
        case classicInsteadOfLE
        case adapterNotPowered
        case notSupported
        case unknown
    }

    /// The reason, as far as BlueZ tells.
    public let reason: Reason
    /// What BlueZ said, if it said anything.
    public let detail: String?
    /// Several attempts in a row failed on a paired peripheral in a way that a broken pairing shows too.
    /// BlueZ has the same error for both.
    public internal(set) var suspectsPairing = false

    /// A failure, with what BlueZ said of it if anything.
    public init(_ reason: Reason, detail: String? = nil) {
        self.reason = reason
        self.detail = detail
    }

    /// Whether another attempt may well succeed.
    public var isTransient: Bool {
        switch reason {
        case .linkFailed, .timedOut, .cancelled, .busy, .refused, .abortedByPeripheral, .tooManyConnections,
            .protocolError, .notConnectedAfterAll, .servicesUnresolved, .noServices, .vanished, .droppedAgain,
            .outOfResources:
            true
        case .pairingBroken, .classicInsteadOfLE, .adapterNotPowered, .notSupported, .unknown:
            false
        }
    }

    var advice: String {
        if suspectsPairing || reason == .pairingBroken {
            return "If this goes on, one side has lost the pairing: remove it with `bluetoothctl remove`, then pair again."
        }
        switch reason {
        case .tooManyConnections: return "Disconnect another Bluetooth device."
        case .busy, .cancelled: return "End other programs that use this peripheral, and try again."
        case .classicInsteadOfLE:
            return "Set `ControllerMode = le` in /etc/bluetooth/main.conf if no other device needs BR/EDR."
        case .adapterNotPowered: return "Switch it on with `bluetoothctl power on`."
        case .notSupported: return "The adapter may not support Bluetooth LE: try another one."
        case .noServices, .servicesUnresolved:
            return "Try again; if it goes on, restart the peripheral, or `bluetoothctl remove` it so that BlueZ looks again."
        default: return "Bring the peripheral nearer and try again; restart it if this goes on."
        }
    }
}

extension ConnectFailure: CustomStringConvertible {
    /// The reason in a few words, with what BlueZ said in brackets.
    public var description: String {
        let text = switch reason {
        case .linkFailed: "the link could not be set up"
        case .timedOut: "no answer in time"
        case .cancelled: "the attempt was cancelled from elsewhere"
        case .busy: "another connection attempt is under way"
        case .refused: "refused"
        case .abortedByPeripheral: "the peripheral broke it off"
        case .tooManyConnections: "the adapter holds too many connections"
        case .protocolError: "link layer protocol error"
        case .notConnectedAfterAll: "BlueZ reported success without a connection"
        case .servicesUnresolved: "its services were not found in time"
        case .noServices: "it shows no services"
        case .vanished: "BlueZ dropped it from its list"
        case .droppedAgain: "the link dropped again at once"
        case .outOfResources: "the machine ran out of resources for it"
        case .pairingBroken: "the pairing is broken"
        case .classicInsteadOfLE: "BlueZ tried BR/EDR instead of LE"
        case .adapterNotPowered: "the adapter is switched off"
        case .notSupported: "not supported by the adapter"
        case .unknown: "unknown reason"
        }
        guard let detail, !detail.isEmpty else { return text }
        return "\(text) (\(detail))"
    }
}
