internal import DBus

/// BlueZ's objects, as its signals report them, so that nothing has to be requested twice.
///
/// A value: signals and the one snapshot go in, and the state of BlueZ's objects comes out. Its size is bounded by
/// `CacheLimits`.
struct ObjectCache: Sendable {
    /// The unique bus name of the `bluetoothd` whose objects these are. Nil while there is none.
    private(set) var owner: String?
    /// Counts the owners, so that data of an earlier `bluetoothd` can be recognised.
    private(set) var generation = 0
    /// Whether the snapshot has been received.
    private(set) var isLoaded = false
    private(set) var objects: [ObjectPath: [String: Properties]] = [:]
    /// How often each device was reported as disconnected: shows a link that came and went between two checks.
    private(set) var disconnections: [ObjectPath: Int] = [:]
    /// Addresses of devices that are kept regardless of the limits.
    var pinned: Set<DeviceAddress> = []
    /// Objects that were left out or dropped since the last snapshot, and changes that were not stored completely,
    /// because the limits were reached.
    private(set) var omitted = 0
    /// Bytes of memory of all objects, roughly.
    private(set) var memory = 0

    /// Signals since the snapshot was requested.
    private(set) var journal: [ObjectChange] = []
    /// Snapshots that were requested and have not been received.
    private var pendingSnapshots = 0

    // Derived from `objects`, so that no signal costs a search through all of them.
    private var sizes: [ObjectPath: Int] = [:]
    private var devicesByAge = RecencyQueue<ObjectPath>()
    /// Adapters and devices, read from their properties once per change: they are looked up after every signal, and a
    /// device may list many services.
    private var adapterRecords: [ObjectPath: AdapterRecord] = [:]
    private var deviceRecords: [ObjectPath: DeviceRecord] = [:]
    private var devicePaths: [DeviceAddress: Set<ObjectPath>] = [:]
    /// Objects below each device: services, characteristics and descriptors.
    private var attributePaths: [ObjectPath: Set<ObjectPath>] = [:]
    private var attributeCount = 0

    /// Another `bluetoothd`, or none: the state of the old one is not valid any more.
    mutating func setOwner(_ owner: String?) {
        self = ObjectCache(owner: owner, generation: generation + 1, pinned: pinned)
    }

    private init(owner: String?, generation: Int, pinned: Set<DeviceAddress>) {
        self.owner = owner
        self.generation = generation
        self.pinned = pinned
    }

    init() {}

    /// Must be called before the snapshot is requested.
    mutating func beginSnapshot() {
        pendingSnapshots += 1
    }

    /// Must be called if the snapshot does not arrive.
    mutating func abandonSnapshot() {
        pendingSnapshots = max(0, pendingSnapshots - 1)
        if pendingSnapshots == 0 { journal = [] }
    }

    /// Stores the snapshot, then applies the journal again: a signal that BlueZ sent after its reply may have been
    /// applied before the reply was received. Signals that BlueZ sent before its reply are applied again too, without
    /// effect: the last one about an object agrees with the reply.
    mutating func finishSnapshot(_ snapshot: [ObjectPath: [String: Properties]]) {
        let (changes, pending, counted) = (journal, max(0, pendingSnapshots - 1), disconnections)
        self = ObjectCache(snapshot: snapshot, of: self)
        for change in changes { update(change) }
        // The disconnections in the journal were counted when they arrived.
        disconnections = counted.filter { objects[$0.key] != nil }
        // Another snapshot may have been requested meanwhile: it needs the signals since then.
        if pending > 0 { (journal, pendingSnapshots) = (changes, pending) }
    }

    /// The order in which the objects of a snapshot are added, within the limits.
    private enum Priority: Int, Comparable {
        /// Devices that are waited for, connected or paired.
        case protected
        case discovered
        /// Devices that BlueZ only has in its store.
        case stored
        /// Objects below devices, which are added after those.
        case attribute

        static func < (a: Priority, b: Priority) -> Bool { a.rawValue < b.rawValue }
    }

    /// Replaces the known objects by those of a snapshot, the more important devices first.
    private init(snapshot: [ObjectPath: [String: Properties]], of old: ObjectCache) {
        self.init(owner: old.owner, generation: old.generation, pinned: old.pinned)
        isLoaded = true
        var ranked: [(priority: Priority, path: ObjectPath)] = []
        for (path, interfaces) in snapshot where path.string.utf8.count <= CacheLimits.path {
            guard let device = interfaces[BlueZName.device] else {
                // Objects above devices. Those below a device are added after it.
                if path.deviceAbove == nil {
                    add(path, CacheLimits.kept(interfaces))
                } else {
                    ranked.append((Priority.attribute, path))
                }
                continue
            }
            let priority: Priority =
                Self.isProtected(device, pinned) ? .protected : device["RSSI"] != nil ? .discovered : .stored
            ranked.append((priority, path))
        }
        for (priority, path) in ranked.sorted(by: { $0.priority < $1.priority }) {
            if priority == .attribute, let device = path.deviceAbove, objects[device] == nil {
                omitted += 1
                continue
            }
            add(path, CacheLimits.kept(snapshot[path] ?? [:]), mayReplace: false)
        }
    }

    /// - Returns: false if the signal contains nothing that is kept. Each notification is such a signal: it changes
    ///   only `Value`.
    @discardableResult
    mutating func apply(_ change: ObjectChange) -> Bool {
        guard let change = change.kept, !change.isEmpty else { return false }
        if pendingSnapshots > 0 { record(change) }
        update(change)
        return true
    }

    private mutating func update(_ change: ObjectChange) {
        switch change {
        case .added(let path, let interfaces):
            add(path, interfaces)
        case .removed(let path, let interfaces):
            for interface in interfaces { objects[path]?[interface] = nil }
            if objects[path]?.isEmpty != false { remove(path) } else { didChange(path) }
        case .changed(let path, let interface, let properties, let invalidated):
            // Before the snapshot is received, an object that is not known yet will come with it.
            guard let old = objects[path], let known = old[interface] else { return }
            let fits = properties.count + known.count <= CacheLimits.properties
            let new = fits ? properties : properties.filter { known[$0.key] != nil }
            objects[path]?[interface]?.merge(new) { _, new in new }
            for name in invalidated { objects[path]?[interface]?[name] = nil }
            if interface == BlueZName.device {
                devicesByAge.touch(path)
                if properties["Connected"]?.boolValue == false { disconnections[path, default: 0] += 1 }
            }
            didChange(path)
            keepWithinMemory(path, before: old)
        }
    }

    private mutating func record(_ change: ObjectChange) {
        journal.append(change)
        // Removes half of it at a time, so that a flood of signals does not shift the array each time.
        if journal.count >= 2 * CacheLimits.journal { journal.removeFirst(CacheLimits.journal) }
    }

    // MARK: Within the limits

    /// - Parameter mayReplace: whether another device may be dropped for this one.
    private mutating func add(_ path: ObjectPath, _ interfaces: [String: Properties], mayReplace: Bool = true) {
        guard !interfaces.isEmpty else { return }
        if objects[path] == nil, !hasRoom(path, interfaces, mayReplace) {
            omitted += 1
            return
        }
        let old = objects[path]
        objects[path, default: [:]].merge(interfaces) { _, new in new }
        if old == nil { count(path, 1) }
        if interfaces[BlueZName.device] != nil { devicesByAge.insert(path) }
        didChange(path)
        keepWithinMemory(path, before: old, mayReplace: mayReplace)
    }

    /// Must be called after an object has grown. Drops devices until all fit. If none may be dropped, drops what has
    /// made this object grow.
    ///
    /// Constant time on average: a device is dropped once for each time that it was added, and if none may be dropped,
    /// `dropOne` checks a fixed number of them.
    ///
    /// - Parameter old: the object before; nil if it is new.
    private mutating func keepWithinMemory(
        _ path: ObjectPath, before old: [String: Properties]?, mayReplace: Bool = true
    ) {
        guard memory > CacheLimits.memory else { return }
        while mayReplace, memory > CacheLimits.memory, dropOne() {}
        guard memory > CacheLimits.memory, let grown = objects[path] else { return }
        omitted += 1
        guard let old else { return remove(path) }
        // A property that has grown is removed, since its old value is no longer true. One that has not grown, such as
        // `Connected`, takes its new value.
        func hasNotGrown(_ interface: String, _ name: String, _ value: DBusValue) -> Bool {
            value.memory <= old[interface]?[name]?.memory ?? -1
        }
        var kept: [String: Properties] = [:]
        for (interface, properties) in grown where old[interface] != nil {
            kept[interface] = properties.filter { hasNotGrown(interface, $0.key, $0.value) }
        }
        objects[path] = kept
        didChange(path)
    }

    private mutating func hasRoom(_ path: ObjectPath, _ interfaces: [String: Properties], _ mayReplace: Bool) -> Bool {
        guard let device = interfaces[BlueZName.device] else {
            if path.deviceAbove != nil { return attributeCount < CacheLimits.attributes }
            return objects.count - devicesByAge.count - attributeCount < CacheLimits.others
        }
        if devicesByAge.count < CacheLimits.devices { return true }
        if mayReplace, dropOne() { return true }
        return Self.isProtected(device, pinned) && devicesByAge.count < CacheLimits.protectedDevices
    }

    /// Drops the device that was not heard for longest. False if none of those checked may be dropped.
    private mutating func dropOne() -> Bool {
        // Moved out, so that the closure may read `self`; captured copies of the dictionaries would be copied in full
        // at the next change.
        var queue = RecencyQueue<ObjectPath>()
        swap(&queue, &devicesByAge)
        let candidate = queue.removeFirst { path in
            attributePaths[path] != nil || Self.isProtected(objects[path]?[BlueZName.device] ?? [:], pinned)
        }
        swap(&queue, &devicesByAge)
        guard let candidate else { return false }
        remove(candidate)
        omitted += 1
        return true
    }

    private static func isProtected(_ device: Properties, _ pinned: Set<DeviceAddress>) -> Bool {
        if device["Connected"]?.boolValue == true || device["Paired"]?.boolValue == true { return true }
        guard !pinned.isEmpty, let address = address(device) else { return false }
        return pinned.contains(address)
    }

    // MARK: Derived data

    private mutating func remove(_ path: ObjectPath) {
        disconnections[path] = nil
        guard objects.removeValue(forKey: path) != nil else { return }
        count(path, -1)
        didChange(path)
    }

    private mutating func count(_ path: ObjectPath, _ change: Int) {
        guard let device = path.deviceAbove else { return }
        attributeCount += change
        if change > 0 { attributePaths[device, default: []].insert(path) } else { attributePaths[device]?.remove(path) }
        if attributePaths[device]?.isEmpty == true { attributePaths[device] = nil }
    }

    /// Updates the data that is derived from an object. The cost does not depend on how many other objects there are.
    private mutating func didChange(_ path: ObjectPath) {
        let interfaces = objects[path]
        let size = interfaces.map(CacheLimits.memory)
        memory += (size ?? 0) - (sizes[path] ?? 0)
        sizes[path] = size
        adapterRecords[path] = interfaces?[BlueZName.adapter].map { AdapterRecord(path, $0) }
        if interfaces?[BlueZName.device] == nil { devicesByAge.remove(path) }

        let old = deviceRecords[path]
        let new = interfaces?[BlueZName.device].flatMap { DeviceRecord(path, $0) }
        deviceRecords[path] = new
        guard old?.address != new?.address else { return }
        if let address = old?.address {
            devicePaths[address]?.remove(path)
            if devicePaths[address]?.isEmpty == true { devicePaths[address] = nil }
        }
        if let address = new?.address { devicePaths[address, default: []].insert(path) }
    }

    private static func address(_ device: Properties) -> DeviceAddress? {
        device["Address"]?.stringValue.flatMap { DeviceAddress($0) }
    }
}

extension ObjectPath {
    /// For an object below a device, such as a service, that device's path: BlueZ's devices have four elements
    /// (`/org/bluez/hci0/dev_…`).
    fileprivate var deviceAbove: ObjectPath? {
        var slashes = 0
        for index in string.utf8.indices where string.utf8[index] == UInt8(ascii: "/") {
            slashes += 1
            if slashes == 5 { return ObjectPath(String(string[..<index])) }
        }
        return nil
    }
}

extension ObjectCache {
    func properties(_ path: ObjectPath, _ interface: String) -> Properties? {
        objects[path]?[interface]
    }

    /// All adapters, in the order of their names.
    var adapters: [AdapterRecord] {
        adapterRecords.values.sorted { ($0.name.count, $0.name) < ($1.name.count, $1.name) }
    }

    func adapter(_ path: ObjectPath) -> AdapterRecord? { adapterRecords[path] }

    func device(_ path: ObjectPath) -> DeviceRecord? { deviceRecords[path] }

    func devices(on adapter: ObjectPath) -> [DeviceRecord] {
        deviceRecords.values.filter { $0.path.isInside(adapter) }
    }

    /// Whether there is a device with this address on any adapter.
    func knows(_ address: DeviceAddress) -> Bool { devicePaths[address] != nil }

    /// The device with this address, if BlueZ has an object for it.
    func device(_ address: DeviceAddress, on adapter: ObjectPath) -> DeviceRecord? {
        devicePaths[address]?.filter { $0.isInside(adapter) }.min().flatMap { device($0) }
    }

    /// The services, characteristics and descriptors below a device, in no order.
    func attributes(of device: ObjectPath) -> Set<ObjectPath> { attributePaths[device] ?? [] }
}
