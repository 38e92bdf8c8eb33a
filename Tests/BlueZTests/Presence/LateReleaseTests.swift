import BlueZ
import DBus
import Testing

/// BlueZ answers that a registration of monitors has ended, and releases its monitors after that.
@Suite(.timeLimit(.minutes(5)))
struct LateReleaseTests {
    /// The last registration.
    private actor Registration {
        private(set) var owner = ""
        private(set) var root: ObjectPath = "/"

        func take(_ call: DBusMethodCall) {
            owner = call.message.sender ?? ""
            root = call.message.body.first?.pathValue ?? "/"
        }
    }

    @Test func `a late release of old monitors does not affect the new ones`() async throws {
        let manager: FakeBlueZ.Properties = ["SupportedMonitorTypes": .strings(["or_patterns"])]
        let adapter = [
            "org.bluez.Adapter1": Sample.adapterProperties(), "org.bluez.AdvertisementMonitorManager1": manager,
        ]
        try await withFixture(objects: [Sample.adapter: adapter]) { fixture in
            let first = Registration()
            await fixture.fake.on("UnregisterMonitor", FakeBlueZ.agree)
            await fixture.fake.on(
                "RegisterMonitor",
                { _, call in
                    await first.take(call)
                    await call.reply()
                },
                { fake, call in
                    let late = await first.root.appending("monitor0")
                    await #expect(throws: DBusError.self) {
                        try await fake.bus.call(await first.owner, late, "org.bluez.AdvertisementMonitor1", "Release")
                    }
                    await call.reply()
                })
            let presence = PresenceMonitor(fixture.central)
            var events = presence.events.makeAsyncIterator()
            await presence.watch(for: [.ring])
            #expect(await events.next() == .listening(.monitor))
            await presence.watch(for: [.other])
            #expect(await events.next() == .listening(.monitor))
            await presence.close()
            #expect(await events.next() == nil)
            #expect(
                await fixture.fake.calls == [
                    "RegisterMonitor", "UnregisterMonitor", "RegisterMonitor", "UnregisterMonitor",
                ])
        }
    }
}
