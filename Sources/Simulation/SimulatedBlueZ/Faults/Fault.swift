/// Something that goes wrong with one peripheral. `SimulatedBlueZ.inject` switches it on, at any time.
public struct Fault: Sendable, Hashable {
    let effect: Effect
    let occurrence: Occurrence

    /// When a fault strikes, counted from 1 in operations of its kind since it was injected.
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

    /// What a fault can strike.
    public enum Operation: String, Sendable, Hashable {
        case connect, read, write, subscribe, notification
    }

    enum Effect: Sendable, Hashable {
        case outOfRange
        case refuse(name: String, message: String)
        case drop(Operation)
        case stall(Operation)
        case attError(ATTError, Operation)
        case slow(Duration)
        case rubbish(Rubbish)
        case missingService(AttributeUUID)
        case servicesNeverResolved
        case name(String?)
        case pairingDemanded
        case pairingRefused(name: String, message: String)
    }
}

extension Fault {
    /// It is not heard any more, its link is lost, a new one fails.
    public static let outOfRange = Fault(effect: .outOfRange, occurrence: .always)

    /// `Connect` fails as BlueZ says it: `le-connection-abort-by-local` stands for nearly every failure of LE.
    public static func refuseConnect(
        _ message: String = "le-connection-abort-by-local", name: String = "org.bluez.Error.Failed",
        _ occurrence: Occurrence = .always
    ) -> Fault {
        Fault(effect: .refuse(name: name, message: message), occurrence: occurrence)
    }

    /// The link is lost after this number of notifications; the next one never comes.
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

    /// Notifications arrive as something else.
    public static func rubbish(_ rubbish: Rubbish, _ occurrence: Occurrence = .always) -> Fault {
        Fault(effect: .rubbish(rubbish), occurrence: occurrence)
    }

    /// From the next connection on, the peripheral does not have this service.
    public static func missingService(_ service: AttributeUUID) -> Fault {
        Fault(effect: .missingService(service), occurrence: .always)
    }

    /// Connected, but the services are never resolved.
    public static let servicesNeverResolved = Fault(effect: .servicesNeverResolved, occurrence: .always)

    /// It advertises another name; nil: none.
    public static func name(_ name: String?) -> Fault { Fault(effect: .name(name), occurrence: .always) }

    /// All its characteristics demand an encrypted link.
    public static let pairingDemanded = Fault(effect: .pairingDemanded, occurrence: .always)

    /// Pairing fails, whatever the agent says.
    public static func pairingRefused(
        name: String = "org.bluez.Error.AuthenticationFailed", message: String = "Authentication Failed"
    ) -> Fault {
        Fault(effect: .pairingRefused(name: name, message: message), occurrence: .always)
    }
}
