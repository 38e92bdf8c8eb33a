/// A fault of one peripheral. `SimulatedBlueZ.inject` switches it on at any time.
public struct Fault: Sendable, Hashable {
    let effect: Effect
    let occurrence: Occurrence

    /// When a fault occurs, counted from 1 in operations of its kind since it was injected.
    public enum Occurrence: Sendable, Hashable {
        case always
        case at(Int)
        case first(Int)
        case from(Int)
        case every(Int)

        func includes(_ count: Int) -> Bool {
            switch self {
            case .always: true
            case .at(let number): count == number
            case .first(let number): count <= number
            case .from(let number): count >= number
            case .every(let number): number > 0 && count % number == 0
            }
        }
    }

    /// The operations that a fault can affect.
    public enum Operation: String, Sendable, Hashable {
        case connect, read, write, subscribe, notification
        /// Finding the services of a new link.
        case resolve
    }

    enum Effect: Sendable, Hashable {
        case outOfRange
        case refuse(Operation, name: String, message: String)
        case unreachable
        case staleHandles
        case drop(Operation)
        case stall(Operation)
        case attError(ATTError, Operation)
        case slow(Duration)
        case corruption(Corruption)
        case missingService(AttributeUUID)
        case staleService(AttributeUUID)
        case servicesNeverResolved
        case name(String?)
        case pairingDemanded
        case pairingRefused(name: String, message: String)
    }
}

extension Fault {
    /// Its advertisements are not received, its link is lost, and new connections fail.
    public static let outOfRange = Fault(effect: .outOfRange, occurrence: .always)

    /// `Connect` fails with the error that BlueZ uses: `le-connection-abort-by-local` stands for nearly every failure
    /// of LE.
    public static func refuseConnect(
        _ message: String = "le-connection-abort-by-local", name: String = "org.bluez.Error.Failed",
        _ occurrence: Occurrence = .always
    ) -> Fault {
        Fault(effect: .refuse(.connect, name: name, message: message), occurrence: occurrence)
    }

    /// BlueZ itself refuses an operation, which the peripheral does not receive. `Failed to initiate write` is its
    /// answer if it cannot queue a packet (`characteristic_write_value` in `src/gatt-client.c`).
    public static func refuse(
        _ operation: Operation, _ message: String, name: String = "org.bluez.Error.Failed",
        _ occurrence: Occurrence = .at(1)
    ) -> Fault {
        Fault(effect: .refuse(operation, name: name, message: message), occurrence: occurrence)
    }

    /// The peripheral does not answer to a connection request, until the kernel gives up.
    public static func unreachable(_ occurrence: Occurrence = .at(1)) -> Fault {
        Fault(effect: .unreachable, occurrence: occurrence)
    }

    /// BlueZ has handles from before a firmware update, until the device is removed from it: the peripheral has no such
    /// attributes.
    public static let staleHandles = Fault(effect: .staleHandles, occurrence: .always)

    /// The link is lost after this number of notifications; the next one never arrives.
    public static func drop(afterPackets count: Int) -> Fault {
        Fault(effect: .drop(.notification), occurrence: .at(count + 1))
    }

    /// The link is lost in the middle of an operation; in `connect`, right after `Connect` succeeded.
    public static func drop(during operation: Operation, _ occurrence: Occurrence = .at(1)) -> Fault {
        Fault(effect: .drop(operation), occurrence: occurrence)
    }

    /// The operation is never answered.
    public static func stall(_ operation: Operation, _ occurrence: Occurrence = .always) -> Fault {
        Fault(effect: .stall(operation), occurrence: occurrence)
    }

    /// The peripheral answers with an ATT error.
    public static func attError(
        _ error: ATTError, on operation: Operation, _ occurrence: Occurrence = .always
    ) -> Fault {
        Fault(effect: .attError(error, operation), occurrence: occurrence)
    }

    /// Every operation and every packet takes this much longer, by the clock of `Timing`.
    public static func slow(_ delay: Duration, _ occurrence: Occurrence = .always) -> Fault {
        Fault(effect: .slow(delay), occurrence: occurrence)
    }

    /// Notifications arrive with other content.
    public static func corruption(_ corruption: Corruption, _ occurrence: Occurrence = .always) -> Fault {
        Fault(effect: .corruption(corruption), occurrence: occurrence)
    }

    /// From the next connection on, the peripheral does not have this service.
    public static func missingService(_ service: AttributeUUID) -> Fault {
        Fault(effect: .missingService(service), occurrence: .always)
    }

    /// BlueZ has a table of services from before a firmware update, in which this one is missing, until the device is
    /// removed from it.
    public static func staleServices(without service: AttributeUUID) -> Fault {
        Fault(effect: .staleService(service), occurrence: .always)
    }

    /// Connected, but the services are never resolved.
    public static let servicesNeverResolved = Fault(effect: .servicesNeverResolved, occurrence: .always)

    /// It advertises another name, or no name if nil.
    public static func name(_ name: String?) -> Fault { Fault(effect: .name(name), occurrence: .always) }

    /// All its characteristics require an encrypted link.
    public static let pairingDemanded = Fault(effect: .pairingDemanded, occurrence: .always)

    /// Pairing fails, whatever the agent answers.
    public static func pairingRefused(
        name: String = "org.bluez.Error.AuthenticationFailed", message: String = "Authentication Failed"
    ) -> Fault {
        Fault(effect: .pairingRefused(name: name, message: message), occurrence: .always)
    }
}

/// How a notification can be corrupted.
public enum Corruption: Sendable, Hashable {
    /// The last byte differs.
    case wrongChecksum
    /// Only the first bytes arrive.
    case truncated(to: Int)
    /// Additional bytes follow.
    case extended(by: Int)
    /// The same number of random bytes.
    case random(seed: UInt64)
    /// It never arrives.
    case dropped
    /// It arrives twice.
    case doubled
    case replaced([UInt8])

    func applied(to packet: [UInt8]) -> [[UInt8]] {
        switch self {
        case .wrongChecksum: [packet.dropLast() + packet.suffix(1).map { ~$0 }]
        case .truncated(let count): [Array(packet.prefix(count))]
        case .extended(let count): [packet + [UInt8](repeating: 0xa5, count: count)]
        case .random(let seed):
            // The packet is part of the seed, so that consecutive packets differ.
            [noise(seed: packet.reduce(seed) { $0 &* 31 &+ UInt64($1) }, count: packet.count)]
        case .dropped: []
        case .doubled: [packet, packet]
        case .replaced(let bytes): [bytes]
        }
    }

    private func noise(seed: UInt64, count: Int) -> [UInt8] {
        var random = RandomSource(seed: seed)
        return random.bytes(count)
    }
}

/// Why an adapter that is switched on finds no devices.
public enum DiscoveryFault: Sendable, Hashable {
    /// `StartDiscovery` is refused as `InProgress`, as long as the fault lasts: BlueZ waits for a controller that lost
    /// a command.
    case busy
    /// `StartDiscovery` is never answered.
    case stalled
    /// Discovery starts, but no advertisement is received until the adapter is switched off and on, so no link can be
    /// opened either. Links that are open stay.
    case receivesNothing
}

extension SimulatedBlueZ {
    /// Makes discovery fail on an adapter from now on; nil ends the fault.
    public func setDiscoveryFault(_ fault: DiscoveryFault?, adapter: String = "hci0") async {
        await daemon.perform { $0.adapters[Adapter(name: adapter, address: "").path]?.fault = fault }
    }
}
