import Testing

@testable import BlueZ

@Suite(.timeLimit(.minutes(5))) struct MachineStateTests {
    typealias Radio = MachineState.Radio
    typealias Switch = MachineState.Switch

    static let cases: [(MachineState, String?, BluetoothError?)] = [
        (MachineState(hasKernelSupport: false), nil, .noKernelSupport),
        (MachineState(hasKernelSupport: false), "hci0", .noKernelSupport),
        (MachineState(), nil, .noAdapter(nil)),
        (MachineState(), "hci0", .noAdapter("hci0")),
        (MachineState(radios: [Radio(name: "hci0", isUp: true)]), nil, nil),
        (MachineState(radios: [Radio(name: "hci0", isUp: true)]), "hci1", .noAdapter("hci1")),
        (MachineState(radios: [Radio(name: "hci0", isUp: false)]), nil, .adapterDown("hci0")),
        (MachineState(radios: [Radio(name: "hci0", isUp: false), Radio(name: "hci1", isUp: true)]), nil, nil),
        (
            MachineState(radios: [Radio(name: "hci0", isUp: false), Radio(name: "hci1", isUp: true)]), "hci0",
            .adapterDown("hci0")
        ),
        (
            MachineState(
                radios: [Radio(name: "hci0", isUp: false)], switches: [Switch(name: "hci0", isSoftBlocked: true)]), nil,
            .adapterBlocked("hci0", hard: false)
        ),
        (
            MachineState(
                radios: [Radio(name: "hci0", isUp: false)],
                switches: [Switch(name: "hci0", isSoftBlocked: true, isHardBlocked: true)]), nil,
            .adapterBlocked("hci0", hard: true)
        ),
        // The switch of another adapter says nothing about this one.
        (
            MachineState(
                radios: [Radio(name: "hci0", isUp: false)], switches: [Switch(name: "hci1", isSoftBlocked: true)]), nil,
            .adapterDown("hci0")
        ),
        // A platform's switch removes the adapter completely.
        (
            MachineState(switches: [Switch(name: "tpacpi_bluetooth_sw", isHardBlocked: true)]), nil,
            .adapterBlocked("tpacpi_bluetooth_sw", hard: true)
        ),
        (MachineState(switches: [Switch(name: "tpacpi_bluetooth_sw")]), nil, .noAdapter(nil)),
    ]

    @Test(arguments: cases)
    func `the deepest reason is reported`(state: MachineState, adapter: String?, fault: BluetoothError?) {
        #expect(state.fault(adapter: adapter) == fault)
    }

    @Test func `an adapter that bluetoothd could switch on is not missing`() {
        #expect(MachineState(radios: [Radio(name: "hci0", isUp: false)]).missing(nil) == nil)
    }
}
