import DBus
import Testing

@Suite(.timeLimit(.minutes(5))) struct DBusErrorTests {
    @Test(arguments: [
        (DBusError.cannotConnect(address: "unix:path=/x", reason: "no such file"), "cannot connect to the bus at unix:path=/x: no such file"),
        (.disconnected, "the connection to the bus is closed"),
        (.timedOut(call: "a.B.C on /d", seconds: 25), "a.B.C on /d: no answer within 25 s"),
        (.timedOut(call: "a.B.C on /d", seconds: 0.5), "a.B.C on /d: no answer within 0.5 s"),
        (.cancelled(call: "a.B.C on /d"), "a.B.C on /d: cancelled"),
        (.remote(name: "org.bluez.Error.Failed", message: "why"), "org.bluez.Error.Failed: why"),
        (.remote(name: "org.bluez.Error.Failed", message: ""), "org.bluez.Error.Failed"),
        (.invalidMessage("why"), "cannot be sent over D-Bus: why"),
        (.nameTaken("org.bluez"), "the bus name org.bluez is taken by another program"),
    ])
    func `each error has its own description`(_ error: DBusError, _ text: String) {
        #expect(error.description == text)
    }

    @Test func `only a remote error has a remote name`() {
        #expect(DBusError.remote(name: "org.bluez.Error.Failed", message: "").remoteName == "org.bluez.Error.Failed")
        #expect(DBusError.disconnected.remoteName == nil)
    }
}
