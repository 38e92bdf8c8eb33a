import DBus
import TestSupport
import Testing

@testable import BlueZ

/// One search for several peripherals.
@Suite(.timeLimit(.minutes(5)))
struct SearchTests {
    @Test func `one of several that is heard ends the scan`() async throws {
        try await withLab { lab in
            await lab.fake.on("StartDiscovery", FakeBlueZ.hear())
            let result = try await lab.central.search(for: [.ring, .other], limit: .seconds(20))
            #expect(result.found == [.ring])
            #expect(await lab.fake.calls == ["SetDiscoveryFilter", "StartDiscovery", "StopDiscovery", "SetDiscoveryFilter"])
        }
    }

    @Test func `what was found is connected to without another scan`() async throws {
        try await withLab(device: Sample.deviceProperties()) { lab in
            await lab.fake.on("Connect", FakeBlueZ.connect)
            try await lab.central.withPeripheral(.ring, isInRange: true) { _ in }
            #expect(await lab.fake.calls == ["Connect", "Disconnect"])
        }
    }

    @Test func `none is heard: the result is empty after the limit`() async throws {
        try await withLab { lab in
            async let searched = lab.central.search(for: [.ring, .other], limit: .seconds(20))
            await lab.clock.pass(.seconds(20))
            let result = try await searched
            #expect(result.found.isEmpty && result.others.isEmpty)
        }
    }

    @Test func `a search for one lets BlueZ report that one alone at first, then all`() async throws {
        try await withLab { lab in
            let stranger = Sample.deviceProperties(.other, rssi: -50)
            await lab.fake.on("StartDiscovery", FakeBlueZ.agree) { fake, call in
                await FakeBlueZ.hear(Sample.otherDevice, stranger)(fake, call)
                try? await fake.add([Sample.device: ["org.bluez.Device1": Sample.deviceProperties(rssi: -60)]])
            }
            async let searched = lab.central.search(for: [.ring], limit: .seconds(20))
            await lab.clock.pass(Central.exclusiveSearch)
            let result = try await searched
            #expect(result.found == [.ring])
            #expect(result.others.keys.sorted() == [.other])
            #expect(await lab.fake.calls.filter { $0 == "StartDiscovery" }.count == 2)
        }
    }

    @Test func `what else is heard is bounded`() async throws {
        var objects: [ObjectPath: [String: FakeBlueZ.Properties]] = [:]
        for number in 0..<SearchResult.othersLimit + 20 {
            let digits = String(0x10000 + number, radix: 16, uppercase: true).suffix(4)
            let text = "C0:DE:00:01:\(digits.prefix(2)):\(digits.suffix(2))"
            objects[Sample.adapter.appending("dev_" + text.replacing(":", with: "_"))] = [
                "org.bluez.Device1": Sample.deviceProperties(.sample(text), rssi: -70)
            ]
        }
        try await withLab(objects: objects) { lab in
            // Heard after the devices that are already known.
            await lab.fake.on("StartDiscovery", FakeBlueZ.hear())
            let result = try await lab.central.search(for: [.ring, .other], limit: .seconds(20))
            #expect(result.found == [.ring])
            #expect(result.others.count == SearchResult.othersLimit)
        }
    }
}
