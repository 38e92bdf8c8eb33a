internal import DBus

/// One connection of this program to a peripheral, services known.
struct Link: Sendable {
    let daemon: Daemon
    /// The daemon's watch over it.
    let id: Int
    let address: DeviceAddress
    let addressType: AddressType
    let name: String?
    let device: ObjectPath
    let table: GATTTable
    let limits: ConnectionLimits
    let use: LinkUse

    var peripheral: String { address.description }
}

/// Whose a link is, which decides whether it is cut in the end.
enum LinkUse: Sendable, Hashable {
    /// Ours to cut.
    case own
    /// Another program uses it: BlueZ has one link for all, and cutting it would cut theirs.
    case shared

    /// For a device as it was before we wanted it.
    ///
    /// A link that is up though nobody listens on it, and to a device that is not marked as trusted (what connects by
    /// itself is), was left by a program that died, ours as a rule: BlueZ keeps it for ever, and it would drain the
    /// peripheral's battery. Such a one is taken over.
    init(of device: DeviceRecord, in cache: ObjectCache) {
        guard device.isConnected else {
            self = .own
            return
        }
        let isListenedTo = cache.objects.contains { path, interfaces in
            guard path.isInside(device.path), let properties = interfaces[BlueZName.characteristic] else { return false }
            return ["Notifying", "NotifyAcquired", "WriteAcquired"].contains { properties[$0]?.boolValue == true }
        }
        self = isListenedTo || device.isTrusted ? .shared : .own
    }
}
