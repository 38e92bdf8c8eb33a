import StepDomain
import StepServices
import Testing

@Suite struct DeviceProbingTests {
    private let nameless = ScannedDevice(address: "C0:DE:00:00:00:01", addressType: "random")
    private let named = ScannedDevice(
        address: "C0:DE:00:00:00:02", addressType: "random", name: "R02", kind: ScriptedCatalog.described, evidence: .name)
    private let band = ScannedDevice(
        address: "C0:DE:00:00:00:03", addressType: "random", kind: ScriptedCatalog.described, evidence: .advertisedData)

    @Test func `services decide, and a device that advertises its data is not connected to`() async {
        let scanner = ScriptedPedometerScanner([], probed: [ScriptedCatalog.ring])
        let results = await DeviceProbing(scanner).probe([nameless, named, band], most: 10)
        #expect(results.devices.map(\.kind?.key) == ["ring", "ring", "described"])
        #expect(results.devices.map(\.evidence) == [.services, .services, .advertisedData])
        #expect(scanner.log == ["probe C0:DE:00:00:00:01", "probe C0:DE:00:00:00:02"])
    }

    @Test func `services that prove nothing leave what was known, and no more than the limit are connected to`() async {
        let scanner = ScriptedPedometerScanner([])
        let results = await DeviceProbing(scanner).probe([named, nameless], most: 1)
        #expect(results.devices.map(\.kind?.key) == ["described", nil])
        #expect(scanner.log.count == 1)
    }
}
