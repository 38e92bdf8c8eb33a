import BlueZ
import StepDomain
import Testing

@testable import Pedometers

/// What the probe makes of the kernel's state, of a scan, and of the errors of a connection.
@Suite(.timeLimit(.minutes(5))) struct CheckupTests {
    @Test func `a model shows whether its pedometers keep only today's count, and whether they advertise their steps`()
    {
        let access = BluetoothAccess(now: { Timestamp(0) }, central: { throw CancellationError() })
        #expect(access.holdsTodayOnly(.sample(InfiniTime.self)) && !access.holdsTodayOnly(.sample(Colmi.self)))
        #expect(access.advertisesSteps(.sample(MiBand.self)) && !access.advertisesSteps(.sample(Colmi.self)))
        var unknown = Pedometer.sample(Colmi.self)
        unknown.model = "unknown"
        #expect(!access.holdsTodayOnly(unknown) && !access.advertisesSteps(unknown))
    }

    private let healthy = MachineState(
        radios: [.init(name: "hci0", address: DeviceAddress("00:1A:7D:DA:71:01"), isUp: true)],
        switches: [.init(name: "hci0")])

    // MARK: The kernel

    @Test func `a healthy machine has an adapter and no fault`() {
        let facts = RadioFacts(healthy, adapter: nil)
        #expect(facts == RadioFacts(adapters: [.init(name: "hci0", address: "00:1A:7D:DA:71:01")]))
    }

    @Test func `each radio fault is derived from the state of kernel, switches and adapters`() {
        func fault(_ state: MachineState, adapter: String? = nil) -> RadioFacts.Fault? {
            let facts = RadioFacts(state, adapter: adapter)
            #expect((facts.fault == nil) == (facts.problem == nil))
            if let problem = facts.problem { #expect(problem.category == .unavailable) }
            return facts.fault
        }
        #expect(fault(MachineState(hasKernelSupport: false)) == .noKernelSupport)
        #expect(fault(MachineState()) == .noAdapter)
        #expect(fault(healthy, adapter: "hci7") == .noAdapter)
        #expect(fault(MachineState(radios: [.init(name: "hci0", isUp: false)])) == .down)
        for isHard in [false, true] {
            let blocked = MachineState(
                radios: [.init(name: "hci0", isUp: false)],
                switches: [.init(name: "hci0", isSoftBlocked: !isHard, isHardBlocked: isHard)])
            #expect(fault(blocked) == .blocked)
            #expect(RadioFacts(blocked, adapter: nil).blockedSwitches == ["hci0"])
        }
        // A platform's own switch takes the adapter off its bus.
        #expect(fault(MachineState(switches: [.init(name: "tpacpi", isSoftBlocked: true)])) == .blocked)
    }

    // MARK: A scan

    private func discovery(_ last: UInt8, name: String? = nil, isPaired: Bool = false) throws -> Discovery {
        let digits = String(last, radix: 16, uppercase: true)
        let address = try #require(DeviceAddress("C0:DE:00:00:00:" + (digits.count < 2 ? "0" : "") + digits))
        return Discovery(address: address, name: name, rssi: -60, isPaired: isPaired)
    }

    @Test func `a scan is complete when all registered pedometers were heard`() throws {
        var scan = ProbeScan(["c0:de:00:00:00:01", "C0:DE:00:00:00:02", "no address"])
        scan.add(try discovery(1, isPaired: true))
        scan.add(try discovery(9))
        #expect(!scan.isComplete)
        scan.add(try discovery(2))
        #expect(scan.isComplete)
        #expect(scan.facts.count == 3)
        #expect(
            Set(scan.facts.pedometers.keys) == ["c0:de:00:00:00:01", "C0:DE:00:00:00:02"], "as the history writes them")
        #expect(scan.facts.pedometers["c0:de:00:00:00:01"]?.isPaired == true)
        #expect(!ProbeScan([]).isComplete, "without a pedometer it takes its whole time")
    }

    @Test func `the candidate is the recognised device with the lowest address, as last heard`() throws {
        var scan = ProbeScan([])
        scan.add(try discovery(1, name: "a lamp"))
        scan.add(try discovery(7, name: "R02_A1B2"))
        scan.add(try discovery(3, name: "R02_C3D4"))
        scan.add(try discovery(9, name: "R02_E5F6"))
        scan.add(try discovery(3, name: "R02_0000"))
        #expect(scan.facts.candidate?.address == "C0:DE:00:00:00:03" && scan.facts.candidate?.name == "R02_0000")
    }

    @Test func `a flood of devices is counted up to a limit`() throws {
        var scan = ProbeScan(["FF:FF:FF:FF:FF:FF"])
        for index in 0..<1_500 {
            let low = String(0x1_0000 + index, radix: 16).dropFirst()
            scan.add(Discovery(address: try #require(DeviceAddress("C0:DE:00:00:\(low.prefix(2)):\(low.suffix(2))"))))
        }
        #expect(scan.facts.count == 1_000)
        scan.add(Discovery(address: try #require(DeviceAddress("FF:FF:FF:FF:FF:FF"))))
        #expect(scan.isComplete, "a registered pedometer is not lost in the flood")
    }

    // MARK: Errors of a connection

    @Test(arguments: ConnectFailure.Reason.allCases) func `every reason of a failed connection has its cause`(
        _ reason: ConnectFailure.Reason
    ) {
        let error = PedometerContactError(
            BluetoothError.connectFailed("C0:DE:00:00:00:01", reason: ConnectFailure(reason)))
        let cause: PedometerContactError.ConnectCause =
            reason == .pairingBroken ? .pairingLost : reason == .busy ? .busy : .other
        #expect(error == .connectFailed(cause, reason: "\(ConnectFailure(reason))"))
    }

    @Test func `other errors are assigned to out of range, not paired, or the error itself`() {
        #expect(
            PedometerContactError(BluetoothError.peripheralNotFound("C0:DE:00:00:00:01", seconds: 3)) == .notInRange)
        #expect(PedometerContactError(BluetoothError.notPaired(doing: "reading")) == .notPaired)
        let wrong = PedometerError.wrongDevice(model: "ring", missing: "fff0")
        #expect(PedometerContactError(wrong) == .other(Problem(wrong)))
        #expect(Problem(wrong).category == .unavailable)
        #expect(PedometerContactError(CancellationError()) == .other(.interrupted))
    }
}
