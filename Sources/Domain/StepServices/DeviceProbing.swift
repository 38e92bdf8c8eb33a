public import StepDomain

/// Recognises devices by their services: connects to one after the other.
public struct DeviceProbing: Sendable {
    private let scanner: any PedometerScanner

    public init(_ scanner: any PedometerScanner) { self.scanner = scanner }

    public struct Results: Sendable {
        /// In the order given; those that were connected to with the kind that their services show.
        public var devices: [ScannedDevice]
        /// Why a device could not be connected to, by its address.
        public var failures: [String: any Error]
    }

    /// A device that advertises its steps is not connected to: it accepts no connection without a key, and its data identify it.
    ///
    /// - Parameters:
    ///   - most: how many are connected to at most, from the beginning of the list.
    ///   - began: called before each connection.
    public func probe(_ devices: [ScannedDevice], most: Int, began: @Sendable (ScannedDevice) -> Void = { _ in }) async -> Results {
        var results = Results(devices: devices, failures: [:])
        var left = most
        for (index, device) in devices.enumerated() where device.evidence != .advertisedData && left > 0 {
            if Task.isCancelled { break }
            left -= 1
            began(device)
            do {
                let probed = try await scanner.probe(device.address)
                results.devices[index].services = probed.services
                if let kind = probed.kinds.first {
                    (results.devices[index].kind, results.devices[index].evidence) = (kind, .services)
                }
            } catch {
                results.failures[device.address] = error
            }
        }
        return results
    }
}
