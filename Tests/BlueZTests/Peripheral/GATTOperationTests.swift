import DBus
import Testing

@testable import BlueZ

@Suite(.timeLimit(.minutes(5))) struct GATTOperationTests {
    let read = GATTOperation(kind: .read, attribute: "2a19", peripheral: "P")
    let doing = "reading 00002a19-0000-1000-8000-00805f9b34fb of P"

    private func error(_ name: String, _ message: String, _ kind: GATTOperation.Kind = .read) -> BluetoothError {
        var operation = read
        operation.kind = kind
        return operation.error(.remote(name: name, message: message))
    }

    @Test(arguments: [("0x80", UInt8(0x80)), ("0x0e", 0x0e), ("0xFD", 0xfd)])
    func `the peripheral's own error code is read from the text`(digits: String, code: UInt8) {
        let error = error("org.bluez.Error.Failed", "Operation failed with ATT error: \(digits)")
        #expect(error == .attError(code: code, doing: doing))
    }

    @Test(arguments: [
        "Operation failed with ATT error: 0x", "Operation failed with ATT error: 0x123", "ATT error: 80", "",
    ])
    func `a text without a code stays a text`(text: String) {
        #expect(error("org.bluez.Error.Failed", text) == .readFailed("2a19", peripheral: "P", reason: text))
    }

    @Test func `an error about a missing link is a lost link`() {
        #expect(error("org.bluez.Error.Failed", "Not connected") == .linkLost(during: doing))
        #expect(error("org.bluez.Error.NotConnected", "Not Connected") == .linkLost(during: doing))
        #expect(error("org.freedesktop.DBus.Error.UnknownObject", "no such object") == .linkLost(during: doing))
    }

    @Test func `a link that is not encrypted asks for pairing`() {
        #expect(error("org.bluez.Error.NotPermitted", "Not paired") == .notPaired(doing: doing))
        #expect(
            error("org.bluez.Error.NotPermitted", "Write not permitted", .write)
                == .writeFailed("2a19", peripheral: "P", reason: "Write not permitted"))
    }

    @Test func `an unsupported operation has its own error`() {
        let reason = "the characteristic does not support it"
        #expect(
            error("org.bluez.Error.NotSupported", "", .read) == .readFailed("2a19", peripheral: "P", reason: reason))
        #expect(
            error("org.bluez.Error.NotSupported", "", .write) == .writeFailed("2a19", peripheral: "P", reason: reason))
        #expect(
            error("org.bluez.Error.NotSupported", "", .subscribe)
                == .notifyFailed("2a19", peripheral: "P", reason: reason))
    }

    @Test func `the BlueZ error InProgress means that the characteristic is busy`() {
        #expect(error("org.bluez.Error.InProgress", "In Progress") == .busy(doing))
    }

    @Test func `timeout and cancellation are different`() {
        #expect(
            read.error(.timedOut(call: "ReadValue", seconds: 10)) == .timedOut(operation: doing, seconds: 10))
        #expect(read.error(.cancelled(call: "ReadValue", wasSent: true)) == .cancelled)
    }

    @Test func `the end of the daemon is reported`() {
        #expect(error("org.freedesktop.DBus.Error.NoReply", "") == .daemonNotRunning)
    }
}
