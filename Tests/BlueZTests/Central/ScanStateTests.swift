import DBus
import Testing

@testable import BlueZ

@Suite(.timeLimit(.minutes(5))) struct ScanStateTests {
    private func device(rssi: Int16? = nil, _ more: [String: DBusValue] = [:]) throws -> DeviceRecord {
        try #require(DeviceRecord(Sample.device, Sample.deviceProperties(rssi: rssi, more)))
    }

    private func state(_ filter: ScanFilter = ScanFilter()) -> ScanState { ScanState(filter: filter, adapter: "hci0") }

    @Test func `a device that BlueZ only has stored is not reported`() throws {
        var state = state()
        #expect(try state.take(.known(device())) == nil)
        // BlueZ added it from its store when the adapter came up.
        #expect(try state.take(.added(device())) == nil)
        #expect(try state.take(.changed(device(["Paired": .boolean(true)]), ["Paired"])) == nil)
    }

    @Test func `a device is reported once, and again only if its signal strength changes`() throws {
        var state = state()
        #expect(try state.take(.added(device(rssi: -60)))?.address == .ring)
        #expect(try state.take(.changed(device(rssi: -60), ["Alias"])) == nil)
        #expect(try state.take(.changed(device(rssi: -40), ["RSSI"]))?.rssi == -40)
    }

    @Test func `a device that another program's scan has heard is reported as in range`() throws {
        var state = state()
        #expect(try state.take(.known(device(rssi: -60))) != nil)
    }

    @Test func `new data shows presence like a signal strength`() throws {
        var state = state()
        #expect(try state.take(.changed(device(), ["ServiceData"])) != nil)
    }

    @Test func `a connected device does not advertise and is in range`() throws {
        var state = state()
        let found = try #require(try state.take(.known(device(["Connected": .boolean(true)]))))
        #expect(found.isConnected)
    }

    @Test func `a device that loses its signal strength is not reported again`() throws {
        var state = state()
        _ = try state.take(.added(device(rssi: -60)))
        #expect(try state.take(.changed(device(), [])) == nil)
    }

    @Test func `a device that does not match is not reported until it does`() throws {
        var state = state(ScanFilter(namePrefix: "R"))
        #expect(try state.take(.added(device(rssi: -60, ["Name": .string("Watch")]))) == nil)
        #expect(try state.take(.changed(device(rssi: -60, ["Name": .string("R02")]), ["Name"]))?.name == "R02")
    }

    @Test func `a device that disappeared and returned is reported again`() throws {
        var state = state()
        let event = try DeviceEvent.added(device(rssi: -60))
        #expect(state.take(event) != nil)
        #expect(state.take(.removed(Sample.device)) == nil)
        #expect(state.take(event) != nil)
    }

    @Test func `each of many devices is reported, and only a limited number is stored`() throws {
        var state = state()
        var reported = 0
        for number in 0..<3 * ScanState.limit {
            let path = try #require(ObjectPath("/org/bluez/hci0/dev_\(number)"))
            let record = try #require(DeviceRecord(path, Sample.deviceProperties(rssi: -60)))
            if state.take(.added(record)) != nil { reported += 1 }
            #expect(state.reported.count <= ScanState.limit)
        }
        #expect(reported == 3 * ScanState.limit)
    }

    private func device(_ more: [String: DBusValue]) throws -> DeviceRecord { try device(rssi: nil, more) }
}
