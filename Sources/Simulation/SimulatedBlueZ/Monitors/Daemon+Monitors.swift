import DBus

/// org.bluez.AdvertisementMonitorManager1: passive listening for advertisements of a pattern, as `src/adv_monitor.c` of BlueZ 5.66
/// does it with a controller that cannot filter by itself. Thresholds of signal strength are not looked at.
extension Daemon {
    func monitorManagerMethod(_ request: Request) throws(BlueZError) {
        guard let path = request.arguments.first?.pathValue else { throw .invalidArguments }
        let application = MonitorApplication(client: request.sender, path: path)
        switch request.member {
        case "RegisterMonitor":
            guard adapters[request.path]?.applications.insert(application).inserted == true else { throw .alreadyExists }
            ask(request.sender, path, Interface.objectManager, "GetManagedObjects", []) { daemon, result in
                daemon.takeMonitors(result, of: application, request)
            }
        default:
            guard adapters[request.path]?.applications.contains(application) == true else { throw .doesNotExist }
            reply(request)
            removeMonitors(on: request.path, releasing: true) { $0 == application }
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
        let wasDeaf = adapters[request.path]?.monitors.isEmpty == true
        for (path, interfaces) in objects {
            guard let path = path.pathValue, path.string.hasPrefix(application.path.string),
                let properties = interfaces.dictionaryValue?[.string(Interface.monitor)]?.propertiesValue
            else { continue }
            guard let monitor = AdvertisementMonitor(application, path, properties) else {
                ask(application.client, path, Interface.monitor, "Release", [])
                continue
            }
            adapters[request.path]?.monitors.append(monitor)
            ask(application.client, path, Interface.monitor, "Activate", [])
        }
        reply(request)
        if wasDeaf, adapters[request.path]?.monitors.isEmpty == false { events.add(.monitoring(true)) }
        beginMonitoring(on: request.path)
    }

    /// Takes applications out that are meant, with their monitors.
    func removeMonitors(on path: ObjectPath, releasing: Bool, _ isMeant: (MonitorApplication) -> Bool) {
        guard var adapter = adapters[path] else { return }
        let gone = adapter.monitors.filter { isMeant($0.application) }
        adapter.monitors.removeAll { isMeant($0.application) }
        adapter.applications = adapter.applications.filter { !isMeant($0) }
        adapters[path] = adapter
        if releasing {
            for monitor in gone { ask(monitor.application.client, monitor.path, Interface.monitor, "Release", []) }
        }
        if !gone.isEmpty, adapter.monitors.isEmpty { events.add(.monitoring(false)) }
    }

    // MARK: Hearing

    /// Listens from now on, and anew for whoever came last.
    func beginMonitoring(on path: ObjectPath) {
        let round = nextNumber()
        adapters[path]?.monitoringRound = round
        for address in peripherals.keys.sorted() {
            after(timing.discovery) { $0.monitor(address, on: path, round: round) }
        }
    }

    private func monitor(_ address: String, on path: ObjectPath, round: Int) {
        guard let adapter = adapters[path], adapter.monitoringRound == round, !adapter.monitors.isEmpty else { return }
        tellMonitors(of: address, on: path)
        guard let interval = timing.advertising else { return }
        after(interval) { $0.monitor(address, on: path, round: round) }
    }

    /// A peripheral has advertised.
    func tellMonitors(of address: String, on adapterPath: ObjectPath) {
        guard let adapter = adapters[adapterPath], adapter.isPowered, adapter.isPresent, let peripheral = peripherals[address],
            let advertisement = heard(peripheral)
        else { return }
        let monitors = adapter.monitors.filter { $0.matches(advertisement) }
        guard !monitors.isEmpty else { return }
        let path = adapter.devicePath(address)
        appear(peripheral, advertisement, at: path, on: adapterPath, isFiltered: false)
        for monitor in monitors {
            ask(monitor.application.client, monitor.path, Interface.monitor, "DeviceFound", [.objectPath(path)])
        }
    }
}
