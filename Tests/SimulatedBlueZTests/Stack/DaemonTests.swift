import DBus
import SimulatedBlueZ
import Testing

/// The daemon as a whole: on the bus, off it, and its answers to calls that make no sense.
@Suite(.timeLimit(.minutes(5)))
struct DaemonTests {
    private let ring = SimulatedColmi()
    private var device: ObjectPath { BusClient.path(ring) }
    private let adapter = BusClient.adapter

    @Test func `the daemon shows the objects and interfaces of BlueZ`() async throws {
        try await withStack([]) { _, client in
            let objects = try await client.objects()
            #expect(objects.keys.sorted() == ["/org/bluez", "/org/bluez/hci0"])
            #expect(
                objects["/org/bluez"]?.keys.sorted() == [
                    "org.bluez.AgentManager1", "org.bluez.HealthManager1", "org.bluez.ProfileManager1",
                    "org.freedesktop.DBus.Introspectable",
                ])
            #expect(
                objects[adapter]?.keys.sorted() == [
                    "org.bluez.Adapter1", "org.bluez.GattManager1", "org.bluez.LEAdvertisingManager1",
                    "org.bluez.Media1",
                    "org.bluez.NetworkServer1", "org.freedesktop.DBus.Introspectable",
                    "org.freedesktop.DBus.Properties",
                ])
        }
    }

    /// A call that makes no sense, and the answer of BlueZ: names and texts as measured with 5.66.
    struct Nonsense: Sendable, CustomTestStringConvertible {
        let path: ObjectPath
        let interface: String
        let member: String
        let arguments: [DBusValue]
        let answer: String

        init(_ path: ObjectPath, _ interface: String, _ member: String, _ arguments: [DBusValue], _ answer: String) {
            (self.path, self.interface, self.member, self.arguments) = (path, interface, member, arguments)
            self.answer = answer
        }

        var testDescription: String { answer }

        static func get(_ interface: String, _ property: String, _ answer: String) -> Nonsense {
            Nonsense(
                BusClient.adapter, "org.freedesktop.DBus.Properties", "Get", [.string(interface), .string(property)],
                "org.freedesktop.DBus.Error." + answer)
        }

        static func set(_ property: String, _ value: DBusValue, _ answer: String) -> Nonsense {
            Nonsense(
                BusClient.adapter, "org.freedesktop.DBus.Properties", "Set",
                [.string("org.bluez.Adapter1"), .string(property), .variant(value)],
                "org.freedesktop.DBus.Error." + answer)
        }

        static let all = [
            Nonsense(
                BusClient.adapter, "Adapter1", "Bogus", [],
                "org.freedesktop.DBus.Error.UnknownMethod: Method \"Bogus\" with signature \"\" on interface \"org.bluez.Adapter1\" doesn't exist\n"
            ),
            Nonsense(
                BusClient.adapter, "Bogus1", "Bogus", [],
                "org.freedesktop.DBus.Error.UnknownMethod: Method \"Bogus\" with signature \"\" on interface \"org.bluez.Bogus1\" doesn't exist\n"
            ),
            Nonsense(
                BusClient.adapter, "Adapter1", "SetDiscoveryFilter", [.string("x")],
                "org.freedesktop.DBus.Error.UnknownMethod: Method \"SetDiscoveryFilter\" with signature \"s\" on interface \"org.bluez.Adapter1\" doesn't exist\n"
            ),
            Nonsense(
                "/org/bluez/hci0/dev_00_00_00_00_00_00", "Device1", "Connect", [],
                "org.freedesktop.DBus.Error.UnknownObject: Method \"Connect\" with signature \"\" on interface \"org.bluez.Device1\" doesn't exist\n"
            ),
            get("org.bluez.Adapter1", "Bogus", "InvalidArgs: No such property 'Bogus'"),
            get("org.bluez.Bogus1", "Bogus", "InvalidArgs: No such interface 'org.bluez.Bogus1'"),
            set("Address", .string("x"), "PropertyReadOnly: Property 'Address' is not writable"),
            set("Powered", .string("x"), "InvalidSignature: Invalid signature for 'Powered'"),
            Nonsense(
                BusClient.adapter, "GattManager1", "UnregisterApplication", [.objectPath("/x")],
                "org.bluez.Error.DoesNotExist: Does Not Exist"),
            set("Bogus", .string("x"), "UnknownProperty: No such property 'Bogus'"),
            Nonsense(
                .root, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects", [.string("x")],
                "org.freedesktop.DBus.Error.UnknownMethod: Method \"GetManagedObjects\" with signature \"s\" on interface "
                    + "\"org.freedesktop.DBus.ObjectManager\" doesn't exist\n"),
            Nonsense(
                "/org", "Adapter1", "StartDiscovery", [],
                "org.freedesktop.DBus.Error.UnknownMethod: Method \"StartDiscovery\" with signature \"\" on interface \"org.bluez.Adapter1\" doesn't exist\n"
            ),
        ]
    }

    @Test(arguments: Nonsense.all) func `an invalid call gets the error of BlueZ`(call: Nonsense) async throws {
        try await withStack([]) { _, client in
            let answer = try await client.failure(call.path, call.interface, call.member, call.arguments)
            #expect(answer == call.answer)
        }
    }

    @Test func `the daemon supports introspection`() async throws {
        try await withStack([ring]) { _, client in
            try await client.connect(ring)
            var xml: [ObjectPath: String] = [:]
            for path: ObjectPath in ["/", "/org", adapter, device, "/nowhere"] {
                xml[path] = try await client.call(path, "org.freedesktop.DBus.Introspectable", "Introspect").first?
                    .stringValue
            }
            #expect(xml["/"]?.contains(#"<node name="org"/>"#) == true)
            #expect(xml["/org"]?.contains(#"<node name="bluez"/>"#) == true)
            #expect(
                xml[adapter]?.contains(#"<method name="RemoveDevice"><arg name="device" type="o" direction="in"/>"#)
                    == true)
            #expect(xml[device]?.contains(#"<property name="Trusted" type="b" access="readwrite"></property>"#) == true)
            #expect(xml[device]?.contains(#"<node name="service000a"/>"#) == true)
            #expect(xml["/nowhere"]?.contains("interface") == false)
        }
    }

    @Test func `a restart loses all state that is not on disk`() async throws {
        let watch = SimulatedGeneric.infiniTime()
        try await withStack([ring, watch]) { stack, client in
            try await client.connect(ring)
            try await TestAgent(.accept).register(with: client)
            try await client.call(device, "Device1", "Pair")
            try await client.discoverNothingMore(watch)
            let owner = try await client.connection.owner(of: "org.bluez")
            try await stack.restart()
            #expect(try await client.connection.owner(of: "org.bluez") != owner)
            let objects = try await client.objects()
            #expect(objects[device]?["org.bluez.Device1"]?["Paired"] == .boolean(true))
            #expect(objects[device]?["org.bluez.Device1"]?["Connected"] == .boolean(false))
            #expect(objects[BusClient.path(watch)] == nil)
            var left = SimulatedBlueZ.Snapshot()
            left.bonded = [ring.address]
            #expect(await stack.snapshot == left)
            try await client.connect(ring)
        }
    }

    @Test func `the bus name has no owner while the daemon is away`() async throws {
        try await withStack([ring]) { stack, client in
            await stack.leaveBus()
            #expect(try await client.connection.owner(of: "org.bluez") == nil)
            #expect(
                try await client.failure(.root, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects").hasPrefix(
                    "org.freedesktop.DBus.Error.ServiceUnknown"))
            try await stack.returnToBus()
            try await client.connect(ring)
        }
    }

    @Test func `a pending call fails with NoReply when the daemon leaves`() async throws {
        try await withStack([ring]) { stack, client in
            try await client.discover(ring)
            await stack.inject(.stall(.connect), for: ring.address)
            async let outcome = client.failure(device, "Device1", "Connect")
            await stack.events.waits(for: .connecting(ring.address))
            await stack.leaveBus()
            #expect(try await outcome.hasPrefix("org.freedesktop.DBus.Error.NoReply"))
        }
    }

    @Test func `the stack can be stopped twice and stays closed`() async throws {
        let stack = try await SimulatedBlueZ.start(peripherals: [ring], timing: .realistic)
        await stack.stop()
        await stack.stop()
        await #expect(throws: DBusError.self) { try await DBusConnection.open(.address(stack.address)) }
    }
}
