import DBus
import Testing

@Suite(.timeLimit(.minutes(5))) struct DBusErrorTests {
    @Test(arguments: [
        (
            DBusError.cannotConnect(address: "unix:path=/x", reason: "no such file"),
            "cannot connect to the bus at unix:path=/x: no such file"
        ),
        (.disconnected, "the connection to the bus is closed"),
        (.timedOut(call: "a.B.C on /d", seconds: 25), "a.B.C on /d: no answer within 25 s"),
        (.timedOut(call: "a.B.C on /d", seconds: 0.5), "a.B.C on /d: no answer within 0.5 s"),
        (.cancelled(call: "a.B.C on /d", wasSent: true), "a.B.C on /d: cancelled"),
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

    @Test func `errors of the bus have the same meaning for every service`() {
        func kind(_ name: String) -> DBusError.Kind? { DBusError.remote(name: name, message: "").kind }
        for name in ["ServiceUnknown", "NameHasNoOwner", "NoReply", "Spawn.ChildExited"] {
            #expect(kind("org.freedesktop.DBus.Error.\(name)") == .noService)
        }
        #expect(kind("org.freedesktop.systemd1.UnitMasked") == .noService)
        for name in ["AccessDenied", "AuthFailed", "InteractiveAuthorizationRequired"] {
            #expect(kind("org.freedesktop.DBus.Error.\(name)") == .accessDenied)
        }
        for name in ["UnknownObject", "UnknownMethod", "UnknownInterface"] {
            #expect(kind("org.freedesktop.DBus.Error.\(name)") == .unknownObject)
        }
        #expect(kind("org.freedesktop.DBus.Error.Failed") == nil && DBusError.disconnected.kind == nil)
    }
}
