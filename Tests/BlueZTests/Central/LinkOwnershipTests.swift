import DBus
import Testing

@testable import BlueZ

@Suite(.timeLimit(.minutes(5))) struct LinkOwnershipTests {
    private func use(_ device: Properties, gatt: [ObjectPath: [String: Properties]] = Sample.gatt) throws
        -> LinkOwnership
    {
        var cache = ObjectCache()
        cache.setOwner(":1.1")
        cache.beginSnapshot()
        cache.finishSnapshot(gatt.merging([Sample.device: ["org.bluez.Device1": device]]) { a, _ in a })
        return LinkOwnership(of: try #require(cache.device(Sample.device)), in: cache)
    }

    private let connected: [String: DBusValue] = ["Connected": .boolean(true)]

    @Test func `a link that this program set up is its own`() throws {
        #expect(try use(Sample.deviceProperties()) == .own)
        #expect(try use(Sample.deviceProperties(.ring, ["Paired": .boolean(true)])) == .own)
    }

    @Test func `a link with subscriptions of another program is shared`() throws {
        for name in ["Notifying", "NotifyAcquired", "WriteAcquired"] {
            var gatt = Sample.gatt
            gatt[Sample.counter]?["org.bluez.GattCharacteristic1"]?[name] = .boolean(true)
            #expect(try use(Sample.deviceProperties(.ring, connected), gatt: gatt) == .shared)
        }
    }

    @Test func `a link to a device that connects by itself is shared, too`() throws {
        let more = connected.merging(["Trusted": .boolean(true)]) { a, _ in a }
        #expect(try use(Sample.deviceProperties(.ring, more)) == .shared)
    }

    @Test func `an unused link was left by a program that ended`() throws {
        #expect(try use(Sample.deviceProperties(.ring, connected)) == .own)
        let paired = connected.merging(["Paired": .boolean(true)]) { a, _ in a }
        #expect(try use(Sample.deviceProperties(.ring, paired)) == .own)
    }
}
