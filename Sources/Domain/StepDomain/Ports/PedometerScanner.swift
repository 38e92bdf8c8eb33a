/// A Bluetooth LE device as a scan heard it. What the device itself sends (name, services) is given as received: it may
/// be hostile.
public struct ScannedDevice: Hashable, Sendable {
    /// Upper case with colons.
    public var address: String
    /// `public` or `random`.
    public var addressType: String
    /// As advertised.
    public var name: String?
    /// Signal strength in dBm.
    public var rssi: Int?
    /// The kind of pedometer that it is recognised as.
    public var kind: PedometerKind?
    /// What shows that it is of this kind; nil without a kind.
    public var evidence: KindEvidence?
    /// UUIDs of the services that it advertises.
    public var services: [String]
    /// Whether this machine is connected to it.
    public var isConnected: Bool
    public var isPaired: Bool

    public init(
        address: String, addressType: String, name: String? = nil, rssi: Int? = nil, kind: PedometerKind? = nil,
        evidence: KindEvidence? = nil,
        services: [String] = [],
        isConnected: Bool = false, isPaired: Bool = false
    ) {
        self.address = address
        self.addressType = addressType
        self.name = name
        self.rssi = rssi
        self.kind = kind
        self.evidence = evidence
        self.services = services
        self.isConnected = isConnected
        self.isPaired = isPaired
    }
}

/// The Bluetooth address of a pedometer.
public struct PedometerAddress: Hashable, Sendable {
    /// Upper case with colons.
    public var address: String
    /// `public` or `random`.
    public var type: String

    public init(address: String, type: String) {
        self.address = address
        self.type = type
    }
}

/// What a connection to a device shows of it.
public struct ProbedDevice: Hashable, Sendable {
    /// The kinds of pedometers that have these services; mostly one or none.
    public var kinds: [PedometerKind]
    /// UUIDs of all its services.
    public var services: [String]

    public init(kinds: [PedometerKind], services: [String]) {
        self.kinds = kinds
        self.services = services
    }
}

/// What a scan looks for. All given conditions must hold; without any it finds every device.
public struct ScanConditions: Hashable, Sendable {
    /// A service that the device advertises.
    public var service: String?
    /// The beginning of the device's name, in upper or lower case.
    public var namePrefix: String?
    public var address: String?

    public init(service: String? = nil, namePrefix: String? = nil, address: String? = nil) {
        self.service = service
        self.namePrefix = namePrefix
        self.address = address
    }

    /// Whether a name begins with `namePrefix`. Always true without one.
    public func matches(name: String?) -> Bool {
        guard let namePrefix, !namePrefix.isEmpty else { return true }
        return name?.lowercased().hasPrefix(namePrefix.lowercased()) ?? false
    }
}

/// Names of devices in range, for the answer to a search that has found none of its own: those of pedometers first.
public struct NamesInRange: Hashable, Sendable {
    /// At most five, each of at most 64 characters.
    public private(set) var names: [String] = []

    public init() {}

    public mutating func add(_ device: ScannedDevice) {
        guard let name = device.name.map({ String($0.prefix(64)) }), !name.isEmpty, !names.contains(name) else {
            return
        }
        names.insert(name, at: device.kind == nil ? names.endIndex : 0)
        if names.count > 5 { names.removeLast() }
    }
}

/// The result of a whole scan.
public struct ScanOutcome: Hashable, Sendable {
    /// Each once, as it was last heard; the strongest signal first.
    public var devices: [ScannedDevice]
    /// Whether more devices were heard than are kept: pedometers and the devices with the strongest signal are kept.
    public var isTruncated: Bool
    /// Names of devices that do not match the conditions.
    public var others: NamesInRange

    public init(_ devices: [ScannedDevice], isTruncated: Bool = false, others: NamesInRange = NamesInRange()) {
        self.devices = devices
        self.isTruncated = isTruncated
        self.others = others
    }

    /// More devices than a user reads in a list: a full train has some hundred. A transmitter can make up any number of
    /// addresses.
    public static let limit = 1_000
}

/// Finds pedometers in range. Errors are those of the implementation.
public protocol PedometerScanner: Sendable {
    /// Scans for the whole time. The scan has ended when this returns.
    ///
    /// - Parameter discovered: called with the number of devices so far.
    func scan(
        _ conditions: ScanConditions, seconds: Double, discovered: @escaping @Sendable (Int) -> Void
    ) async throws -> ScanOutcome

    /// Scans until `isWanted` returns true for a device that matches the conditions. The scan has ended when this
    /// returns.
    ///
    /// - Parameter passed: called with each device that does not match them.
    /// - Returns: nil if the time was over before.
    /// - Throws: also what `isWanted` throws, which ends the scan.
    func first(
        _ conditions: ScanConditions, seconds: Double, passed: @escaping @Sendable (ScannedDevice) -> Void,
        where isWanted: @escaping @Sendable (ScannedDevice) throws -> Bool
    ) async throws -> ScannedDevice?

    /// Connects to a device, and determines from its services as which kinds of pedometers it can be read. Changes
    /// nothing on it.
    ///
    /// - Parameter address: upper case with colons.
    func probe(_ address: String) async throws -> ProbedDevice

    /// Connects, and checks that the pedometer is of its kind and that its steps can be read. Pairs if reading the
    /// steps requires it, or if the pedometer asks for it.
    ///
    /// - Returns: its own address, if pairing has shown another one than it was heard from; nil otherwise.
    @discardableResult
    func check(_ pedometer: Pedometer) async throws -> PedometerAddress?

    /// Removes the pairing with a pedometer from this machine.
    func unpair(_ pedometer: Pedometer) async throws
}

/// Listens for pedometers that come into range: what Bluetooth must do for a watch.
public protocol PresenceScanner: Sendable {
    /// Listens for the pedometers with these addresses from now on, and for no others.
    ///
    /// - Parameter advertised: those of them that advertise their steps: they may be heard from another address, and
    ///   are known by their data.
    func scan(for addresses: Set<String>, advertised: Set<String>) async

    /// Stops listening. Returns when no scan is running any more: connecting often fails during a scan.
    func pause() async

    /// Runs until the task is cancelled, also while Bluetooth is not available. Returns when nothing is left open.
    func run(_ report: @escaping @Sendable (PresenceEvent) -> Void) async
}

/// What a `PresenceScanner` reports.
public enum PresenceEvent: Sendable {
    /// The pedometer with this address, as it was passed to `scan(for:)`, is in range. May be reported any number of
    /// times.
    case discovered(address: String)
    /// It listens from now on.
    case listening
    /// It cannot listen now, and waits until it can.
    case unavailable(any Error)
}
