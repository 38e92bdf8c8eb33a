internal import DBus

/// The objects by which BlueZ is asked to listen for advertisements without a discovery (`org.bluez.AdvertisementMonitor1`): a root
/// that lists them, and below it one for each peripheral.
actor MonitorTree: DBusObject {
    enum Event: Sendable {
        case found(ObjectPath)
        /// BlueZ does not listen any more, or never did.
        case released
    }

    nonisolated let root: ObjectPath

    private let daemon: Daemon
    private let monitors: [ObjectPath: [AdvertisementPattern]]
    nonisolated let events: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation

    /// - Parameter number: which registration of this program it is. Each has paths of its own: BlueZ releases the monitors of a
    ///   registration after it has answered that it ended, when the next may be there already.
    init(daemon: Daemon, number: Int, _ patterns: [[AdvertisementPattern]]) {
        let root = ("/bluez/monitors" as ObjectPath).appending("\(number)")
        self.daemon = daemon
        self.root = root
        monitors = Dictionary(
            uniqueKeysWithValues: patterns.enumerated().map { (root.appending("monitor\($0)"), $1) })
        // Whoever advertises is found again and again: the newest are enough.
        (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(64))
    }

    func receive(_ call: DBusMethodCall) async {
        // On the system bus anybody may try to talk to anybody.
        guard let owner = await daemon.cache.owner, call.message.sender == owner else {
            return await call.fail("org.freedesktop.DBus.Error.AccessDenied", "only bluetoothd may ask")
        }
        switch (call.message.interface, call.message.member) {
        case (BlueZName.objectManager?, "GetManagedObjects"): await call.reply([objects])
        case (BlueZName.properties?, "GetAll"): await answerProperties(call)
        case (BlueZName.monitor?, "DeviceFound"):
            if let device = call.message.body.first?.pathValue { continuation.yield(.found(device)) }
            await call.reply()
        case (BlueZName.monitor?, "Release"):
            continuation.yield(.released)
            await call.reply()
        // The strength of what is heard is not asked for: nothing is ever lost.
        case (BlueZName.monitor?, "Activate"), (BlueZName.monitor?, "DeviceLost"): await call.reply()
        default: await call.fail("org.freedesktop.DBus.Error.UnknownMethod", "no such method")
        }
    }

    private func answerProperties(_ call: DBusMethodCall) async {
        guard let path = call.message.path, let patterns = monitors[path] else {
            return await call.fail("org.freedesktop.DBus.Error.UnknownObject", "no such monitor")
        }
        await call.reply([Self.properties(patterns)])
    }

    private var objects: DBusValue {
        var objects: [DBusValue: DBusValue] = [:]
        for (path, patterns) in monitors {
            objects[.objectPath(path)] = .dictionary(
                key: "s", value: "a{sv}", [.string(BlueZName.monitor): Self.properties(patterns)])
        }
        return .dictionary(key: "o", value: "a{sa{sv}}", objects)
    }

    /// Without thresholds of strength: with them BlueZ wants to hear a peripheral twice, and a controller that filters
    /// duplicates reports it once.
    private static func properties(_ patterns: [AdvertisementPattern]) -> DBusValue {
        .properties(["Type": .string("or_patterns"), "Patterns": .array(element: "(yyay)", patterns.map(\.value))])
    }
}
