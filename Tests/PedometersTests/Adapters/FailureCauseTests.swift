import BlueZ
import Pedometers
import StepDomain
import Testing

@Suite(.timeLimit(.minutes(5))) struct FailureCauseTests {
    @Test(arguments: [
        (BluetoothError.peripheralNotFound("C0:DE:00:00:00:01", seconds: 20), FailureCause.outOfRange),
        (.adapterDown("hci0"), .machine),
        (.noAdapter(nil), .machine), (.adapterBlocked("hci0", hard: true), .machine), (.daemonNotRunning, .machine),
        (.noBus("x"), .machine),
        (.adapterStuck("hci0", reason: "x"), .machine), (.daemonSilent, .machine), (.adapterLost("hci0"), .machine),
        (.accessDenied("x"), .machine), (.cancelled, .interrupted), (.linkLost(during: "x"), .other),
        (.timedOut(operation: "x", seconds: 1), .other), (.busy("x"), .other),
    ])
    func `a Bluetooth error is assigned to its cause`(_ error: BluetoothError, _ cause: FailureCause) {
        #expect(FailureCause(error) == cause)
    }

    @Test func `the time of a search is shown as it was, by all errors`() {
        for error in [
            BluetoothError.peripheralNotFound("C0:DE", seconds: 1.5),
            PedometerError.nothingDiscovered("C0:DE", seconds: 1.5),
            PedometerError.notConnectable("C0:DE", seconds: 1.5, model: "watch", advice: "Wait."),
            PedometerError.addressMayHaveChanged("C0:DE", seconds: 1.5, name: "ring", to: "C0:DF"),
        ] as [any Error] {
            #expect("\(error)".hasPrefix("C0:DE was not heard within 1.5 s"), "\(error)")
        }
    }

    @Test func `other errors except cancellation have no known cause`() {
        #expect(FailureCause(PedometerError.refused("x")) == .other)
        #expect(FailureCause(CancellationError()) == .interrupted)
    }
}
