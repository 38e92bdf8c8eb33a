import DBus
import Testing

@testable import BlueZ

@Suite(.timeLimit(.minutes(5))) struct DiscoveryControlTests {
    /// Takes all pending steps, as if BlueZ had executed them.
    private func settle(_ control: inout DiscoveryControl) -> [DiscoveryControl.Step] {
        var steps: [DiscoveryControl.Step] = []
        while let step = control.next, steps.count < 10 {
            steps.append(step)
            control.didTake(step)
        }
        return steps
    }

    private let any = DiscoveryFilter([ScanFilter()], isShared: false)

    @Test func `a scan sets the filter, starts, stops and resets the filter`() {
        var control = DiscoveryControl()
        #expect(control.next == nil)
        control.join(1, ScanFilter(), isShared: false)
        #expect(settle(&control) == [.setFilter(any), .start])
        control.leave(1)
        #expect(settle(&control) == [.stop, .clearFilter])
    }

    @Test func `two scans share one discovery`() {
        var control = DiscoveryControl()
        control.join(1, ScanFilter(services: ["180a"]), isShared: false)
        _ = settle(&control)
        control.join(2, ScanFilter(services: ["180f"]), isShared: true)
        let both = DiscoveryFilter([ScanFilter(services: ["180a", "180f"])], isShared: false)
        #expect(settle(&control) == [.setFilter(both)])
        control.leave(1)
        #expect(settle(&control) == [.setFilter(DiscoveryFilter([ScanFilter(services: ["180f"])], isShared: false))])
        control.leave(2)
        #expect(settle(&control) == [.stop, .clearFilter])
    }

    @Test func `discovery pauses during connection attempts`() {
        var control = DiscoveryControl()
        control.join(1, ScanFilter(), isShared: false)
        _ = settle(&control)
        control.hold()
        control.hold()
        #expect(settle(&control) == [.stop])
        control.release()
        #expect(settle(&control) == [])
        control.release()
        #expect(settle(&control) == [.start])
    }

    @Test func `a failed start ends the scans and leaves no filter behind`() {
        var control = DiscoveryControl()
        control.join(1, ScanFilter(), isShared: false)
        control.join(2, ScanFilter(), isShared: false)
        control.didTake(.setFilter(any))
        #expect(control.didFail(.start) == [1, 2])
        #expect(settle(&control) == [.clearFilter])
    }

    @Test func `a failed stop counts as stopped`() {
        var control = DiscoveryControl()
        control.join(1, ScanFilter(), isShared: false)
        _ = settle(&control)
        control.leave(1)
        #expect(control.didFail(.stop) == [])
        #expect(control.didFail(.clearFilter) == [])
        #expect(control.next == nil)
    }
}

struct DiscoveryFilterTests {
    private func properties(_ scans: [ScanFilter], isShared: Bool = false) -> [String: DBusValue]? {
        DiscoveryFilter(scans, isShared: isShared).value.propertiesValue
    }

    @Test func `the discovery filter is for Low Energy only`() {
        #expect(properties([ScanFilter()]) == ["Transport": .string("le")])
    }

    @Test func `the discovery filter contains the services in full form`() throws {
        let services = try #require(properties([ScanFilter(services: ["180f", "180a"])])?["UUIDs"]?.arrayValue)
        #expect(
            services.compactMap(\.stringValue) == [
                "0000180a-0000-1000-8000-00805f9b34fb", "0000180f-0000-1000-8000-00805f9b34fb",
            ])
    }

    @Test func `the discovery filter contains a name or an address`() {
        #expect(properties([ScanFilter(namePrefix: "R02")])?["Pattern"] == .string("R02"))
        #expect(properties([ScanFilter(namePrefix: "R02", address: .ring)])?["Pattern"] == .string("C0:DE:00:00:00:01"))
        #expect(properties([ScanFilter(namePrefix: "")])?["Pattern"] == nil)
    }

    @Test func `a pattern is not used where it would hide devices from others`() {
        #expect(properties([ScanFilter(namePrefix: "R02")], isShared: true) == ["Transport": .string("le")])
        #expect(
            properties([ScanFilter(namePrefix: "R02"), ScanFilter(namePrefix: "B")]) == ["Transport": .string("le")])
    }

    @Test func `a scan with services and one without share a filter that passes every device`() {
        #expect(properties([ScanFilter(services: ["180f"]), ScanFilter()]) == ["Transport": .string("le")])
    }
}
