internal import BlueZ
public import StepDomain

/// Examines Bluetooth and pedometers through the kernel and BlueZ.
extension BluetoothAccess: BluetoothProbe {
    public func radios() -> RadioFacts? { machine.map { RadioFacts($0.read(), adapter: adapter) } }

    public func open() async throws -> any BluetoothProbeSession {
        ProbeSession(central: try await central(), name: adapter)
    }

    public func examine(_ pedometer: Pedometer, isDiscovered: Bool) async throws(PedometerContactError) -> ReadReport {
        var access = self
        access.environment.limits = ConnectionLimits(scan: .seconds(isDiscovered ? 20 : 3), attempts: 3)
        do {
            return try await access.examine(pedometer)
        } catch {
            throw PedometerContactError(error)
        }
    }

    /// Connects, checks the services and runs the model's short reading, which changes nothing: it stores no steps,
    /// sets no clock, and does not pair.
    public func examine(_ pedometer: Pedometer) async throws -> ReadReport {
        let target: ReadTarget
        switch try ReadMethod(pedometer) {
        case .linked(let linked): target = linked
        case .advertised(let pedometer): return try await receiveAdvertisement(of: pedometer)
        }
        let session = try target.model.probe(SessionContext(pedometer: pedometer, localTime: environment.localTime))
        return try await withPeripheral(of: target, LinkRetry(mayPair: false)) { peripheral in
            try await SessionDriver.run(session, over: peripheral, environment, { _ in }, { _ in })
        }.report
    }

    /// Listens for an advertisement with steps, and discards the steps.
    private func receiveAdvertisement(of pedometer: AdvertisingPedometer) async throws -> ReadReport {
        try await central().closing { central in
            let run = AdvertisementRun(environment: environment, central: central, receiver: nil)
            guard let result = await run.listen(for: [pedometer], limit: environment.limits.scan)[pedometer.address]
            else {
                throw CancellationError()
            }
            _ = try result.get()
            return ReadReport()
        }
    }
}

private struct ProbeSession: BluetoothProbeSession {
    let central: Central
    /// Name of the adapter; nil for the first that is powered.
    let name: String?

    func adapter() async throws -> (name: String, isScanning: Bool) {
        let adapter = try await central.adapter(name)
        return (adapter.name, adapter.isDiscovering)
    }

    func scan(seconds: Double, for pedometers: Set<String>) async throws -> ScanFacts {
        var results = ProbeScan(pedometers)
        for try await discovery in await central.scan(ScanFilter(), adapter: name, limit: .seconds(seconds)) {
            results.add(discovery)
            if results.isComplete { break }
        }
        return results.facts
    }

    func close() async { await central.close() }
}

/// What a scan heard, as far as a checkup needs it. Its size is limited, because a transmitter can make up any number
/// of addresses.
struct ProbeScan {
    /// Devices that are counted. A full train has some hundred.
    private static let limit = 1_000

    /// The registered pedometers by their addresses in the history, which may be written in lower case.
    private let wanted: [DeviceAddress: String]
    private var discovered: Set<DeviceAddress> = []
    private var pedometers: [String: DiscoveredDevice] = [:]
    private var candidate: Discovery?

    init(_ pedometers: Set<String>) {
        wanted = Dictionary(pedometers.compactMap { text in DeviceAddress(text).map { ($0, text) } }) { first, _ in
            first
        }
    }

    /// Whether all registered pedometers were heard.
    var isComplete: Bool { !wanted.isEmpty && pedometers.count == wanted.count }

    var facts: ScanFacts {
        ScanFacts(count: discovered.count, pedometers: pedometers, candidate: candidate.map { DiscoveredDevice($0) })
    }

    mutating func add(_ discovery: Discovery) {
        if discovery.wasHeard, discovered.count < Self.limit || wanted[discovery.address] != nil {
            discovered.insert(discovery.address)
        }
        if let address = wanted[discovery.address] { pedometers[address] = DiscoveredDevice(discovery) }
        // The lowest address, so that two checkups name the same one.
        if PedometerRegistry.model(of: discovery) != nil, candidate.map({ discovery.address <= $0.address }) ?? true {
            candidate = discovery
        }
    }
}

extension DiscoveredDevice {
    init(_ discovery: Discovery) {
        self.init(
            address: discovery.address.description, name: discovery.name, rssi: discovery.rssi,
            isConnected: discovery.isConnected,
            isPaired: discovery.isPaired)
    }
}

extension RadioFacts {
    init(_ machine: MachineState, adapter: String?) {
        let error = machine.fault(adapter: adapter)
        let fault: Fault? =
            switch error {
            case .noKernelSupport: .noKernelSupport
            case .adapterBlocked: .blocked
            case .noAdapter: .noAdapter
            case .adapterDown: .down
            default: nil
            }
        self.init(
            adapters: machine.radios.map { Adapter(name: $0.name, address: $0.address?.description) },
            blockedSwitches: machine.switches.filter { $0.isSoftBlocked || $0.isHardBlocked }.map(\.name), fault: fault,
            problem: error.map { Problem($0) })
    }
}

extension PedometerContactError {
    init(_ error: any Error) {
        switch error {
        case BluetoothError.peripheralNotFound: self = .notInRange
        case BluetoothError.notPaired: self = .notPaired
        case BluetoothError.connectFailed(_, let failure):
            let cause: ConnectCause =
                failure.suspectsPairing || failure.reason == .pairingBroken
                ? .pairingLost : failure.reason == .busy ? .busy : .other
            self = .connectFailed(cause, reason: "\(failure)")
        default: self = .other(Problem(error))
        }
    }
}
