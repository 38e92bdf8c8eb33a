public import StepDomain

/// Recognises devices by their services: connects to one after the other.
public struct DeviceProbing: Sendable {
    /// Devices that are connected to at most: each takes some seconds, and is not available to others meanwhile.
    public static let maximumProbed = 10

    private let scanner: any PedometerScanner

    public init(_ scanner: any PedometerScanner) { self.scanner = scanner }

    public struct Results: Sendable {
        /// In the order given; those that were connected to with the kind that their services show.
        public var devices: [ScannedDevice]
        /// Addresses of those that were connected to, or tried.
        public var probed: Set<String> = []
        /// The kind that a name indicated, and that the services have refuted, by address.
        public var refuted: [String: PedometerKind] = [:]
        /// Why a device could not be connected to, by its address.
        public var failures: [String: any Error]
        /// Whether the task was cancelled before all were connected to.
        public var isInterrupted = false
    }

    /// A device that advertises its steps is not connected to: it accepts no connection without a key, and its data
    /// identify it.
    ///
    /// - Parameters:
    ///   - limit: the most devices to connect to: devices whose advertisements suggest a pedometer come first, then the
    ///     others, in the order of the list.
    ///   - began: called before each connection.
    public func probe(_ devices: [ScannedDevice], limit: Int, began: @Sendable (ScannedDevice) -> Void = { _ in }) async
        -> Results
    {
        var results = Results(devices: devices, failures: [:])
        let wanted = devices.enumerated().filter { $0.element.evidence != .advertisedData }
        for (index, device) in (wanted.filter { $0.element.kind != nil } + wanted.filter { $0.element.kind == nil })
            .prefix(limit)
        {
            results.isInterrupted = Task.isCancelled
            if results.isInterrupted { break }
            results.probed.insert(device.address)
            began(device)
            do {
                let found = try await scanner.probe(device.address)
                results.devices[index].services = found.services
                if let kind = found.kinds.first {
                    (results.devices[index].kind, results.devices[index].evidence) = (kind, .services)
                } else if device.evidence == .name, let kind = device.kind, kind.hasOwnServices {
                    // Anybody can choose the name.
                    (results.devices[index].kind, results.devices[index].evidence) = (nil, nil)
                    results.refuted[device.address] = kind
                }
            } catch {
                if Task.isCancelled {
                    results.probed.remove(device.address)
                    results.isInterrupted = true
                    break
                }
                results.failures[device.address] = error
            }
        }
        return results
    }
}
