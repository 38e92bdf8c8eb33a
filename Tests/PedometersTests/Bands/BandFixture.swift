import BlueZ
import Foundation
import SimulatedBlueZ
import StepDomain
import Synchronization
import Testing

@testable import Pedometers

/// A simulated band and the session that reads it, without a bus.
struct BandFixture {
    static let zone = TimeZone(secondsFromGMT: 2 * 3_600)!
    /// 2026-05-20 15:40 in that zone.
    static let now = Timestamp(Day("2026-05-20")!.daysSince1970 * 86_400 + 13 * 3_600 + 2_400)
    static let today = Day("2026-05-20")!

    /// The walks of some days.
    static func memory(days: Int, at now: Timestamp = now) -> BandMemory {
        BandMemory(days: days, zone: zone) { Date(timeIntervalSince1970: TimeInterval(now.seconds)) }
    }

    /// Changes a notification, or drops it.
    typealias Tamper = @Sendable ([UInt8]) -> [UInt8]?

    static func play(
        _ model: any LinkedPedometerModel.Type, _ band: SimulatedSerialBand,
        cursor: PedometerCursor = PedometerCursor(),
        clock: ClockState = ClockState(), days: Int? = nil, at now: Timestamp = now, isProbe: Bool = false,
        linkEndsAfter: Int = .max,
        secondsPerValue: Int = 0, _ tamper: @escaping Tamper = { $0 }
    ) throws -> SessionPlayer.Outcome {
        let received = Mutex<[[UInt8]]>([])
        band.linkOpened(PeripheralLink { _, bytes in received.withLock { $0.append(bytes) } })
        defer { band.linkClosed() }
        func id(_ address: GATTAddress) -> CharacteristicID? {
            guard let service = AttributeUUID("\(address.service)"),
                let own = AttributeUUID("\(address.characteristic)")
            else { return nil }
            return CharacteristicID(service, own)
        }
        var player = SessionPlayer(
            read: { address in id(address).flatMap { try? band.read($0) } },
            write: { bytes, address in
                guard let id = id(address), (try? band.write(bytes, to: id)) != nil else { return nil }
                return received.withLock { received in
                    defer { received = [] }
                    return received.compactMap(tamper)
                }
            })
        player.interrupts = { band.behaviour.interrupted($0) != nil }
        (player.linkEndsAfter, player.secondsPerValue) = (linkEndsAfter, secondsPerValue)
        var pedometer = Pedometer.sample(model, cursor: cursor)
        pedometer.clock = clock
        let context = SessionContext(pedometer: pedometer, localTime: .zone(zone), days: days)
        return player.play(
            AnySession(session: isProbe ? try model.probe(context) : try model.session(context)), at: now)
    }
}

/// The player takes one type of session.
struct AnySession: PedometerSession {
    var session: any PedometerSession
    mutating func next(after event: SessionEvent, at now: Timestamp, uptime: Duration) -> SessionAction {
        session.next(after: event, at: now, uptime: uptime)
    }
}

func bytes(_ hex: String) -> [UInt8] {
    let digits = hex.filter { !$0.isWhitespace }
    return stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(digits.dropFirst($0).prefix(2), radix: 16) }
}

extension SessionPlayer.Outcome {
    var doubts: [StepDoubt] { notices.compactMap { if case .stepsInDoubt(let doubt) = $0 { doubt } else { nil } } }
    /// Steps of each start: the greatest.
    var slots: [Timestamp: Int] { Dictionary(samples.map { ($0.start, $0.steps) }, uniquingKeysWith: max) }
    /// Whether a day is covered without a gap, up to a time.
    func covers(_ span: TimeSpan) -> Bool {
        var from = span.start
        for part in coverage.sorted(by: { $0.start < $1.start }) where part.start <= from { from = max(from, part.end) }
        return from >= span.end
    }
}
