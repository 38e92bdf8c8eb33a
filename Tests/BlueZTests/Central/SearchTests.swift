import DBus
import TestSupport
import Testing

@testable import BlueZ

/// One search for several peripherals.
@Suite(.timeLimit(.minutes(5)))
struct SearchTests {
    @Test func `the scan ends when one of several wanted devices is heard`() async throws {
        try await withFixture { fixture in
            await fixture.fake.on("StartDiscovery", FakeBlueZ.hear())
            let result = try await fixture.central.search(for: [.ring, .other], limit: .seconds(20))
            #expect(result.found == [.ring])
            #expect(
                await fixture.fake.calls == [
                    "SetDiscoveryFilter", "StartDiscovery", "StopDiscovery", "SetDiscoveryFilter",
                ])
        }
    }

    @Test func `a device that was found is connected to without another scan`() async throws {
        try await withFixture(device: Sample.deviceProperties()) { fixture in
            await fixture.fake.on("Connect", FakeBlueZ.connect)
            try await fixture.central.withPeripheral(.ring, isInRange: true) { _ in }
            #expect(await fixture.fake.calls == ["Connect", "Disconnect"])
        }
    }

    @Test func `if no device is heard, the result is empty after the limit`() async throws {
        try await withFixture { fixture in
            async let searched = fixture.central.search(for: [.ring, .other], limit: .seconds(20))
            await fixture.clock.pass(.seconds(20))
            let result = try await searched
            #expect(result.found.isEmpty && result.others.isEmpty)
        }
    }

    /// The adapter may receive nothing at all.
    @Test func `a device that is connected was not heard`() async throws {
        let mouse = Sample.deviceProperties(.other, ["Connected": .boolean(true)])
        try await withFixture(objects: [Sample.otherDevice: ["org.bluez.Device1": mouse]]) { fixture in
            async let searched = fixture.central.search(for: [.ring, .other], limit: .seconds(20))
            let result = try await searched
            #expect(result.found == [.other])
        }
        try await withFixture(objects: [Sample.otherDevice: ["org.bluez.Device1": mouse]]) { fixture in
            async let searched = fixture.central.search(
                for: [.ring, .sample("C0:DE:00:00:00:09")], limit: .seconds(20))
            await fixture.clock.pass(.seconds(20))
            let result = try await searched
            #expect(result.found.isEmpty && result.others.isEmpty)
        }
    }

    @Test func `a search for one device first filters by its address, and later receives all devices`() async throws {
        try await withFixture { fixture in
            let stranger = Sample.deviceProperties(.other, rssi: -50)
            await fixture.fake.on("StartDiscovery", FakeBlueZ.agree) { fake, call in
                await FakeBlueZ.hear(Sample.otherDevice, stranger)(fake, call)
                try? await fake.add([Sample.device: ["org.bluez.Device1": Sample.deviceProperties(rssi: -60)]])
            }
            async let searched = fixture.central.search(for: [.ring], limit: .seconds(20))
            await fixture.clock.pass(Central.exclusiveSearch)
            let result = try await searched
            #expect(result.found == [.ring])
            #expect(result.others.keys.sorted() == [.other])
            #expect(await fixture.fake.calls.filter { $0 == "StartDiscovery" }.count == 2)
        }
    }

    @Test func `the number of other heard devices is limited`() async throws {
        var objects: [ObjectPath: [String: FakeBlueZ.Properties]] = [:]
        for number in 0..<SearchResult.othersLimit + 20 {
            let digits = String(0x10000 + number, radix: 16, uppercase: true).suffix(4)
            let text = "C0:DE:00:01:\(digits.prefix(2)):\(digits.suffix(2))"
            objects[Sample.adapter.appending("dev_" + text.replacing(":", with: "_"))] = [
                "org.bluez.Device1": Sample.deviceProperties(.sample(text), rssi: -70)
            ]
        }
        try await withFixture(objects: objects) { fixture in
            // Heard after the devices that are already known.
            await fixture.fake.on("StartDiscovery", FakeBlueZ.hear())
            let result = try await fixture.central.search(for: [.ring, .other], limit: .seconds(20))
            #expect(result.found == [.ring])
            #expect(result.others.count == SearchResult.othersLimit)
        }
    }
}
