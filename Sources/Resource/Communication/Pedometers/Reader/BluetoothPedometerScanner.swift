public import BlueZ
public import StepDomain

/// What a scan found, each peripheral once, as it was last heard.
///
/// Holds a bounded number of devices, whatever is heard: a transmitter can make up any number of addresses. Pedometers,
/// and the devices with the strongest signal, are kept.
public struct ScanResults {
    /// The most devices that are kept.
    public static let limit = ScanOutcome.limit

    public private(set) var devices: [DeviceAddress: Discovery] = [:]
    /// Whether more than `limit` were heard.
    public private(set) var isCut = false
    /// Names of devices that were not wanted.
    public private(set) var others = NamesInRange()

    public init() {}

    public mutating func add(_ discovery: Discovery) {
        devices[discovery.address] = discovery
        // Not for each device: in a flood of devices, sorting a thousand for each of them would take longer than the
        // flood.
        if devices.count >= 2 * Self.limit { cut() }
    }

    /// Keeps at most `limit` devices.
    public mutating func cut() {
        guard devices.count > Self.limit else { return }
        isCut = true
        let ranked = devices.values.map { (rank: rank($0), device: $0) }.sorted {
            ($0.rank, $0.device.address) < ($1.rank, $1.device.address)
        }
        devices = Dictionary(uniqueKeysWithValues: ranked.prefix(Self.limit).map { ($0.device.address, $0.device) })
    }

    /// Devices with the lowest rank are kept.
    private func rank(_ discovery: Discovery) -> Int {
        let strength = -(discovery.rssi ?? -128)
        return PedometerRegistry.model(of: discovery) == nil ? strength : strength - 1_000
    }

    public var strongestFirst: [Discovery] {
        devices.values.sorted {
            let (a, b) = ($0.rssi ?? -128, $1.rssi ?? -128)
            return a == b ? $0.address < $1.address : a > b
        }
    }

    /// Reads a scan to its end.
    ///
    /// - Parameters:
    ///   - isWanted: whether a device is kept.
    ///   - heard: called with the number of devices so far.
    public static func collect(
        _ scan: AsyncThrowingStream<Discovery, any Error>, where isWanted: (Discovery) -> Bool = { _ in true },
        heard: (Int) -> Void = { _ in }
    ) async throws -> ScanResults {
        var results = ScanResults()
        for try await discovery in scan {
            guard isWanted(discovery) else {
                results.others.add(ScannedDevice(discovery))
                continue
            }
            results.add(discovery)
            heard(min(results.devices.count, limit))
        }
        results.cut()
        return results
    }
}

/// Finds pedometers through BlueZ.
public struct BluetoothPedometerScanner: PedometerScanner {
    private let reader: BluetoothPedometerReader
    private let adapter: String?
    private let central: @Sendable () async throws -> Central

    /// - Parameters:
    ///   - reader: connects to a pedometer to check it.
    ///   - adapter: such as `hci1`; nil for the first that is powered.
    ///   - central: opened for each scan and closed at its end.
    public init(
        reader: BluetoothPedometerReader, adapter: String?, central: @escaping @Sendable () async throws -> Central
    ) {
        self.reader = reader
        self.adapter = adapter
        self.central = central
    }

    /// - Throws: `BluetoothError`.
    public func scan(
        _ conditions: ScanConditions, seconds: Double, heard: @escaping @Sendable (Int) -> Void
    ) async throws -> ScanOutcome {
        let results = try await central().closing { [adapter] central in
            try await ScanResults.collect(
                await central.scan(ScanFilter(conditions), adapter: adapter, limit: .seconds(seconds)),
                where: { conditions.matches(name: $0.name) }, heard: heard)
        }
        return ScanOutcome(results.strongestFirst.map(ScannedDevice.init), isCut: results.isCut, others: results.others)
    }

    /// - Throws: `BluetoothError`, or what `isWanted` throws.
    public func first(
        _ conditions: ScanConditions, seconds: Double, passed: @escaping @Sendable (ScannedDevice) -> Void,
        where isWanted: @escaping @Sendable (ScannedDevice) throws -> Bool
    ) async throws -> ScannedDevice? {
        // A band may be sent from another address than that in its data, by which it is known: BlueZ must not leave it
        // out.
        var filter = ScanFilter(conditions)
        let address = filter.address
        filter.address = nil
        return try await central().closing { [adapter, filter] central in
            for try await discovery in await central.scan(filter, adapter: adapter, limit: .seconds(seconds)) {
                let device = ScannedDevice(discovery)
                let isOther = address.map { discovery.address != $0 && device.address != $0.description } ?? false
                if isOther || !conditions.matches(name: device.name) {
                    passed(device)
                } else if try isWanted(device) {
                    return device
                }
            }
            return nil
        }
    }

    /// - Throws: `BluetoothError`.
    public func probe(_ address: String) async throws -> ProbedDevice {
        guard let address = DeviceAddress(address) else { return ProbedDevice(kinds: [], services: []) }
        // One attempt: a device that is only looked at is not worth minutes.
        let limits = ConnectionLimits(scan: .seconds(10), attempts: 2)
        return try await central().closing { [adapter] central in
            try await central.withPeripheral(address, adapter: adapter, limits: limits) { peripheral in
                let services = peripheral.services.map(\.uuid)
                return ProbedDevice(
                    kinds: PedometerRegistry.models(withServices: Set(services)).map { $0.kind },
                    services: services.map(\.description))
            }
        }
    }

    /// - Throws: `BluetoothError`, `PedometerError`.
    public func check(_ pedometer: Pedometer) async throws -> PedometerAddress? { try await reader.check(pedometer) }

    /// - Throws: `BluetoothError`.
    public func unpair(_ pedometer: Pedometer) async throws {
        guard let address = DeviceAddress(pedometer.address) else { return }
        _ = try await central().closing { [adapter] central in try await central.remove(address, adapter: adapter) }
    }
}

extension ScanFilter {
    /// A text that is not a UUID or an address is not used as a condition: the caller has checked the conditions. The
    /// name is not, because BlueZ compares it byte for byte.
    fileprivate init(_ conditions: ScanConditions) {
        self.init(
            services: conditions.service.flatMap { BluetoothUUID($0) }.map { [$0] } ?? [],
            address: conditions.address.flatMap { DeviceAddress($0) })
    }
}

extension ScannedDevice {
    fileprivate init(_ discovery: Discovery) {
        let recognised = PedometerRegistry.recognise(discovery)
        let identity = (recognised?.model as? any AdvertisedPedometerModel.Type)?.reading(in: discovery)?.identity
        self.init(
            address: (identity ?? discovery.address).description, addressType: discovery.addressType.rawValue,
            name: discovery.name,
            rssi: discovery.rssi,
            kind: recognised?.model.kind, evidence: recognised?.evidence,
            services: discovery.services.map(\.description),
            isConnected: discovery.isConnected, isPaired: discovery.isPaired)
    }
}
