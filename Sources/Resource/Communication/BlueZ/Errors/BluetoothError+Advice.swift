extension BluetoothError {
    /// What the user can do next, in one or two sentences.
    public var advice: String {
        switch self {
        case .noKernelSupport:
            "Use a kernel with Bluetooth (module bluetooth), outside of a container or a private network namespace."
        case .noAdapter(nil): "Plug in a Bluetooth LE adapter, or switch it on in the machine's firmware."
        case .noAdapter: "List the adapters with `bluetoothctl list` and name one of those."
        case .adapterDown: "Switch it on with `bluetoothctl power on`."
        // Powered=true alone does not lift the block.
        case .adapterBlocked(_, hard: false): "Lift the block with `rfkill unblock bluetooth`."
        case .adapterBlocked(_, hard: true): "Use the machine's wireless switch or key; no program can lift this block."
        case .adapterStuck:
            """
            Switch it off and on: `bluetoothctl power off`, then `bluetoothctl power on`. If that does not help: \
            `sudo systemctl restart bluetooth`, or plug it out and in.
            """
        case .daemonSilent: "Restart it with `sudo systemctl restart bluetooth`."
        case .daemonNotRunning: "Start it with `systemctl enable --now bluetooth` (package bluez)."
        case .noBus: "Start the D-Bus service (package dbus), or check DBUS_SYSTEM_BUS_ADDRESS."
        case .accessDenied: "Add the user to the group bluetooth, or check /etc/dbus-1/system.d/bluetooth.conf."
        case .peripheralNotFound:
            "It is out of range, asleep, or connected to a phone, which hides it: bring it close, wake it, let it go there."
        case .connectFailed(_, let reason): reason.advice
        case .serviceNotFound, .characteristicNotFound:
            "Check that this is the right peripheral. After a firmware update, `bluetoothctl remove` makes BlueZ look again."
        case .readFailed, .writeFailed, .notifyFailed: "Check the UUID and what the characteristic allows."
        case .attError: "Look the code up in the peripheral's documentation; try again if it was busy."
        case .notPaired: "Pair with it first."
        case .pairingFailed: "Bring the peripheral into its pairing mode, remove an older pairing on both sides, and try again."
        case .linkLost: "Bring the peripheral nearer and try again."
        case .adapterLost: "Plug the adapter in or switch it on, and try again."
        case .timedOut: "Try again nearer to the peripheral. If it keeps happening, the peripheral may demand pairing."
        case .cancelled: "Start again when you like."
        case .busy: "Wait until it is free, or end the other program."
        case .unexpected: "Please report this, with the version of BlueZ."
        }
    }
}
