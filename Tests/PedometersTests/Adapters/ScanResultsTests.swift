import BlueZ
import Pedometers
import Testing

@Suite(.timeLimit(.minutes(5))) struct ScanResultsTests {
    private func device(_ number: Int, rssi: Int, name: String? = nil) throws -> Discovery {
        let digits = (0..<5).map { String((number >> (8 * $0)) & 255 | 256, radix: 16).suffix(2) }
        let address = try #require(DeviceAddress("02:" + digits.reversed().joined(separator: ":").uppercased()))
        return Discovery(
            address: address, addressType: .random, name: name, rssi: rssi, services: [], manufacturerData: [:],
            serviceData: [:],
            isConnected: false, isPaired: false, adapter: "hci0")
    }

    @Test func `a scan of many devices keeps the strongest and the pedometers`() throws {
        let ring = try device(2, rssi: -101, name: "R02_1234")
        var results = ScanResults()
        results.add(ring)
        for number in 10..<20_000 {
            results.add(try device(number, rssi: -99 + number % 60))
            #expect(results.devices.count < 2 * ScanResults.limit)
        }
        results.cut()
        #expect(results.isTruncated && results.devices.count == ScanResults.limit)
        #expect(results.devices[ring.address] != nil)
        #expect(results.devices.values.filter { $0.address != ring.address }.allSatisfy { ($0.rssi ?? 0) > -50 })
        #expect(
            results.strongestFirst.map { $0.rssi ?? -128 }
                == results.strongestFirst.map { $0.rssi ?? -128 }.sorted(by: >))
    }

    @Test func `devices within the limit are all kept with their last signal strength`() throws {
        var results = ScanResults()
        for rssi in [-60, -50] { for number in 0..<ScanResults.limit { results.add(try device(number, rssi: rssi)) } }
        results.cut()
        #expect(!results.isTruncated && results.devices.count == ScanResults.limit)
        #expect(results.devices.values.allSatisfy { $0.rssi == -50 })
    }
}
