import BlueZ
import DBus
import PrivateBus
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct PairingTests {
    /// Gives the configured answer, and records the questions.
    final class Person: PairingDelegate {
        let capability: PairingCapability
        let answer: Bool
        private let log = Mutex<[String]>([])

        init(_ capability: PairingCapability = .keyboardDisplay, answer: Bool = true) {
            self.capability = capability
            self.answer = answer
        }

        var asked: [String] { log.withLock { $0 } }
        private func note(_ text: String) { log.withLock { $0.append(text) } }

        func authorize(_ peripheral: DeviceAddress) async -> Bool {
            note("authorize \(peripheral)")
            return answer
        }
        func confirm(passkey: UInt32, of peripheral: DeviceAddress) async -> Bool {
            note("confirm \(passkey)")
            return answer
        }
        func passkey(of peripheral: DeviceAddress) async -> UInt32? { answer ? 123_456 : 1_000_000 }
        func pinCode(of peripheral: DeviceAddress) async -> String? { answer ? "0000" : "" }
        func display(passkey: UInt32, entered: Int, for peripheral: DeviceAddress) async {
            note("show \(passkey) \(entered)")
        }
        func display(pinCode: String, for peripheral: DeviceAddress) async { note("show \(pinCode)") }
    }

    /// A Pair call during which BlueZ asks the agent; the answers go to `check`.
    private static func pair(
        _ member: String, _ arguments: [DBusValue] = [], device: ObjectPath = Sample.device,
        _ check: @escaping @Sendable (Result<[DBusValue], DBusError>) -> Void
    ) -> FakeBlueZ.Script {
        { fake, call in
            // The next call of the central must be handled while this one asks the agent.
            Task {
                do throws(DBusError) {
                    check(
                        .success(
                            try await fake.bus.call(
                                call.message.sender ?? "", "/bluez/agent", "org.bluez.Agent1", member,
                                [.objectPath(device)] + arguments)))
                } catch {
                    check(.failure(error))
                }
                try? await fake.device(["Paired": .boolean(true)])
                await call.reply()
            }
        }
    }

    private func pair(_ person: Person, _ script: @escaping FakeBlueZ.Script) async throws -> [String] {
        let calls = Mutex<[String]>([])
        try await withFixture(device: Sample.deviceProperties(rssi: -60)) { fixture in
            await fixture.fake.on("Connect", FakeBlueZ.connect)
            await fixture.fake.on("Pair", script)
            try await fixture.central.pair(.ring, delegate: person)
            let made = await fixture.fake.calls
            calls.withLock { $0 = made }
        }
        return calls.withLock { $0 }
    }

    @Test func `pairing registers an agent, answers with it and unregisters it`() async throws {
        let person = Person()
        let calls = try await pair(person, Self.pair("RequestAuthorization") { #expect($0 == .success([])) })
        #expect(person.asked == ["authorize C0:DE:00:00:00:01"])
        #expect(calls == ["Connect", "RegisterAgent", "Pair", "UnregisterAgent", "Disconnect"])
    }

    /// The answer and the signals take different ways through the program.
    @Test func `a peripheral's own address is known when the pairing has returned`() async throws {
        try await withFixture(device: Sample.deviceProperties(rssi: -60)) { fixture in
            await fixture.fake.on("Connect", FakeBlueZ.connect)
            await fixture.fake.on("Pair") { _, call in await call.reply() }
            try await fixture.central.withPeripheral(.ring) { peripheral in
                async let pairing: Void = peripheral.pair(Person())
                await fixture.clock.sleeping(for: .seconds(5))  // it has the answer, and waits for the signals
                try await fixture.fake.device(["Address": .string("C0:DE:00:00:00:99")])
                try await fixture.fake.device(["Paired": .boolean(true)])
                try await pairing
                #expect(await peripheral.identity().address == DeviceAddress("C0:DE:00:00:00:99"))
            }
        }
    }

    @Test func `a link that is lost before the bond is known ends the pairing at once`() async throws {
        try await withFixture(device: Sample.deviceProperties(rssi: -60)) { fixture in
            await fixture.fake.on("Connect", FakeBlueZ.connect)
            await fixture.fake.on("Pair") { _, call in await call.reply() }
            await #expect(throws: BluetoothError.self) {
                try await fixture.central.withPeripheral(.ring) { peripheral in
                    async let pairing: Void = peripheral.pair(Person())
                    await fixture.clock.sleeping(for: .seconds(5))
                    try await fixture.fake.device(["Connected": .boolean(false)])
                    try await pairing
                }
            }
        }
    }

    static let rejected = Result<[DBusValue], DBusError>.failure(
        .remote(name: "org.bluez.Error.Rejected", message: "refused"))

    @Test func `every question of BlueZ is answered as the delegate decides`() async throws {
        let questions: [(String, [DBusValue], yes: [DBusValue], no: Result<[DBusValue], DBusError>, asked: [String])] =
            [
                ("RequestConfirmation", [.uint32(42)], [], Self.rejected, ["confirm 42"]),
                ("RequestPasskey", [], [.uint32(123_456)], Self.rejected, []),
                ("RequestPinCode", [], [.string("0000")], Self.rejected, []),
                ("DisplayPasskey", [.uint32(7), .uint16(2)], [], .success([]), ["show 7 2"]),
                ("DisplayPinCode", [.string("0042")], [], .success([]), ["show 0042"]),
            ]
        for question in questions {
            let yes = Person()
            _ = try await pair(yes, Self.pair(question.0, question.1) { #expect($0 == .success(question.yes)) })
            #expect(yes.asked == question.asked)
            let no = question.no
            _ = try await pair(Person(answer: false), Self.pair(question.0, question.1) { #expect($0 == no) })
        }
    }

    @Test func `other devices, and services of this one, are refused without asking`() async throws {
        let person = Person()
        _ = try await pair(
            person,
            Self.pair("RequestAuthorization", device: Sample.otherDevice) {
                #expect(
                    $0
                        == .failure(
                            .remote(name: "org.bluez.Error.Rejected", message: "not a device that is being paired here")
                        ))
            })
        _ = try await pair(person, Self.pair("AuthorizeService", [.string("180a")]) { #expect($0 == Self.rejected) })
        #expect(person.asked == [])
    }

    @Test func `the pairing agent accepts calls only from bluetoothd`() async throws {
        let person = Person()
        try await withFixture(device: Sample.deviceProperties(rssi: -60)) { fixture in
            let stranger = try await DBusConnection.open(.address(fixture.bus.address))
            await fixture.fake.on("Connect", FakeBlueZ.connect)
            await fixture.fake.on("Pair") { fake, call in
                do throws(DBusError) {
                    _ = try await stranger.call(
                        call.message.sender ?? "", "/bluez/agent", "org.bluez.Agent1", "RequestAuthorization",
                        [.objectPath(Sample.device)])
                    Issue.record("answered")
                } catch {
                    #expect(error.remoteName == "org.freedesktop.DBus.Error.AccessDenied")
                }
                try? await fake.device(["Paired": .boolean(true)])
                await call.reply()
            }
            try await fixture.central.pair(.ring, delegate: person)
            await stranger.close()
        }
        #expect(person.asked == [])
    }

    @Test func `a delegate refuses by default, and AcceptJustWorks only authorizes`() async throws {
        struct Silent: PairingDelegate { var capability: PairingCapability { .displayYesNo } }
        #expect(await !Silent().authorize(.ring))
        #expect(await !Silent().confirm(passkey: 1, of: .ring))
        #expect(await Silent().passkey(of: .ring) == nil)
        #expect(await Silent().pinCode(of: .ring) == nil)
        #expect(await AcceptJustWorks().authorize(.ring))
        #expect(await !AcceptJustWorks().confirm(passkey: 1, of: .ring))
        #expect(AcceptJustWorks().capability == .noInputNoOutput)
    }

    @Test func `a paired device is not paired again`() async throws {
        try await withFixture(device: Sample.deviceProperties(.ring, ["Paired": .boolean(true)])) { fixture in
            await fixture.fake.on("Connect", FakeBlueZ.connect)
            try await fixture.central.pair(.ring, delegate: AcceptJustWorks())
            #expect(await fixture.fake.calls == ["Connect", "Disconnect"])
        }
    }

    @Test(arguments: [
        ("org.bluez.Error.AuthenticationRejected", "", "it was refused"),
        ("org.bluez.Error.AuthenticationCanceled", "", "it was cancelled"),
        ("org.bluez.Error.AuthenticationFailed", "", "the two sides do not agree on the keys"),
        ("org.bluez.Error.AuthenticationTimeout", "", "there was no answer in time"),
        ("org.bluez.Error.ConnectionAttemptFailed", "", "the connection failed"),
        ("org.bluez.Error.Failed", "No such thing", "No such thing"),
    ])
    func `each failure is reported, and the connection is closed`(name: String, message: String, reason: String)
        async throws
    {
        try await withFixture(device: Sample.deviceProperties(rssi: -60)) { fixture in
            await fixture.fake.on("Connect", FakeBlueZ.connect)
            await fixture.fake.on("Pair", FakeBlueZ.fail(name, message))
            await #expect(throws: BluetoothError.pairingFailed("C0:DE:00:00:00:01", reason: reason)) {
                try await fixture.central.pair(.ring, delegate: AcceptJustWorks())
            }
            #expect(await fixture.fake.calls == ["Connect", "RegisterAgent", "Pair", "UnregisterAgent", "Disconnect"])
        }
    }

    @Test func `a pairing that takes too long, or is cancelled, is cancelled in BlueZ`() async throws {
        try await withFixture(device: Sample.deviceProperties(rssi: -60)) { fixture in
            await fixture.fake.on("Connect", FakeBlueZ.connect)
            await fixture.fake.on("Pair", FakeBlueZ.hang)
            await fixture.fake.on("CancelPairing", FakeBlueZ.agree)
            let expected = ["Connect", "RegisterAgent", "Pair", "CancelPairing", "UnregisterAgent", "Disconnect"]

            let late = Task { try await fixture.central.pair(.ring, delegate: AcceptJustWorks()) }
            await fixture.fake.until { $0.last == "Pair" }
            await fixture.clock.pass(.seconds(60))
            await #expect(throws: BluetoothError.timedOut(operation: "pairing with C0:DE:00:00:00:01", seconds: 60)) {
                try await late.value
            }
            #expect(await fixture.fake.calls == expected)

            await fixture.fake.forgetCalls()
            let cancelled = Task { try await fixture.central.pair(.ring, delegate: AcceptJustWorks()) }
            await fixture.fake.until { $0.last == "Pair" }
            cancelled.cancel()
            await #expect(throws: BluetoothError.cancelled) { try await cancelled.value }
            #expect(await fixture.fake.calls == expected)
        }
    }

    // MARK: Removing

    @Test func `a device known to BlueZ is removed`() async throws {
        try await withFixture(device: Sample.deviceProperties()) { fixture in
            await fixture.fake.on("RemoveDevice") { fake, call in
                #expect(call.message.body == [.objectPath(Sample.device)])
                try? await fake.remove(Sample.device)
                await call.reply()
            }
            let answers = try await [
                fixture.central.remove(.ring), fixture.central.remove(.ring), fixture.central.remove(.other),
            ]
            #expect(answers == [true, false, false])
            #expect(await fixture.fake.calls == ["RemoveDevice"])
        }
    }

    @Test func `an adapter that is off does not keep the others from removing a device, and is not asked about it`()
        async throws
    {
        let second: ObjectPath = "/org/bluez/hci1", device: ObjectPath = "/org/bluez/hci1/dev_C0_DE_00_00_00_01"
        let bonded = Sample.deviceProperties(.ring, ["Adapter": .objectPath(second), "Paired": .boolean(true)])
        try await withFixture(
            device: Sample.deviceProperties(),
            objects: [
                second: ["org.bluez.Adapter1": Sample.adapterProperties()], device: ["org.bluez.Device1": bonded],
            ], adapter: Sample.adapterProperties(isPowered: false)
        ) { fixture in
            let stored = try await fixture.central.storedPeripheral(.ring)
            #expect(stored?.isPaired == true)
            await fixture.fake.on("RemoveDevice") { fake, call in
                #expect(call.message.body == [.objectPath(device)])
                try? await fake.remove(device)
                await call.reply()
            }
            let wasKnown = try await fixture.central.remove(.ring)
            #expect(wasKnown)
            #expect(await fixture.fake.calls == ["RemoveDevice"])
        }
    }

    @Test func `a bond is found on the second of two adapters`() async throws {
        let second: ObjectPath = "/org/bluez/hci1", device: ObjectPath = "/org/bluez/hci1/dev_C0_DE_00_00_00_01"
        let bonded = Sample.deviceProperties(.ring, ["Adapter": .objectPath(second), "Paired": .boolean(true)])
        try await withFixture(
            objects: [
                second: ["org.bluez.Adapter1": Sample.adapterProperties()], device: ["org.bluez.Device1": bonded],
            ]
        ) { fixture in
            let found = try await fixture.central.storedPeripheral(.ring)
            #expect(found?.isPaired == true && found?.adapter == "hci1")
            let onFirst = try await fixture.central.storedPeripheral(.ring, adapter: "hci0")
            #expect(onFirst == nil)
        }
    }

    /// The advice was to report a defect.
    @Test func `an adapter that is off, or gone, is named when nothing can be removed`() async throws {
        let off = Sample.adapterProperties(isPowered: false)
        try await withFixture(device: Sample.deviceProperties(), adapter: off) { fixture in
            await fixture.fake.on("RemoveDevice", FakeBlueZ.fail("org.bluez.Error.NotReady", "Resource Not Ready"))
            await #expect(throws: BluetoothError.adapterDown("hci0")) { try await fixture.central.remove(.ring) }
            await fixture.fake.on("RemoveDevice", FakeBlueZ.fail("org.freedesktop.DBus.Error.UnknownObject", "gone"))
            await #expect(throws: BluetoothError.adapterLost("hci0")) { try await fixture.central.remove(.ring) }
        }
    }

    @Test func `a device that is in use is not removed`() async throws {
        try await withFixture(device: Sample.deviceProperties(rssi: -60)) { fixture in
            await fixture.fake.on("Connect", FakeBlueZ.connect)
            try await fixture.central.withPeripheral(.ring) { _ in
                await #expect(throws: BluetoothError.busy("C0:DE:00:00:00:01 is in use by this program")) {
                    try await fixture.central.remove(.ring)
                }
            }
        }
    }
}
