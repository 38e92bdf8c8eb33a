internal import DBus

/// BlueZ's objects as its signals tell of them, so that nothing has to be asked for twice.
///
/// A value: signals and the one snapshot go in, and what BlueZ's objects are comes out.
struct ObjectCache: Sendable {
    /// The unique bus name of the `bluetoothd` whose objects these are. Nil while there is none.
    private(set) var owner: String?
    /// Counts the owners, so that what belonged to an earlier `bluetoothd` can be told.
    private(set) var generation = 0
    /// Whether the snapshot is in.
    private(set) var isLoaded = false
    private(set) var objects: [ObjectPath: [String: Properties]] = [:]
    /// How often each device was told to be disconnected: a link that came and went between two looks is noticed.
    private(set) var disconnections: [ObjectPath: Int] = [:]
    /// Signals since the snapshot was asked for.
    private var journal: [ObjectChange] = []
    private var isRecording = false

    /// Another `bluetoothd`, or none: nothing of the old one holds any more.
    mutating func setOwner(_ owner: String?) {
        self = ObjectCache(owner: owner, generation: generation + 1)
    }

    private init(owner: String?, generation: Int) {
        self.owner = owner
        self.generation = generation
    }

    init() {}

    /// To be called before the snapshot is asked for.
    mutating func beginSnapshot() {
        isRecording = true
        journal = []
    }

    /// Takes the snapshot in. Signals and the reply reach us by different ways, so that a signal sent after the reply
    /// may have been applied before it: the journal is applied again on top. Signals older than the reply do no
    /// harm there, since the last one about anything says what the reply says.
    mutating func finishSnapshot(_ snapshot: [ObjectPath: [String: Properties]]) {
        objects = snapshot.mapValues { $0.mapValues(Self.kept) }
        let changes = journal
        journal = []
        isRecording = false
        isLoaded = true
        for change in changes { apply(change) }
    }

    mutating func apply(_ change: ObjectChange) {
        if isRecording { journal.append(change) }
        switch change {
        case .added(let path, let interfaces):
            objects[path, default: [:]].merge(interfaces.mapValues(Self.kept)) { _, new in new }
        case .removed(let path, let interfaces):
            for interface in interfaces { objects[path]?[interface] = nil }
            if objects[path]?.keys.contains(where: { $0.hasPrefix("org.bluez.") }) != true {
                objects[path] = nil
                disconnections[path] = nil
            }
        case .changed(let path, let interface, let properties, let invalidated):
            // Before the snapshot is in, an object that is not known yet will come with it.
            guard objects[path]?[interface] != nil else { return }
            objects[path]?[interface]?.merge(Self.kept(properties)) { _, new in new }
            for name in invalidated { objects[path]?[interface]?[name] = nil }
            if interface == BlueZName.device, properties["Connected"]?.boolValue == false {
                disconnections[path, default: 0] += 1
            }
        }
    }

    /// A characteristic's `Value` is the user's data: it goes to who asked for it and is not kept here.
    private static func kept(_ properties: Properties) -> Properties {
        guard properties["Value"] != nil else { return properties }
        var properties = properties
        properties["Value"] = nil
        return properties
    }
}

extension ObjectCache {
    func properties(_ path: ObjectPath, _ interface: String) -> Properties? {
        objects[path]?[interface]
    }

    /// All adapters, in the order of their names.
    var adapters: [AdapterRecord] {
        objects.compactMap { path, interfaces in interfaces[BlueZName.adapter].map { AdapterRecord(path, $0) } }
            .sorted { ($0.name.count, $0.name) < ($1.name.count, $1.name) }
    }

    func adapter(_ path: ObjectPath) -> AdapterRecord? {
        properties(path, BlueZName.adapter).map { AdapterRecord(path, $0) }
    }

    func device(_ path: ObjectPath) -> DeviceRecord? {
        properties(path, BlueZName.device).flatMap { DeviceRecord(path, $0) }
    }

    func devices(on adapter: ObjectPath) -> [DeviceRecord] {
        objects.compactMap { path, interfaces in
            guard let properties = interfaces[BlueZName.device], path.isInside(adapter) else { return nil }
            return DeviceRecord(path, properties)
        }
    }

    /// The device with this address, if BlueZ has an object for it.
    func device(_ address: DeviceAddress, on adapter: ObjectPath) -> DeviceRecord? {
        let text = address.description
        for (path, interfaces) in objects {
            guard let properties = interfaces[BlueZName.device], properties["Address"]?.stringValue == text,
                path.isInside(adapter)
            else { continue }
            return DeviceRecord(path, properties)
        }
        return nil
    }
}
