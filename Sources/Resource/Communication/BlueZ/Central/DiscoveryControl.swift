internal import DBus

/// Discovery on one adapter: what the scans of this program need, and the next step towards that.
///
/// BlueZ has one discovery session per client and adapter (a second StartDiscovery is refused as InProgress), so all
/// scans share it. A connection attempt holds it back: connecting while scanning often fails.
struct DiscoveryControl {
    enum Step: Hashable {
        case setFilter(DiscoveryFilter)
        case start
        case stop
        case clearFilter
    }

    private var members: [Int: ScanFilter] = [:]
    private var holds = 0
    /// The filter that BlueZ has from this program.
    private var filter: DiscoveryFilter?
    private var isRunning = false
    /// Whether another program scans too.
    private var isShared = false

    /// The next step towards the wanted state. Nil if it is reached.
    var next: Step? {
        if members.isEmpty || holds > 0 {
            if isRunning { return .stop }
            // Also after a failed start: a filter left behind would affect the scans of other programs.
            return members.isEmpty && filter != nil ? .clearFilter : nil
        }
        let wanted = DiscoveryFilter(members.values, isShared: isShared)
        if filter != wanted { return .setFilter(wanted) }
        return isRunning ? nil : .start
    }

    mutating func join(_ id: Int, _ filter: ScanFilter, isShared: Bool) {
        if members.isEmpty { self.isShared = isShared }
        members[id] = filter
    }

    mutating func leave(_ id: Int) { members[id] = nil }
    mutating func hold() { holds += 1 }
    mutating func release() { holds -= 1 }
    var isHeld: Bool { holds > 0 }

    mutating func didTake(_ step: Step) {
        switch step {
        case .setFilter(let filter): self.filter = filter
        case .start: isRunning = true
        case .stop: isRunning = false
        case .clearFilter: filter = nil
        }
    }

    /// A step failed. A step that undoes something counts as done: BlueZ has dropped that state (adapter off, daemon
    /// new), or will when the bus connection ends. Other failures remove all scans.
    mutating func didFail(_ step: Step) -> [Int] {
        switch step {
        case .stop, .clearFilter:
            didTake(step)
            return []
        case .setFilter, .start:
            defer { members = [:] }
            return members.keys.sorted()
        }
    }
}

/// How long discovery was held on one adapter in all.
struct HeldTime {
    private var ended: Duration = .zero
    private var running: Stopwatch?

    /// The total until now.
    var total: Duration { ended + (running?.elapsed() ?? .zero) }

    mutating func begin(_ clock: any Clock<Duration>) {
        if running == nil { running = Stopwatch(clock) }
    }

    mutating func end() {
        ended = total
        running = nil
    }
}

/// The argument of `Adapter1.SetDiscoveryFilter`.
struct DiscoveryFilter: Hashable, Sendable {
    /// BlueZ reports devices that advertise any of these. Empty: all devices.
    var services: Set<BluetoothUUID> = []
    /// BlueZ reports devices whose address or name begins with this.
    var pattern: String?

    /// The narrowest filter that passes everything that any of the scans looks for.
    init(_ scans: some Collection<ScanFilter>, isShared: Bool) {
        if scans.allSatisfy({ !$0.services.isEmpty }) {
            services = scans.reduce(into: []) { $0.formUnion($1.services) }
        } else if scans.count == 1, let scan = scans.first, !isShared {
            // A pattern also hides everything that does not match it from all other programs (device_is_discoverable in
            // src/adapter.c): it is used only if no other program scans. It only saves time: matches are checked again.
            pattern = scan.address?.description ?? scan.namePrefix
        }
    }

    var value: DBusValue {
        // Without Transport=le, BlueZ also inquires for BR/EDR, and may then connect to a dual-mode device over that.
        var properties: [String: DBusValue] = ["Transport": .string("le")]
        if !services.isEmpty { properties["UUIDs"] = .strings(services.map(\.description).sorted()) }
        if let pattern, !pattern.isEmpty { properties["Pattern"] = .string(pattern) }
        return .properties(properties)
    }
}

/// Turns device events into discoveries: only of devices in range now, only those that are looked for, and only
/// changes.
struct ScanState {
    let filter: ScanFilter
    let adapter: String
    private(set) var reported: [ObjectPath: Discovery] = [:]

    /// Devices whose last report is remembered. Beyond that all are dropped, and reported again: a scan in a crowd then
    /// repeats reports, and its memory does not grow.
    static let limit = 4_096

    mutating func take(_ event: DeviceEvent) -> Discovery? {
        switch event {
        case .known(let device): news(device, isDiscovered: device.isDiscovered)
        // When an adapter comes up, devices from BlueZ's store are added too: those were not heard.
        case .added(let device): news(device, isDiscovered: device.isDiscovered)
        case .changed(let device, let names):
            news(device, isDiscovered: device.isDiscovered || !names.isDisjoint(with: Self.fromAdvertisements))
        case .removed(let path):
            forget(path)
        case .adapter: nil
        }
    }

    /// These change only by an advertisement.
    static let fromAdvertisements: Set<String> = ["RSSI", "ManufacturerData", "ServiceData", "AdvertisingData"]

    private mutating func forget(_ path: ObjectPath) -> Discovery? {
        reported[path] = nil
        return nil
    }

    private mutating func news(_ device: DeviceRecord, isDiscovered: Bool) -> Discovery? {
        // A connected peripheral does not advertise, but is in range.
        guard isDiscovered || device.isConnected else { return nil }
        let discovery = device.discovery(adapter: adapter)
        guard filter.matches(discovery), reported[device.path] != discovery else { return nil }
        if reported.count >= Self.limit { reported = [:] }
        reported[device.path] = discovery
        return discovery
    }
}
