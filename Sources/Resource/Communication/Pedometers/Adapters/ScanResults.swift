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
    public private(set) var isTruncated = false
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
        isTruncated = true
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
    ///   - discovered: called with the number of devices so far.
    public static func collect(
        _ scan: AsyncThrowingStream<Discovery, any Error>, where isWanted: (Discovery) -> Bool = { _ in true },
        discovered: (Int) -> Void = { _ in }
    ) async throws -> ScanResults {
        var results = ScanResults()
        for try await discovery in scan {
            guard isWanted(discovery) else {
                results.others.add(ScannedDevice(discovery))
                continue
            }
            results.add(discovery)
            discovered(min(results.devices.count, limit))
        }
        results.cut()
        return results
    }
}
