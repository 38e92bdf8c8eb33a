import BlueZ
import StepDomain
import Testing

@testable import Pedometers

@Suite(.timeLimit(.minutes(5))) struct LookalikeTests {
    private let ring = Pedometer(
        id: 1, user: 1, model: Colmi.key, address: "C0:DE:00:00:00:01", addressType: "random", name: "my ring")

    private func discovery(
        _ last: Int, _ name: String?, type: AddressType = .random, data: [UInt16: [UInt8]] = [:], rssi: Int? = -60
    ) throws -> Discovery {
        Discovery(
            address: try #require(DeviceAddress("C0:DE:00:00:00:0\(last)")), addressType: type, name: name, rssi: rssi,
            manufacturerData: data)
    }

    private func found(
        _ others: [Discovery], remembered: Discovery? = nil, _ pedometer: Pedometer? = nil, registered: Set<String> = []
    ) -> String? {
        Lookalike.find(pedometer ?? ring, remembered: remembered, among: others, registered: registered)?.address
            .description
    }

    @Test func `look-alikes are compared with the advertised name, not with the user's name`() throws {
        let others = [try discovery(2, "R02_A1B2"), try discovery(3, "my ring")]
        #expect(found(others, remembered: try discovery(1, "R02_A1B2")) == "C0:DE:00:00:00:02")
        #expect(
            found(others) == "C0:DE:00:00:00:03", "where nothing is remembered, the stored name is the advertised one")
    }

    @Test func `devices with equal manufacturer data are look-alikes, devices without data are not`() throws {
        let data: [UInt16: [UInt8]] = [0xffff: [1, 2, 3]]
        let others = [try discovery(2, nil, data: data), try discovery(3, nil, data: [0xffff: [1, 2, 4]])]
        #expect(found(others, remembered: try discovery(1, nil, data: data)) == "C0:DE:00:00:00:02")
        #expect(found([try discovery(3, nil)], remembered: try discovery(1, "R02_A1B2")) == nil)
    }

    @Test func `a registered pedometer or one with a public address is not a look-alike`() throws {
        let remembered = try discovery(1, "InfiniTime")
        let other = try discovery(2, "InfiniTime")
        #expect(found([other], remembered: remembered) == "C0:DE:00:00:00:02")
        #expect(found([other], remembered: remembered, registered: ["C0:DE:00:00:00:02"]) == nil)
        #expect(found([try discovery(2, "InfiniTime", type: .publicAddress)], remembered: remembered) == nil)
        var fixed = ring
        fixed.addressType = "public"
        #expect(found([other], remembered: remembered, fixed) == nil)
    }

    @Test func `the look-alike with the strongest signal is chosen`() throws {
        let remembered = try discovery(1, "R02")
        let others = [
            try discovery(2, "R02", rssi: -80), try discovery(3, "R02", rssi: -40), try discovery(4, "R02", rssi: nil),
        ]
        #expect(found(others, remembered: remembered) == "C0:DE:00:00:00:03")
    }
}
