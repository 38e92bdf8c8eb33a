internal import DBus

/// Discovery on one adapter: what the scans of this program want of it, and the next step towards that.
///
/// BlueZ has one discovery session a client and adapter (a second StartDiscovery is refused as InProgress), so all
/// scans share it. A connection attempt holds it back: connecting while scanning is what often fails.
struct DiscoveryControl {
    enum Step: Hashable {
        case setFilter(DiscoveryFilter)
        case start
        case stop
        case clearFilter
    }

    private var members: [Int: ScanFilter] = [:]
    private var holds = 0
    /// What BlueZ has of us.
    private var filter: DiscoveryFilter?
    private var isRunning = false
    /// Whether another program scans too.
    private var isShared = false

    /// The step that brings BlueZ nearer to what is wanted. Nil when it is there.
    var next: Step? {
        if members.isEmpty || holds > 0 {
            if isRunning { return .stop }
            // Also after a failed start: a filter left behind would weigh on the scans of other programs.
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

    mutating func didTake(_ step: Step) {
        switch step {
        case .setFilter(let filter): self.filter = filter
        case .start: isRunning = true
        case .stop: isRunning = false
        case .clearFilter: filter = nil
        }
    }

    /// A step failed. What is to be undone counts as undone: BlueZ has forgotten it (adapter off, daemon new), or
    /// will when the bus connection ends. Who wanted to scan is out.
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

/// What goes to `Adapter1.SetDiscoveryFilter`.
struct DiscoveryFilter: Hashable, Sendable {
    /// BlueZ reports who advertises any of these. Empty: everybody.
    var services: Set<BluetoothUUID> = []
    /// BlueZ reports who has an address or a name that begins so.
    var pattern: String?

    /// The narrowest filter that lets everything through that any of the scans looks for.
    init(_ scans: some Collection<ScanFilter>, isShared: Bool) {
        if scans.allSatisfy({ !$0.services.isEmpty }) {
            services = scans.reduce(into: []) { $0.formUnion($1.services) }
        } else if scans.count == 1, let scan = scans.first, !isShared {
            // A pattern hides from all other programs, too, what does not match it (device_is_discoverable in
            // src/adapter.c): only when nobody else scans. It speeds up things and no more: matches are checked again.
            pattern = scan.address?.description ?? scan.namePrefix
        }
    }

    var value: DBusValue {
        // Without Transport=le, BlueZ also inquires for BR/EDR, and then may connect a dual-mode device by that.
        var properties: [String: DBusValue] = ["Transport": .string("le")]
        if !services.isEmpty { properties["UUIDs"] = .strings(services.map(\.description).sorted()) }
        if let pattern, !pattern.isEmpty { properties["Pattern"] = .string(pattern) }
        return .properties(properties)
    }
}
