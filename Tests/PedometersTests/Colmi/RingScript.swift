import StepDomain
import Testing

@testable import Pedometers

/// Plays a ring against a session, without link or clock: answers each request from a history by wall clock.
struct RingScript {
    /// Day since 1970, by the ring's clock, to slots and steps.
    var history: [Int: [(slot: Int, steps: Int)]] = [:]
    /// The current day by the ring's clock.
    var today: Int
    var battery: UInt8? = 80
    /// Injects faults: changes the packets of an answer, by request and attempt.
    var mangle: (_ request: [UInt8], _ attempt: Int, _ answer: [[UInt8]]) -> [[UInt8]] = { _, _, answer in answer }

    /// Seconds that pass between a request and its answer.
    var delay: (_ request: [UInt8], _ attempt: Int) -> Int = { _, _ in 0 }

    struct Outcome {
        var batches: [SampleBatch] = []
        var requests: [[UInt8]] = []
        var report: SessionReport?
        var error: PedometerError?
        /// Seconds of silence.
        var waited = 0.0
        var wasCut = false
        var progress: [ReadProgress] = []
        /// For each delivery, whether the session goes on while it is being stored.
        var readsOn: [Bool] = []
        var samples: [StepSample] { batches.flatMap(\.samples) }
        var notices: [SyncNotice] { batches.flatMap(\.notices) + (report?.notices ?? []) }
        var coverage: [TimeSpan] { batches.flatMap(\.coverage) }
        /// The number of days ago in each request for steps.
        var daysAsked: [Int] { requests.filter { $0[0] == 0x43 }.map { Int($0[1]) } }
        var cursor: PedometerCursor? { batches.compactMap(\.cursor).last }
    }

    /// - Parameters:
    ///   - most: deliveries after which the program is killed.
    ///   - packets: the link is lost after this many packets.
    func play(
        _ context: SessionContext, at now: Timestamp, dropAfter most: Int = .max, linkEndsAfter packets: Int = .max
    ) -> Outcome {
        var (received, now) = (0, now)
        var session: any PedometerSession = Colmi.session(context)
        var outcome = Outcome()
        var pending: [[UInt8]] = []
        var attempts: [[UInt8]: Int] = [:]
        var event = SessionEvent.started
        for _ in 0..<10_000 {
            switch session.next(after: event, at: now) {
            case .subscribe, .subscribeAll: event = .done
            case .write(let bytes, _, let response):
                #expect(!response)
                #expect(
                    bytes[0] != 0x01 || outcome.readsOn.last != true, "the clock is not set while a day is being stored"
                )
                outcome.requests.append(bytes)
                attempts[bytes, default: 0] += 1
                pending += mangle(bytes, attempts[bytes] ?? 1, answer(bytes))
                now = now + delay(bytes, attempts[bytes] ?? 1)
                event = .done
            case .receive(let seconds):
                if pending.isEmpty { outcome.waited += seconds }
                received += pending.isEmpty ? 0 : 1
                outcome.wasCut = received > packets
                event = outcome.wasCut ? .linkLost : pending.isEmpty ? .silence : .value(pending.removeFirst())
            case .read, .readIfPresent, .stream, .writeIfPresent: Issue.record("a ring is never read"); return outcome
            case .deliver(let batch, let progress):
                outcome.batches.append(batch)
                outcome.progress.append(progress)
                outcome.readsOn.append(session.readsOn)
                if outcome.batches.count >= most || outcome.wasCut { return outcome }
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
        case 0x48:
            let steps = (history[today] ?? []).reduce(0) { $0 + $1.steps }
            let sums = [steps, 0, steps / 25, steps * 7 / 10]
            return [ColmiPacket(0x48, sums.flatMap { [UInt8].big($0, 3) }).bytes]
        case 0x43:
            let day = today - Int(request[1])
            guard let slots = history[day], !slots.isEmpty else { return [ColmiPacket(0x43, [0xff]).bytes] }
            let date = Day(daysSince1970: day).components
            let head = [date.year % 100, date.month, date.day].map { UInt8(($0 / 10) << 4 + $0 % 10) }
            return [ColmiPacket(0x43, [0xf0, UInt8(slots.count), 1]).bytes]
                + slots.enumerated().map { index, slot in
                    let steps = UInt16(slot.steps)
                    return ColmiPacket(
                        0x43,
                        head + [UInt8(slot.slot), UInt8(index), UInt8(slots.count), 10, 0]
                            + [UInt8(steps & 0xff), UInt8(steps >> 8), 30, 0]
                    ).bytes
                }
        default: return []
        }
    }
}
