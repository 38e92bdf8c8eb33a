/// The state of the machine's Bluetooth, read without `bluetoothd` and D-Bus.
public struct MachineState: Sendable, Hashable {
    /// An adapter as the kernel knows it.
    public struct Radio: Sendable, Hashable {
        /// Such as `hci0`.
        public var name: String
        /// Its own address, if known.
        public var address: DeviceAddress?
        /// Whether it is switched on.
        public var isUp: Bool

        /// An adapter of this name.
        public init(name: String, address: DeviceAddress? = nil, isUp: Bool) {
            self.name = name
            self.address = address
            self.isUp = isUp
        }
    }

    /// A radio switch of type bluetooth, from `/sys/class/rfkill`.
    public struct Switch: Sendable, Hashable {
        /// The adapter's name, or that of the machine's own switch, such as `thinkpad_acpi`'s.
        public var name: String
        /// Blocked by a program (`rfkill block`).
        public var isSoftBlocked: Bool
        /// Blocked by a switch or key, which no program can lift.
        public var isHardBlocked: Bool

        /// A switch of this name.
        public init(name: String, isSoftBlocked: Bool = false, isHardBlocked: Bool = false) {
            self.name = name
            self.isSoftBlocked = isSoftBlocked
            self.isHardBlocked = isHardBlocked
        }

        var isBlocked: Bool { isSoftBlocked || isHardBlocked }
    }

    /// Whether the kernel supports Bluetooth at all.
    public var hasKernelSupport: Bool
    /// The adapters, in the order of their numbers.
    public var radios: [Radio]
    /// The switches, blocking or not.
    public var switches: [Switch]

    /// A machine in this state.
    public init(hasKernelSupport: Bool = true, radios: [Radio] = [], switches: [Switch] = []) {
        self.hasKernelSupport = hasKernelSupport
        self.radios = radios
        self.switches = switches
    }

    /// The reason why an adapter (any when nil) cannot be used, at the lowest level at which there is one. Nil when the
    /// machine is in order and the reason must be above it.
    public func fault(adapter: String?) -> BluetoothError? {
        missing(adapter) ?? blockedOrDown(adapter)
    }

    /// The part of `fault` that no `bluetoothd` can fix.
    func missing(_ adapter: String?) -> BluetoothError? {
        guard hasKernelSupport else { return .noKernelSupport }
        guard candidates(adapter).isEmpty else { return nil }
        // A platform's own switch removes the adapter from its USB bus: only the blocked switch is left.
        if radios.isEmpty, let blocked = switches.first(where: \.isBlocked) {
            return .adapterBlocked(adapter ?? blocked.name, hard: blocked.isHardBlocked)
        }
        return .noAdapter(adapter)
    }

    private func blockedOrDown(_ adapter: String?) -> BluetoothError? {
        let candidates = candidates(adapter)
        if candidates.contains(where: \.isUp) { return nil }
        guard let radio = candidates.first else { return nil }
        return block(on: radio.name) ?? .adapterDown(radio.name)
    }

    /// Whether the adapter's own switch blocks it.
    func block(on adapter: String) -> BluetoothError? {
        switches.first { $0.name == adapter && $0.isBlocked }
            .map { .adapterBlocked(adapter, hard: $0.isHardBlocked) }
    }

    private func candidates(_ adapter: String?) -> [Radio] {
        radios.filter { adapter == nil || $0.name == adapter }
    }
}

/// Reads the state of a machine. This module does not ask the kernel itself: the function that does is passed in, and a
/// test passes a state of its own.
public struct MachineProbe: Sendable {
    /// Reads the state. Quick, and never fails: what cannot be read is treated as missing.
    public var read: @Sendable () -> MachineState

    /// A probe with the given function.
    public init(read: @escaping @Sendable () -> MachineState) {
        self.read = read
    }
}
