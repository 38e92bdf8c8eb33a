import Testing

@testable import BlueZ

@Suite(.timeLimit(.minutes(5))) struct BluetoothErrorTests {
    static let all: [(BluetoothError, String, isTransient: Bool)] = [
        (.noKernelSupport, "this kernel has no Bluetooth, or denies this process access", false),
        (.noAdapter(nil), "this machine has no Bluetooth adapter", false),
        (.noAdapter("hci1"), "there is no Bluetooth adapter hci1", false),
        (.adapterDown("hci0"), "the Bluetooth adapter hci0 is switched off", false),
        (.adapterBlocked("hci0", hard: false), "the Bluetooth adapter hci0 is blocked in software (rfkill)", false),
        (
            .adapterBlocked("hci0", hard: true), "the Bluetooth adapter hci0 is blocked by a switch of the machine",
            false
        ),
        (.daemonNotRunning, "the Bluetooth service (bluetoothd) is not running", false),
        (.noBus("gone"), "no connection to the system bus: gone", false),
        (.accessDenied("rule"), "access denied: rule", false),
        (.peripheralNotFound("P", seconds: 20), "P was not heard within 20 s", true),
        (.peripheralNotFound("P", seconds: 0.5), "P was not heard within 0.5 s", true),
        (
            .connectFailed("P", reason: ConnectFailure(.linkFailed, detail: "le-connection-abort-by-local")),
            "cannot connect to P: the connection could not be set up (le-connection-abort-by-local)", true
        ),
        (
            .connectFailed("P", reason: ConnectFailure(.notSupported)),
            "cannot connect to P: not supported by the adapter", false
        ),
        (.serviceNotFound("180f", peripheral: "P"), "P has no service 0000180f-0000-1000-8000-00805f9b34fb", false),
        (
            .characteristicNotFound("2a19", service: "180f", peripheral: "P"),
            "P has no characteristic 00002a19-0000-1000-8000-00805f9b34fb in its service "
                + "0000180f-0000-1000-8000-00805f9b34fb", false
        ),
        (
            .readFailed("2a19", peripheral: "P", reason: "no"),
            "cannot read 00002a19-0000-1000-8000-00805f9b34fb of P: no", false
        ),
        (
            .writeFailed("2a19", peripheral: "P", reason: "no"),
            "cannot write 00002a19-0000-1000-8000-00805f9b34fb of P: no", false
        ),
        (
            .notifyFailed("2a19", peripheral: "P", reason: "no"),
            "cannot subscribe to 00002a19-0000-1000-8000-00805f9b34fb of P: no", false
        ),
        (
            .attError(code: 0x80, doing: "reading"),
            "reading: the device answered with error 0x80 (of its application)", false
        ),
        (.attError(code: 0x05, doing: "reading"), "reading: the device answered with error 0x05", false),
        (.notPaired(doing: "reading"), "reading: the device requires pairing", false),
        (.pairingFailed("P", reason: "it was refused"), "pairing with P failed: it was refused", false),
        (.linkLost(during: "reading"), "the connection was lost while reading", true),
        (.adapterStuck("hci0", reason: "x"), "the Bluetooth adapter hci0 is on but does not scan: x", false),
        (.daemonSilent, "the Bluetooth service (bluetoothd) does not answer", false),
        (.adapterLost("hci0"), "the Bluetooth adapter hci0 is no longer available", false),
        (.timedOut(operation: "reading", seconds: 10), "reading took longer than 10 s", true),
        (.cancelled, "cancelled", false),
        (.busy("hci0"), "busy: hci0", true),
        (.unexpected("x"), "unexpected answer from the Bluetooth service: x", false),
    ]

    @Test(arguments: all)
    func `a description has what failed, what to do and whether to try later`(
        error: BluetoothError, text: String, isTransient: Bool
    ) {
        #expect(error.description == text)
        #expect(error.isTransient == isTransient)
        // A command at the end stands without a full stop: it would be pasted with it.
        if case .peripheralNotFound = error { return #expect(error.advice == nil) }
        #expect(error.advice?.hasSuffix(".") == true || error.advice?.hasSuffix("`") == true, "\(error.advice ?? "")")
    }

    @Test func `pairing again is advised only if the pairing is broken, or may be after repeated failures`() {
        var failure = ConnectFailure(.linkFailed)
        #expect(BluetoothError.connectFailed("P", reason: failure).advice?.contains("pair") == false)
        failure.suspectsPairing = true
        #expect(BluetoothError.connectFailed("P", reason: failure).advice?.contains("pair again") == true)
        #expect(
            BluetoothError.connectFailed("P", reason: ConnectFailure(.pairingBroken)).advice?.contains("pair again")
                == true)
    }

    @Test func `the command that deletes what BlueZ has stored names the device`() {
        let address = "C0:DE:00:00:00:01", command = "`bluetoothctl remove \(address)`"
        for error in [
            .serviceNotFound("180f", peripheral: address),
            .characteristicNotFound("2a19", service: "180f", peripheral: address),
            .connectFailed(address, reason: ConnectFailure(.noServices)),
            .connectFailed(address, reason: ConnectFailure(.pairingBroken)),
        ] as [BluetoothError] {
            #expect(error.advice?.contains(command) == true, "\(error)")
        }
    }

    @Test func `the advice for a hard block does not name rfkill`() {
        #expect(BluetoothError.adapterBlocked("hci0", hard: false).advice?.contains("rfkill unblock bluetooth") == true)
        #expect(BluetoothError.adapterBlocked("hci0", hard: true).advice?.contains("rfkill") == false)
    }
}
