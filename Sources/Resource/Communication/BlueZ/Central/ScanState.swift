internal import DBus

/// Makes discoveries of device events: only of what is in range now, only what is looked for, only what is news.
struct ScanState {
    let filter: ScanFilter
    let adapter: String
    private var told: [ObjectPath: Discovery] = [:]

    init(filter: ScanFilter, adapter: String) {
        self.filter = filter
        self.adapter = adapter
    }

    mutating func take(_ event: DeviceEvent) -> Discovery? {
        switch event {
        case .known(let device): news(device, isHeard: device.isHeard)
        // Also devices from BlueZ's store are added, when an adapter comes up: those were not heard.
        case .added(let device): news(device, isHeard: device.isHeard)
        case .changed(let device, let names):
            news(device, isHeard: device.isHeard || !names.isDisjoint(with: Self.fromAdvertisements))
        case .removed(let path):
            forget(path)
        case .adapter: nil
        }
    }

    /// These change by an advertisement only.
    static let fromAdvertisements: Set<String> = ["RSSI", "ManufacturerData", "ServiceData", "AdvertisingData"]

    private mutating func forget(_ path: ObjectPath) -> Discovery? {
        told[path] = nil
        return nil
    }

    private mutating func news(_ device: DeviceRecord, isHeard: Bool) -> Discovery? {
        // A connected peripheral is silent, and in range all the same.
        guard isHeard || device.isConnected else { return nil }
        let discovery = device.discovery(adapter: adapter)
        guard filter.matches(discovery), told[device.path] != discovery else { return nil }
        told[device.path] = discovery
        return discovery
    }
}
