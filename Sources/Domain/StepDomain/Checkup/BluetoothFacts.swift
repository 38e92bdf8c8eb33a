/// What the kernel reports about the Bluetooth of this machine.
public struct RadioFacts: Hashable, Sendable {
    /// An adapter.
    public struct Adapter: Hashable, Sendable {
        /// Such as `hci0`.
        public var name: String
        /// Nil if not known.
        public var address: String?

        public init(name: String, address: String? = nil) {
            self.name = name
            self.address = address
        }
    }

    /// Why the adapter cannot be used, at the lowest level at which there is a reason.
    public enum Fault: Hashable, Sendable {
        /// The kernel has no Bluetooth, or denies it to this process.
        case noKernelSupport
        /// A radio switch blocks it.
        case blocked
        /// There is none, or none of the requested name.
        case noAdapter
        /// It is switched off; only the Bluetooth service can switch it on.
        case down
    }

    public var adapters: [Adapter]
    /// Names of the radio switches that are blocked.
    public var blockedSwitches: [String]
    public var fault: Fault?
    /// The fault as an error.
    public var problem: Problem?

    public init(adapters: [Adapter] = [], blockedSwitches: [String] = [], fault: Fault? = nil, problem: Problem? = nil)
    {
        self.adapters = adapters
        self.blockedSwitches = blockedSwitches
        self.fault = fault
        self.problem = problem
    }
}

extension RadioFacts {
    /// Whether the kernel supports Bluetooth.
    public var kernel: Diagnosis { failure(.noKernelSupport, .kernel) ?? .bluetooth(.kernelSupported) }

    /// Whether rfkill blocks the radio, by a program or by a key of the machine.
    public var radioSwitch: Diagnosis {
        if let failure = failure(.blocked, .radioSwitch) { return failure }
        return .bluetooth(blockedSwitches.isEmpty ? .nothingBlocked : .otherAdapterBlocked(blockedSwitches))
    }

    /// Whether the kernel has the adapter.
    public var adapter: Diagnosis {
        if let failure = failure(.noAdapter, .adapter) {
            guard !adapters.isEmpty, let problem else { return failure }
            return .bluetooth(.otherAdapters(problem, present: adapters.map(\.name)))
        }
        return .bluetooth(.adapters(adapters))
    }

    private func failure(_ fault: Fault, _ subject: CheckSubject) -> Diagnosis? {
        guard self.fault == fault, let problem else { return nil }
        return .failed(subject, problem)
    }
}

/// The state of the machine's Bluetooth, from the kernel to the adapter's power.
public enum BluetoothDiagnosis: Hashable, Sendable {
    /// The environment names a bus other than the machine's own, so the state of this kernel does not apply.
    case otherBus
    case kernelSupported
    case nothingBlocked
    /// Switches that block adapters which istep does not use.
    case otherAdapterBlocked([String])
    case adapters([RadioFacts.Adapter])
    /// The requested adapter does not exist, but these do.
    case otherAdapters(Problem, present: [String])
    case busAnswers
    case busUnreachable(reason: String)
    case serviceAnswers
    case adapterOn(name: String)
    /// Another program scans with the adapter.
    case adapterScanning(name: String)

    public var severity: Severity {
        switch self {
        case .otherBus: .skipped
        case .kernelSupported, .nothingBlocked, .adapters, .busAnswers, .serviceAnswers, .adapterOn: .fine
        case .otherAdapterBlocked, .adapterScanning: .note
        case .otherAdapters(let problem, _): .fault(problem.category)
        case .busUnreachable: .fault(.unavailable)
        }
    }

    public var subject: CheckSubject {
        switch self {
        case .otherBus, .kernelSupported: .kernel
        case .nothingBlocked, .otherAdapterBlocked: .radioSwitch
        case .adapters, .otherAdapters: .adapter
        case .busAnswers, .busUnreachable: .bus
        case .serviceAnswers: .bluetoothService
        case .adapterOn, .adapterScanning: .adapterPower
        }
    }
}

/// A device that a scan heard.
public struct DiscoveredDevice: Hashable, Sendable {
    public var address: String
    /// As received; may contain control characters.
    public var name: String?
    /// Signal strength in dBm, if the adapter reported it.
    public var rssi: Int?
    /// Whether this machine is connected to it.
    public var isConnected: Bool
    /// Whether this machine holds a bond with it.
    public var isPaired: Bool

    public init(
        address: String, name: String? = nil, rssi: Int? = nil, isConnected: Bool = false, isPaired: Bool = false
    ) {
        self.address = address
        self.name = name
        self.rssi = rssi
        self.isConnected = isConnected
        self.isPaired = isPaired
    }
}

/// What a scan of a limited time heard.
public struct ScanFacts: Hashable, Sendable {
    /// Number of devices, of any kind.
    public var count: Int
    /// The registered pedometers among them, by address.
    public var pedometers: [String: DiscoveredDevice]
    /// A device that could be registered: the one with the lowest address among those that a model recognises.
    public var candidate: DiscoveredDevice?

    public init(count: Int, pedometers: [String: DiscoveredDevice] = [:], candidate: DiscoveredDevice? = nil) {
        self.count = count
        self.pedometers = pedometers
        self.candidate = candidate
    }

    /// - Parameters:
    ///   - registered: number of pedometers in use; nil if not known.
    ///   - seconds: duration of the scan.
    public func diagnoses(registered: Int?, seconds: Double) -> [Diagnosis] {
        let discovered: ScanDiagnosis =
            count > 0
            ? .discovered(devices: count) : .nothingDiscovered(seconds: seconds, isExpected: registered ?? 0 > 0)
        guard registered == 0 else { return [.scan(discovered)] }
        return [.scan(discovered), .scan(candidate.map { .candidate($0) } ?? .noPedometer)]
    }
}

/// The result of a scan.
public enum ScanDiagnosis: Hashable, Sendable {
    /// The user does not want the radio to be used.
    case notRequested
    /// A process works with the pedometers, and must not be disturbed.
    case inUse(HistoryHolder)
    case discovered(devices: Int)
    /// - Parameter isExpected: whether there is a registered pedometer.
    case nothingDiscovered(seconds: Double, isExpected: Bool)
    /// No pedometer is registered, and none was heard.
    case noPedometer
    /// No pedometer is registered, and this device could be.
    case candidate(DiscoveredDevice)

    public var severity: Severity {
        switch self {
        case .notRequested, .inUse: .skipped
        case .discovered: .fine
        case .nothingDiscovered(_, let isExpected): isExpected ? .warning : .note
        case .noPedometer, .candidate: .note
        }
    }
}
