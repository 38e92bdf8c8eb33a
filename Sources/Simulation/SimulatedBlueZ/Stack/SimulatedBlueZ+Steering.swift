import DBus

/// What tests and demonstrations do to the machine and the air.
extension SimulatedBlueZ {
    /// Switches a fault on. Several add up; counting of occurrences begins now.
    /// - Parameter address: of the peripheral.
    public func inject(_ fault: Fault, for address: String) async {
        await daemon.perform { daemon in
            daemon.faults[address, default: FaultBook()].add(fault)
            daemon.airChanged(for: address)
        }
    }

    /// Switches a fault off that was injected before.
    public func remove(_ fault: Fault, for address: String) async {
        await daemon.perform { daemon in
            daemon.faults[address]?.remove(fault)
            daemon.airChanged(for: address)
        }
    }

    /// Switches all faults of a peripheral off; nil: of all.
    public func clearFaults(for address: String? = nil) async {
        await daemon.perform { daemon in
            for known in address.map({ [$0] }) ?? daemon.faults.keys.sorted() {
                daemon.faults[known] = nil
                daemon.airChanged(for: known)
            }
        }
    }

    /// Breaks the link to a peripheral now.
    public func drop(_ address: String) async {
        await daemon.perform { daemon in
            for device in daemon.devices.values where device.address == address { daemon.dropLink(device.path) }
        }
    }

    /// Another peripheral comes into range.
    public func add(_ peripheral: any SimulatedPeripheral) async {
        await daemon.perform { daemon in
            daemon.peripherals[peripheral.address] = peripheral
            daemon.airChanged(for: peripheral.address)
        }
    }

    /// The peripheral sends its advertisement once more, for instance because it changed.
    public func advertise(_ address: String) async { await daemon.perform { $0.advertise(address) } }

    /// Switches an adapter on or off, as the desktop's switch does.
    public func setPowered(_ on: Bool, adapter: String = "hci0") async {
        await daemon.perform { $0.setPowered(on, Adapter(name: adapter, address: "").path) }
    }

    /// Pulls an adapter out.
    public func unplug(_ adapter: String = "hci0") async {
        await daemon.perform { $0.unplug(Adapter(name: adapter, address: "").path) }
    }

    /// Plugs an adapter in again.
    public func plug(_ adapter: String = "hci0") async {
        await daemon.perform { $0.plug(Adapter(name: adapter, address: "").path) }
    }

    // MARK: Looking

    /// Everything that has happened, and what happens next, until the stack is stopped.
    public nonisolated var events: AsyncStream<SimulationEvent> { daemon.events.stream() }

    /// Everything that has happened so far.
    public nonisolated var history: [SimulationEvent] { daemon.events.all }

    /// What is open at this moment: a program that cleans up after itself leaves all of it empty.
    public struct Snapshot: Sendable, Hashable {
        /// Names of adapters with a discovery session.
        public var discovering: Set<String> = []
        /// Addresses.
        public var connected: Set<String> = []
        public var bonded: Set<String> = []
        /// Number of notify sessions and acquired sockets.
        public var subscriptions = 0
        public var hasAgent = false
        /// Number of monitors of advertisements.
        public var monitors = 0

        public init() {}
    }

    public var snapshot: Snapshot {
        get async {
            await daemon.perform { daemon in
                var snapshot = Snapshot()
                for (path, adapter) in daemon.adapters where adapter.isDiscovering {
                    snapshot.discovering.insert(path.string.replacing("/org/bluez/", with: ""))
                }
                snapshot.monitors = daemon.adapters.values.map(\.monitors.count).reduce(0, +)
                for device in daemon.devices.values {
                    if device.link != nil { snapshot.connected.insert(device.address) }
                    if device.isBonded { snapshot.bonded.insert(device.address) }
                    snapshot.subscriptions += device.sessions.values.map(\.count).reduce(0, +)
                    snapshot.subscriptions += device.notifySockets.count + device.writeSockets.count
                }
                snapshot.hasAgent = daemon.agents.defaultAgent != nil
                return snapshot
            }
        }
    }
}

extension Daemon {
    /// A fault has come or gone: what can be heard of the peripheral is another.
    func airChanged(for address: String) {
        advertise(address)
        guard faults[address]?.isOutOfRange == true else { return }
        for device in devices.values where device.address == address {
            guard let link = device.link else { continue }
            after(timing.supervision) { daemon in
                guard daemon.devices[device.path]?.link?.number == link.number,
                    daemon.faults[address]?.isOutOfRange == true
                else { return }
                daemon.dropLink(device.path)
            }
        }
    }
}
