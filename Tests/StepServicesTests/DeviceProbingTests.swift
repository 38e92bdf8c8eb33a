import StepDomain
import StepServices
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct DeviceProbingTests {
    private let nameless = ScannedDevice(address: "C0:DE:00:00:00:01", addressType: "random")
    private let named = ScannedDevice(
        address: "C0:DE:00:00:00:02", addressType: "random", name: "R02", kind: ScriptedCatalog.described,
        evidence: .name)
    private let band = ScannedDevice(
        address: "C0:DE:00:00:00:03", addressType: "random", kind: ScriptedCatalog.described, evidence: .advertisedData)

    @Test func `services determine the model, and a device that advertises its data is not connected`() async {
        let scanner = ScriptedPedometerScanner([], probed: [ScriptedCatalog.ring])
        let results = await DeviceProbing(scanner).probe([nameless, named, band], limit: 10)
        #expect(results.devices.map(\.kind?.key) == ["ring", "ring", "described"])
        #expect(results.devices.map(\.evidence) == [.services, .services, .advertisedData])
        // What indicates a pedometer first.
        #expect(scanner.log == ["probe C0:DE:00:00:00:02", "probe C0:DE:00:00:00:01"])
        #expect(results.probed == [nameless.address, named.address])
    }

    @Test func `services override a model guessed from the name, but not one from advertised data`() async {
        let kind = PedometerKind(key: "ring", title: "a ring", hasOwnServices: true)
        let fake = ScannedDevice(
            address: "C0:DE:00:00:00:04", addressType: "random", name: "R02_FAKE", kind: kind, evidence: .name)
        let advertised = ScannedDevice(
            address: "C0:DE:00:00:00:05", addressType: "random", kind: kind, evidence: .advertisedService)
        let results = await DeviceProbing(ScriptedPedometerScanner([])).probe([fake, advertised], limit: 10)
        #expect(
            results.devices.map(\.kind) == [nil, kind] && results.devices.map(\.evidence) == [nil, .advertisedService])
        #expect(results.refuted == [fake.address: kind] && results.probed.count == 2)
    }

    @Test func `services of no model change nothing, and no more devices than the limit are probed`() async {
        let scanner = ScriptedPedometerScanner([])
        let results = await DeviceProbing(scanner).probe([named, nameless], limit: 1)
        #expect(results.devices.map(\.kind?.key) == ["described", nil])
        #expect(scanner.log.count == 1)
    }

    @Test func `an interruption is not a failure of the device`() async {
        let scanner = ScriptedPedometerScanner([], isInterrupted: true)
        let results = await Task { await DeviceProbing(scanner).probe([named, nameless], limit: 10) }.value
        #expect(results.isInterrupted && results.failures.isEmpty && results.probed.isEmpty)
        #expect(scanner.log == ["probe \(named.address)"])
    }
}
