import StepDomain
import Testing

@testable import Pedometers

/// Plays a ring against a session, without link or clock: answers each request from a history by wall clock.
struct RingScript {
    /// Day since 1970, by the ring's clock, to slots and steps.
    var history: [Int: [(slot: Int, steps: Int)]] = [:]
    /// What the ring calls today.
    var today: Int
    var battery: UInt8? = 80
    /// Changes the packets of an answer, by command and time asked: faults.
    var mangle: (_ request: [UInt8], _ attempt: Int, _ answer: [[UInt8]]) -> [[UInt8]] = { _, _, answer in answer }

    struct Outcome {
        var batches: [SampleBatch] = []
        var requests: [[UInt8]] = []
        var report: SessionReport?
        var error: PedometerError?
        var samples: [StepSample] { batches.flatMap(\.samples) }
        var cursor: PedometerCursor? { batches.compactMap(\.cursor).last }
    }

    /// - Parameter most: deliveries after which the link is lost.
    func play(_ context: SessionContext, at now: Timestamp, dropAfter most: Int = .max) -> Outcome {
        var session: any PedometerSession = Colmi.session(context)
        var outcome = Outcome()
        var pending: [[UInt8]] = []
        var attempts: [[UInt8]: Int] = [:]
        var event = SessionEvent.started
        for _ in 0..<10_000 {
            switch session.next(after: event, at: now) {
            case .subscribe: event = .done
            case .write(let bytes, _, let response):
                #expect(!response)
                outcome.requests.append(bytes)
                attempts[bytes, default: 0] += 1
                pending += mangle(bytes, attempts[bytes] ?? 1, answer(bytes))
                event = .done
            case .receive: event = pending.isEmpty ? .silence : .value(pending.removeFirst())
            case .read: Issue.record("a ring is never read"); return outcome
            case .deliver(let batch, _):
                outcome.batches.append(batch)
                if outcome.batches.count >= most { return outcome }
                event = .done
            case .finish(let report): outcome.report = report; return outcome
            case .fail(let error): outcome.error = error; return outcome
            }
        }
        Issue.record("the session does not end")
        return outcome
    }

    func answer(_ request: [UInt8]) -> [[UInt8]] {
        switch request[0] {
        case 0x01: return [ColmiPacket(0x01).bytes]
        case 0x03: return battery.map { [ColmiPacket(0x03, [$0]).bytes] } ?? []
        case 0x43:
            let day = today - Int(request[1])
            guard let slots = history[day], !slots.isEmpty else { return [ColmiPacket(0x43, [0xff]).bytes] }
            let date = Day(daysSince1970: day).components
            let head = [date.year % 100, date.month, date.day].map { UInt8(($0 / 10) << 4 + $0 % 10) }
            return [ColmiPacket(0x43, [0xf0, UInt8(slots.count), 1]).bytes]
                + slots.enumerated().map { index, slot in
                    let steps = UInt16(slot.steps)
                    return ColmiPacket(
                        0x43, head + [UInt8(slot.slot), UInt8(index), UInt8(slots.count), 10, 0]
                            + [UInt8(steps & 0xff), UInt8(steps >> 8), 30, 0]
                    ).bytes
                }
        default: return []
        }
    }
}
