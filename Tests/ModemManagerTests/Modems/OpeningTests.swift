import DBus
import ModemManager
import ModemTestSupport
import PrivateBus
import Testing

@Suite(.timeLimit(.minutes(5)))
struct OpeningTests {
    private func open(_ bus: PrivateBus, modem: String? = nil) async throws -> Modem {
        let messages = try await TextMessageSender.open(.address(bus.address), modem: modem)
        let modem = try await messages.modem()
        await messages.close()
        return modem
    }

    private func imei(_ text: String, hasMessaging: Bool = true) -> FakeModem {
        var modem = FakeModem()
        modem.equipmentIdentifier = text
        modem.hasMessaging = hasMessaging
        return modem
    }

    @Test func `the only modem is selected by default`() async throws {
        try await withModemManager { bus, _ in
            let modem = try await open(bus)
            #expect(modem.path == "/org/freedesktop/ModemManager1/Modem/0")
            #expect(modem.title == "modem 0 (SIMCOM INCORPORATED SIMCOM_SIM7600E-H)")
            #expect(modem.equipmentIdentifier == "867584030123456")
            #expect(modem.state == .registered)
            #expect(modem.lock.description == "none")
        }
    }

    @Test(arguments: ["2", "/org/freedesktop/ModemManager1/Modem/2", "a1000049f5c2b7"])
    func `a modem is selected by index, path or equipment identifier`(wanted: String) async throws {
        try await withModemManager([1: imei("867584030000001"), 2: imei("A1000049F5C2B7")]) { bus, _ in
            let modem = try await open(bus, modem: wanted)
            #expect(modem.index == "2")
        }
    }

    @Test func `several modems without a selection are an error`() async throws {
        try await withModemManager([0: imei("1"), 3: imei("3"), 10: imei("10")]) { bus, _ in
            let error = await failure { _ = try await open(bus) }
            let name = "(SIMCOM INCORPORATED SIMCOM_SIM7600E-H)"
            #expect(error == .severalModems(["modem 0 \(name)", "modem 3 \(name)", "modem 10 \(name)"]))
        }
    }

    @Test func `a modem without text messages is not selected`() async throws {
        try await withModemManager([0: imei("1", hasMessaging: false), 1: imei("2")]) { bus, _ in
            let able = try await open(bus)
            #expect(able.index == "1")
            let error = await failure { _ = try await open(bus, modem: "0") }
            #expect(error == .noMessaging(modem: "modem 0 (SIMCOM INCORPORATED SIMCOM_SIM7600E-H)"))
        }
    }

    @Test func `an unknown modem is reported with the requested name`() async throws {
        try await withModemManager { bus, _ in
            #expect(await failure { _ = try await open(bus, modem: "7") } == .noModem(wanted: "7"))
            // An empty name does not select the modem without an identity.
            #expect(await failure { _ = try await open(bus, modem: "") } == .noModem(wanted: ""))
        }
    }

    @Test func `the absence of any modem is reported`() async throws {
        try await withModemManager([:]) { bus, _ in
            #expect(await failure { _ = try await open(bus) } == .noModem(wanted: nil))
        }
    }

    @Test func `a missing ModemManager is reported as not running`() async throws {
        let bus = try await PrivateBus.start()
        defer { bus.stop() }
        #expect(await failure { _ = try await open(bus) } == .notRunning)
    }

    @Test func `a missing bus is reported with its address`() async throws {
        let error = await failure { _ = try await TextMessageSender.open(.address("unix:path=/nonexistent/bus")) }
        guard case .noBus(let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.contains("/nonexistent/bus"))
    }

    @Test func `an unplugged modem is reported as missing`() async throws {
        try await withMessages { messages, fake in
            await fake.set([:])
            #expect(
                await failure { _ = try await messages.modem() }
                    == .noModem(wanted: "/org/freedesktop/ModemManager1/Modem/0"))
        }
    }

    @Test func `names from a modem are cleaned and shortened`() async throws {
        var modem = FakeModem()
        modem.manufacturer = "\u{1B}]0;owned\u{7}\u{202E}"
        modem.model = String(repeating: "x", count: 4000)
        modem.lock = 4_000_000_000
        try await withModemManager([0: modem]) { bus, _ in
            let shown = try await open(bus)
            #expect(shown.title == "modem 0 (]0;owned " + String(repeating: "x", count: 51) + ")")
            #expect(shown.lock.description == "lock 4000000000")
        }
    }

    @Test func `answers of unexpected types are ignored`() async throws {
        let bus = try await PrivateBus.start()
        defer { bus.stop() }
        let odd = OddModemManager(bus: try await DBusConnection.open(.address(bus.address)))
        await odd.bus.export(odd, at: "/", subtree: true)
        try await odd.bus.requestName("org.freedesktop.ModemManager1")
        #expect(await failure { _ = try await open(bus) } == .noModem(wanted: nil))
        await odd.bus.close()
    }
}

/// Answers every call with the same wrong values.
private struct OddModemManager: DBusObject {
    let bus: DBusConnection

    func receive(_ call: DBusMethodCall) async {
        let entry: [DBusValue: DBusValue] = [.objectPath("/org/freedesktop/ModemManager1/Modem/0"): .int32(3)]
        await call.reply([.dictionary(key: "o", value: "i", entry), .string("and more")])
    }
}
