import StepDomain
import Testing

/// The diagnoses after an attempt to read a pedometer, for all ways in which it can end.
@Suite(.timeLimit(.minutes(5))) struct PedometerFactsTests {
    private static let address = "C0:DE:00:00:00:01"
    private let ring = Pedometer(id: 1, user: 1, model: "colmi", address: address, addressType: "random", name: "ring")

    private func facts(isDiscovered: Bool = true, isPaired: Bool = false, isConnected: Bool = false) -> PedometerFacts {
        PedometerFacts(
            pedometer: ring,
            discovered: isDiscovered
                ? DiscoveredDevice(address: Self.address, rssi: -60, isConnected: isConnected, isPaired: isPaired) : nil
        )
    }

    private func ring(_ diagnoses: PedometerDiagnosis...) -> [Diagnosis] { diagnoses.map { .pedometer("ring", $0) } }

    @Test func `a pedometer that answers is reported with its battery, its signal and an existing connection`() {
        #expect(facts().diagnoses(of: ReadReport(battery: 76)) == ring(.answers(battery: 76, rssi: -60)))
        #expect(
            facts(isDiscovered: false).diagnoses(of: ReadReport()) == ring(.answers(battery: nil, rssi: nil)),
            "a bonded one calls us alone")
        #expect(facts(isConnected: true).diagnoses(of: ReadReport()).last == ring(.alreadyConnected)[0])
        #expect(facts().diagnoses(of: ReadReport(battery: 14)).last == ring(.batteryLow(percent: 14))[0])
        #expect(
            facts(isConnected: true).diagnoses(of: ReadReport(battery: 14)).map(\.severity) == [.fine, .note, .warning])
    }

    @Test func `clock errors and undecodable packets are diagnoses, implausible samples are not`() {
        func further(_ notice: SyncNotice) -> [Diagnosis] {
            Array(facts().diagnoses(of: ReadReport(notices: [notice])).dropFirst())
        }
        #expect(further(.clockWasOff(seconds: -7200)) == ring(.clockOff(seconds: -7200)))
        #expect(further(.clockWasOff(seconds: nil)) == ring(.clockOff(seconds: nil)))
        #expect(further(.undecodable(frames: 2)) == ring(.undecodable(packets: 2)))
        #expect(further(.implausible(samples: 2)).isEmpty)
        #expect(ring(.clockOff(seconds: nil), .undecodable(packets: 1)).map(\.severity) == [.warning, .warning])
    }

    @Test func `a pedometer that is not in range is a temporary fault`() {
        let diagnosis = facts(isDiscovered: false).diagnosis(of: .notInRange)
        #expect([diagnosis] == ring(.notInRange(address: Self.address)) && diagnosis.severity == .fault(.temporary))
    }

    @Test func `lost and possibly lost pairings are distinguished`() {
        func diagnosis(_ error: PedometerContactError, isPaired: Bool) -> Diagnosis {
            facts(isPaired: isPaired).diagnosis(of: error)
        }
        let lost = diagnosis(.connectFailed(.pairingLost, reason: "keys"), isPaired: false)
        #expect(
            [lost] == ring(.pairingLost(address: Self.address, reason: "keys")) && lost.severity == .fault(.permission))
        #expect([diagnosis(.notPaired, isPaired: false)] == ring(.needsPairing))
        #expect(diagnosis(.notPaired, isPaired: false).severity == .fault(.permission))
        #expect([diagnosis(.notPaired, isPaired: true)] == ring(.pairingLost(address: Self.address, reason: nil)))
        let other = PedometerContactError.connectFailed(.other, reason: "cancelled")
        #expect(
            [diagnosis(other, isPaired: true)]
                == ring(.connectFailed(.maybeUnpaired(address: Self.address), reason: "cancelled")))
        #expect([diagnosis(other, isPaired: false)] == ring(.connectFailed(.unknown, reason: "cancelled")))
        let busy = PedometerContactError.connectFailed(.busy, reason: "busy")
        #expect(
            [diagnosis(busy, isPaired: true)] == ring(.connectFailed(.busy, reason: "busy")), "that is another program")
        #expect(diagnosis(busy, isPaired: true).severity == .fault(.temporary))
    }

    @Test func `any other error is reported as a failure of the pedometer`() {
        let problem = Problem.reported(.unavailable, message: "no service", advice: nil)
        #expect(facts().diagnosis(of: .other(problem)) == .failed(.pedometer("ring"), problem))
        #expect(facts().diagnosis(of: .other(Problem(CancellationError()))).severity == .fault(.temporary))
    }
}
