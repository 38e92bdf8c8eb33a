import DBus

/// The advertisements that a client wants without a discovery: an `AdvertisementMonitor1` object of the client.
struct AdvertisementMonitor: Sendable, Hashable {
    let application: MonitorApplication
    let path: ObjectPath
    let patterns: [Pattern]

    /// Bytes at a given position in a field of the advertisement.
    struct Pattern: Sendable, Hashable {
        let offset: Int
        let type: UInt8
        let content: [UInt8]
    }

    /// Nil if BlueZ refuses it: an unknown type, no pattern, or an invalid pattern.
    init?(_ application: MonitorApplication, _ path: ObjectPath, _ properties: [String: DBusValue]) {
        guard properties["Type"]?.stringValue == "or_patterns",
            case .array("(yyay)", let values)? = properties["Patterns"], !values.isEmpty
        else { return nil }
        var patterns: [Pattern] = []
        for value in values {
            guard let members = value.structureValue, case .byte(let offset) = members[0],
                case .byte(let type) = members[1],
                let content = members[2].bytesValue, !content.isEmpty, Int(offset) + content.count <= 31,
                (0x01...0x3d).contains(type) || type == 0xff
            else { return nil }
            patterns.append(Pattern(offset: Int(offset), type: type, content: content))
        }
        self.application = application
        self.path = path
        self.patterns = patterns
    }

    func matches(_ advertisement: Advertisement) -> Bool {
        let fields = advertisement.fields
        return patterns.contains { pattern in
            fields.contains {
                $0.type == pattern.type && $0.content.dropFirst(pattern.offset).starts(with: pattern.content)
            }
        }
    }
}

/// A client's tree of monitors, under the path that it registered.
struct MonitorApplication: Sendable, Hashable {
    let client: String
    let path: ObjectPath
}

extension Advertisement {
    /// As transmitted (Core Specification Supplement, part A): type and content.
    var fields: [(type: UInt8, content: [UInt8])] {
        var fields: [(type: UInt8, content: [UInt8])] = [(0x01, [0x06])]
        let short = services.compactMap(\.short)
        if !short.isEmpty { fields.append((0x03, short.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] })) }
        let long = services.filter { $0.short == nil }
        if !long.isEmpty { fields.append((0x07, long.flatMap { Array($0.bytes.reversed()) })) }
        if let name, !isNameInScanResponse { fields.append((0x09, Array(name.utf8))) }
        for (company, data) in manufacturerData {
            fields.append((0xff, [UInt8(company & 0xff), UInt8(company >> 8)] + data))
        }
        return fields
    }
}

extension AttributeUUID {
    /// The 16 bits of a UUID of the Bluetooth SIG.
    fileprivate var short: UInt16? {
        text.hasPrefix("0000") && text.hasSuffix("-0000-1000-8000-00805f9b34fb")
            ? UInt16(text.dropFirst(4).prefix(4), radix: 16) : nil
    }

    /// 16 bytes, the most significant first.
    fileprivate var bytes: [UInt8] {
        let digits = Array(text.utf8.filter { $0 != UInt8(ascii: "-") })
        return stride(from: 0, to: digits.count, by: 2).map {
            UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16) ?? 0
        }
    }
}

/// org.bluez.AdvertisementMonitorManager1: passive listening for advertisements that match a pattern, as in
/// `src/adv_monitor.c` of BlueZ 5.66 with a controller that cannot filter by itself. Thresholds of signal strength are
/// ignored.
extension SimulatedDaemon {
    func monitorManagerMethod(_ request: Request) throws(BlueZError) {
        guard let path = request.arguments.first?.pathValue else { throw .invalidArguments }
        let application = MonitorApplication(client: request.sender, path: path)
        switch request.member {
        case "RegisterMonitor":
            guard adapters[request.path]?.applications.insert(application).inserted == true else {
                throw .alreadyExists
            }
            ask(request.sender, path, Interface.objectManager, "GetManagedObjects", []) { daemon, result in
                daemon.takeMonitors(result, of: application, request)
            }
        default:
            guard adapters[request.path]?.applications.contains(application) == true else { throw .doesNotExist }
            removeMonitors(on: request.path, releasing: true) { $0 == application }
            reply(request)
        }
    }

    private func takeMonitors(
        _ result: Result<[DBusValue], DBusError>, of application: MonitorApplication, _ request: Request
    ) {
        guard adapters[request.path]?.applications.contains(application) == true else { return }
        guard case .success(let values) = result, let objects = values.first?.dictionaryValue else {
            adapters[request.path]?.applications.remove(application)
            return fail(request, .failed("Adv Monitor app destroyed"))
        }
        var accepted: [AdvertisementMonitor] = []
        let hadNoMonitors = adapters[request.path]?.monitors.isEmpty == true
        for (path, interfaces) in objects.sorted(by: { ($0.key.pathValue ?? .root) < ($1.key.pathValue ?? .root) }) {
            guard let path = path.pathValue, path.string.hasPrefix(application.path.string),
                let properties = interfaces.dictionaryValue?[.string(Interface.monitor)]?.propertiesValue
            else { continue }
            guard let monitor = AdvertisementMonitor(application, path, properties) else {
                notify(application.client, path, Interface.monitor, "Release")
                continue
            }
            accepted.append(monitor)
        }
        adapters[request.path]?.monitors += accepted
        reply(request)
        // The kernel is asked first.
        for monitor in accepted { notify(application.client, monitor.path, Interface.monitor, "Activate") }
        if hadNoMonitors, adapters[request.path]?.monitors.isEmpty == false { events.add(.monitoring(true)) }
        beginMonitoring(on: request.path)
    }

    /// Removes the applications that match, with their monitors.
    func removeMonitors(on path: ObjectPath, releasing: Bool, _ isRemoved: (MonitorApplication) -> Bool) {
        guard var adapter = adapters[path] else { return }
        let gone = adapter.monitors.filter { isRemoved($0.application) }
        adapter.monitors.removeAll { isRemoved($0.application) }
        adapter.applications = adapter.applications.filter { !isRemoved($0) }
        adapters[path] = adapter
        if releasing {
            for monitor in gone { notify(monitor.application.client, monitor.path, Interface.monitor, "Release") }
        }
        if !gone.isEmpty, adapter.monitors.isEmpty { events.add(.monitoring(false)) }
    }

    // MARK: Received advertisements

    /// Starts listening, and restarts it for the latest client.
    func beginMonitoring(on path: ObjectPath) {
        let round = nextNumber()
        adapters[path]?.monitoringRound = round
        for address in peripherals.keys.sorted() {
            after(timing.discovery) { $0.monitor(address, on: path, round: round) }
        }
    }

    private func monitor(_ address: String, on path: ObjectPath, round: Int) {
        guard let adapter = adapters[path], adapter.monitoringRound == round, !adapter.monitors.isEmpty else { return }
        notifyMonitors(of: address, on: path)
        guard let interval = timing.advertising else { return }
        after(interval) { $0.monitor(address, on: path, round: round) }
    }

    /// A peripheral has advertised.
    func notifyMonitors(of address: String, on adapterPath: ObjectPath) {
        guard let adapter = adapters[adapterPath], adapter.isPowered, adapter.isPresent,
            let peripheral = peripherals[address],
            let advertisement = discovered(peripheral, on: adapterPath)
        else { return }
        let monitors = adapter.monitors.filter { $0.matches(advertisement) }
        guard !monitors.isEmpty else { return }
        let path = adapter.devicePath(address)
        appear(peripheral, advertisement, at: path, on: adapterPath, isFiltered: false)
        for monitor in monitors {
            notify(monitor.application.client, monitor.path, Interface.monitor, "DeviceFound", [.objectPath(path)])
        }
    }
}
