internal import DBus
internal import Foundation

extension Central {
    /// All adapters that `bluetoothd` knows, switched on or not.
    public func adapters() async throws(BluetoothError) -> [Adapter] {
        try await daemon.ready()
        return await daemon.cache.adapters.map(\.adapter)
    }

    /// The named adapter, or the first one that is switched on.
    ///
    /// - Throws: why it cannot be used: `noKernelSupport`, `noAdapter`, `adapterBlocked`, `adapterDown`.
    public func adapter(_ name: String? = nil) async throws(BluetoothError) -> Adapter {
        try await usableAdapter(name).adapter
    }

    func usableAdapter(_ name: String?) async throws(BluetoothError) -> AdapterRecord {
        try await daemon.ready()
        @Sendable func usable(_ cache: ObjectCache) -> AdapterRecord? {
            cache.adapters.first { (name == nil || $0.name == name) && $0.isPowered }
        }
        let cache = await daemon.cache
        if let adapter = usable(cache) { return adapter }

        let known = cache.adapters.first { name == nil || $0.name == name }
        let machine = daemon.machine?.read()
        if let machine, machine.fault(adapter: name) == nil {
            // The kernel has it up: a bluetoothd that was just started is about to say so, too.
            if let adapter = try? await daemon.wait(
                limit: .seconds(3), doing: "waiting for the adapter", { usable($0).map { .success($0) } })
            {
                return adapter
            }
        }
        try Self.throwIfCancelled()
        throw Self.fault(name, known: known, machine: machine)
    }

    /// Why an adapter cannot be used. What `bluetoothd` says comes before what the kernel says: a hardened service
    /// gets no socket to ask the kernel.
    static func fault(_ name: String?, known: AdapterRecord?, machine: MachineState?) -> BluetoothError {
        if let known {
            if let block = machine?.block(on: known.name) { return block }
            return known.isBlocked ? .adapterBlocked(known.name, hard: false) : .adapterDown(known.name)
        }
        return machine?.missing(name) ?? .noAdapter(name)
    }

    static func throwIfCancelled() throws(BluetoothError) {
        if Task.isCancelled { throw .cancelled }
    }

    /// An address in the environment leads to a simulation as a rule.
    static func isOwnSystemBus(_ bus: DBusAddress) -> Bool {
        bus == .system && ProcessInfo.processInfo.environment["DBUS_SYSTEM_BUS_ADDRESS"] == nil
    }
}
