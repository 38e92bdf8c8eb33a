import BlueZ
import Testing

@Suite(.timeLimit(.minutes(5))) struct ScanFilterTests {
    let ring = Discovery(
        address: .ring, name: "R02_1234", services: ["180a", "6e40fff0-b5a3-f393-e0a9-e50e24dcca9e"],
        serviceData: ["fee0": [1]])

    @Test func `an empty filter finds everything`() {
        #expect(ScanFilter().matches(ring))
        #expect(ScanFilter().matches(Discovery(address: .ring)))
    }

    @Test func `a device matches if one service is in its list or service data`() {
        #expect(ScanFilter(services: ["180f", "180a"]).matches(ring))
        #expect(ScanFilter(services: ["fee0"]).matches(ring))
        #expect(!ScanFilter(services: ["180f"]).matches(ring))
    }

    @Test func `a name prefix counts byte for byte`() {
        #expect(ScanFilter(namePrefix: "R02").matches(ring))
        #expect(ScanFilter(namePrefix: "").matches(ring))
        #expect(!ScanFilter(namePrefix: "r02").matches(ring))
        #expect(!ScanFilter(namePrefix: "R02_12345").matches(ring))
        #expect(!ScanFilter(namePrefix: "R").matches(Discovery(address: .ring)))
        // The same letter, written as one scalar and as two.
        #expect(!ScanFilter(namePrefix: "\u{e9}").matches(Discovery(address: .ring, name: "e\u{301}")))
    }

    @Test func `a device matches only if all conditions hold`() {
        #expect(ScanFilter(services: ["180a"], namePrefix: "R02", address: .ring).matches(ring))
        #expect(!ScanFilter(services: ["180a"], namePrefix: "R02", address: .other).matches(ring))
        #expect(!ScanFilter(services: ["180f"], namePrefix: "R02", address: .ring).matches(ring))
        #expect(!ScanFilter(services: ["180a"], namePrefix: "R03", address: .ring).matches(ring))
    }
}
