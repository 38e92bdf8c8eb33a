public import StepDomain

/// Scans for devices, connects to them if that is requested, and decides which of them are listed.
public struct DeviceSearch: Sendable {
    public struct Request: Sendable {
        public var conditions: ScanConditions
        /// Seconds to scan; nil for the standard.
        public var seconds: Double?
        /// Whether devices are listed that are neither recognised nor registered.
        public var listsAll: Bool
        /// Whether the devices are connected to, and recognised by their services.
        public var probes: Bool

        public init(
            _ conditions: ScanConditions = ScanConditions(), seconds: Double? = nil, listsAll: Bool = false,
            probes: Bool = false
        ) {
            self.conditions = conditions
            self.seconds = seconds
            self.listsAll = listsAll
            self.probes = probes
        }

        /// Whether only devices with some name, service or address are searched for.
        public var isFiltered: Bool { conditions != ScanConditions() }
    }

    public enum Step: Sendable, Hashable {
        /// The scan takes `seconds`. `found`: the number of devices heard so far; nil before the first.
        case scanning(seconds: Double, found: Int?)
        /// The scan has ended. `isTruncated`: more devices were heard than are kept.
        case scanned(isTruncated: Bool)
        case probing(ScannedDevice)
    }

    private let scanner: any PedometerScanner

    public init(_ scanner: any PedometerScanner) { self.scanner = scanner }

    /// - Parameter registered: the pedometers of the history.
    /// - Throws: the scanner's error.
    public func run(
        _ request: Request, registered: @Sendable () async -> [Pedometer],
        progress: @escaping @Sendable (Step) -> Void = { _ in }
    ) async throws -> ScanReport {
        let seconds = request.seconds ?? SearchTime.scan
        progress(.scanning(seconds: seconds, found: nil))
        let outcome = try await scanner.scan(request.conditions, seconds: seconds) {
            progress(.scanning(seconds: seconds, found: $0))
        }
        progress(.scanned(isTruncated: outcome.isTruncated))
        let known = await registered()
        var probed: DeviceProbing.Results?
        if request.probes {
            probed = await DeviceProbing(scanner).probe(outcome.devices, limit: DeviceProbing.maximumProbed) {
                progress(.probing($0))
            }
        }
        return ScanReport(outcome.devices, probed: probed, others: outcome.others, request: request, registered: known)
    }
}

/// The devices that a search lists, and how many others were heard.
public struct ScanReport: Sendable {
    /// What a search that connects to devices has found out.
    public struct Probing: Sendable {
        /// Devices listed that were not connected to, although their data do not identify them.
        public var skipped: Int
        /// Devices that were neither listed nor connected to.
        public var unlisted: Int
        /// How many it connects to at most.
        public var limit: Int
        /// Whether the user has interrupted it.
        public var isInterrupted: Bool
        /// Why devices could not be connected to, by address.
        public var failures: [String: any Error]
        /// The kind that a device's name indicates and its services do not show, by address.
        public var refuted: [String: PedometerKind]
    }

    /// Those that are listed, the strongest signal first.
    public var devices: [ScannedDevice]
    /// Devices heard and not listed, because they are not recognised.
    public var hidden: Int
    /// Whether only devices with some name or service were searched for.
    public var isFiltered: Bool
    /// The beginning of the name that was searched for, and names in range that do not begin with it.
    public var namePrefix: String?, otherNames: [String]
    /// Nil for a search that connects to no device.
    public var probing: Probing?
    /// The names of the pedometers of the history, by address.
    public var registered: [String: String]

    /// - Parameters:
    ///   - discovered: all devices, as they advertise themselves.
    ///   - probed: the same after they were connected to; nil where none is.
    init(
        _ discovered: [ScannedDevice], probed: DeviceProbing.Results?, others: NamesInRange,
        request: DeviceSearch.Request,
        registered: [Pedometer]
    ) {
        let names = Dictionary(registered.map { ($0.address, $0.name) }, uniquingKeysWith: { $1 })
        self.registered = names
        isFiltered = request.isFiltered
        (namePrefix, otherNames) = (request.conditions.namePrefix, others.names)
        let isEveryOneListed = request.listsAll || request.isFiltered
        // What a generic pedometer advertises shows no model.
        let wanted = discovered.filter { isEveryOneListed || $0.kind != nil || names[$0.address] != nil }
        guard let probed else {
            (devices, hidden) = (wanted, discovered.count - wanted.count)
            return
        }
        let addresses = Set(wanted.map(\.address))
        // A device whose services refute its name is listed, too: the user sees why it is not a pedometer.
        let listed = probed.devices.filter { addresses.contains($0.address) || $0.kind != nil }
        let shown = Set(listed.map(\.address))
        let others = probed.devices.filter { !shown.contains($0.address) }
        let unlisted = others.count { !probed.probed.contains($0.address) }
        (devices, hidden) = (listed, others.count - unlisted)
        probing = Probing(
            skipped: listed.count { !probed.probed.contains($0.address) && $0.evidence != .advertisedData },
            unlisted: unlisted,
            limit: DeviceProbing.maximumProbed, isInterrupted: probed.isInterrupted, failures: probed.failures,
            refuted: probed.refuted)
    }
}
