import BlueZ
import Foundation
import SimulatedBlueZ
import StepDomain
import TestSupport

@testable import Pedometers

/// A watch, the machine that reads it, and the time of both.
final class WornWatch {
    private let time: TestTime
    let watch: SimulatedInfiniTime
    var cursor = PedometerCursor()
    var samples: [StepSample] = []
    private var clock = ClockState()
    private let zone = TimeZone(secondsFromGMT: 3_600)!

    init(_ day: String = "2026-05-20", hour: Int = 9, firmware: SimulatedInfiniTime.Firmware? = .v15) {
        time = TestTime(Timestamp(Day(day)!.daysSince1970 * 86_400 + hour * 3_600 - 3_600))
        watch = SimulatedInfiniTime(firmware: firmware, seed: nil, zone: zone, now: time.date)
    }

    var now: Timestamp { time.now }

    func pass(_ seconds: Int) { time.pass(seconds) }

    /// To the next time of day, local.
    func pass(to hour: Int, _ minute: Int = 0) {
        let second = (now.seconds + 3_600) % 86_400
        pass((hour * 3_600 + minute * 60 - second + 86_400) % 86_400)
    }

    @discardableResult
    func sync(setsClock: Bool = true) -> SessionPlayer.Outcome {
        var pedometer = Pedometer.sample(InfiniTime.self, cursor: cursor)
        pedometer.clock = clock
        let session = InfiniTimeSession(
            SessionContext(pedometer: pedometer, localTime: .zone(zone)), setsClock: setsClock)
        let player = SessionPlayer(
            read: { [watch] in try? watch.read(CharacteristicID($0)) },
            write: { [watch] bytes, address in
                do {
                    try watch.write(bytes, to: CharacteristicID(address))
                    return []
                } catch { return nil }
            },
            subscribe: { [watch] address in
                try? watch.subscriptionChanged(CharacteristicID(address), subscribed: true)
                return [[1, 0, 0, 0, 0, 4], [2, 0, 0, 0, 0, 4], [3, 0, 0, 0, 0, 4]]
            })
        defer { watch.linkClosed() }
        let outcome = player.play(session, at: now)
        cursor = outcome.cursor ?? cursor
        if let setting = outcome.report?.clockSet { clock.record(setting, memory: 86_400) }
        samples += outcome.samples.filter(\.isPlausible)
        return outcome
    }

    /// All steps that were counted.
    var counted: Int { samples.reduce(0) { $0 + $1.steps } }

    func steps(on day: String) -> Int { samples.filter { $0.day == Day(day)! }.reduce(0) { $0 + $1.steps } }
}

extension CharacteristicID {
    init(_ address: GATTAddress) {
        self.init(
            AttributeUUID(address.service.description) ?? "0000",
            AttributeUUID(address.characteristic.description) ?? "0000")
    }
}
