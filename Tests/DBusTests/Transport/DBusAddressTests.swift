import Testing

@testable import DBus

@Suite(.timeLimit(.minutes(5))) struct DBusAddressTests {
    @Test func `the environment can replace the default address of the system bus`() throws {
        #expect(try DBusAddress.system.resolved { _ in nil } == "unix:path=/var/run/dbus/system_bus_socket")
        #expect(try DBusAddress.system.resolved { ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/a"][$0] } == "unix:path=/a")
    }

    @Test func `the address of the session bus comes from the environment`() throws {
        #expect(try DBusAddress.session.resolved { ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/a"][$0] } == "unix:path=/a")
        #expect(
            try DBusAddress.session.resolved { ["XDG_RUNTIME_DIR": "/run/user/1000"][$0] }
                == "unix:path=/run/user/1000/bus")
        #expect(try DBusAddress.session.resolved { ["XDG_RUNTIME_DIR": "/a b;c"][$0] } == "unix:path=/a%20b%3bc/bus")
        #expect(throws: DBusError.self) { try DBusAddress.session.resolved { _ in nil } }
    }

    /// D-Bus specification, "Server Addresses". The expected values are those of libdbus (dbus_address_escape_value).
    @Test(arguments: [
        ("/run/user/1000", "/run/user/1000"), (#"/a-z_A.Z\*09"#, #"/a-z_A.Z\*09"#), ("/a=b,c:d", "/a%3db%2cc%3ad"),
        ("/100%", "/100%25"),
        ("/~\u{1}\u{7f}", "/%7e%01%7f"), ("/ä€", "/%c3%a4%e2%82%ac"), ("/e\u{301}", "/e%cc%81"), ("", ""),
    ])
    func `each byte of a path is escaped as the specification says`(path: String, escaped: String) throws {
        #expect(try DBusAddress.session.resolved { ["XDG_RUNTIME_DIR": path][$0] } == "unix:path=\(escaped)/bus")
    }

    @Test func `an explicit address is used unchanged`() throws {
        #expect(try DBusAddress.address("tcp:host=a").resolved { _ in "other" } == "tcp:host=a")
    }

    @Test func `the address of the session bus follows from the given environment`() {
        #expect(
            DBusAddress.session(in: ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/a", "XDG_RUNTIME_DIR": "/b"])
                == .address("unix:path=/a"))
        #expect(
            DBusAddress.session(in: ["DBUS_SESSION_BUS_ADDRESS": "", "XDG_RUNTIME_DIR": "/run/a,b"])
                == .address("unix:path=/run/a%2cb/bus"))
        #expect(DBusAddress.session(in: ["XDG_RUNTIME_DIR": ""]) == nil)
        #expect(DBusAddress.session(in: [:]) == nil)
    }
}
