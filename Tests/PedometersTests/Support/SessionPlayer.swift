import StepDomain
import Testing

@testable import Pedometers

extension PedometerSession {
    /// For a machine whose clock is not set during the reading.
    mutating func next(after event: SessionEvent, at now: Timestamp) -> SessionAction {
        next(after: event, at: now, uptime: .seconds(now.seconds))
    }
}

/// Plays a pedometer against a session, without link or clock.
struct SessionPlayer {
    /// The value of a characteristic; nil if there is none.
    var read: (GATTAddress) -> [UInt8]? = { _ in nil }
    /// The notifications that a write causes; nil if it is refused.
    var write: ([UInt8], GATTAddress) -> [[UInt8]]? = { _, _ in [] }
    /// Whether a write cuts off the notifications that have not been received yet.
    var interrupts: ([UInt8]) -> Bool = { _ in false }
    /// The notifications of a pedometer that sends by itself, once it is subscribed to.
    var subscribe: (GATTAddress) -> [[UInt8]] = { _ in [] }
    /// The link is lost after this many received values.
    var linkEndsAfter = Int.max
    /// Seconds that pass with each received value.
    var secondsPerValue = 0
    /// Actions after which a session counts as endless.
    var limit = 200_000

    struct Outcome {
        var batches: [SampleBatch] = []
        var written: [[UInt8]] = []
        var report: SessionReport?
        var error: PedometerError?
        /// Seconds of silence.
        var waited = 0.0
        var isEndless = false
        var wasCut = false
        /// Values that the session has received.
        var received = 0

        var samples: [StepSample] { batches.flatMap(\.samples) }
        var steps: Int { samples.reduce(0) { $0 + $1.steps } }
        var coverage: [TimeSpan] { batches.flatMap(\.coverage) }
        var cursor: PedometerCursor? { batches.compactMap(\.cursor).last }
        var notices: [SyncNotice] { batches.flatMap(\.notices) + (report?.notices ?? []) }
    }

    func play(_ started: some PedometerSession, at start: Timestamp) -> Outcome {
        var session = started
        var (outcome, now, pending, received) = (Outcome(), start, [[UInt8]](), 0)
        /// The index in `pending` of the next value: removing from the front of 20,000 values would take longer than
        /// the session.
        var next = 0
        var event = SessionEvent.started
        func value(_ bytes: [UInt8]) -> SessionEvent {
            received += 1
            outcome.received = received
            now = now + secondsPerValue
            outcome.wasCut = received > linkEndsAfter
            return outcome.wasCut ? .linkLost : .value(bytes)
        }
        for _ in 0..<limit {
            switch session.next(after: event, at: now) {
            case .subscribe(let address):
                pending += subscribe(address)
                event = .done
            case .subscribeAll: event = .done
            case .write(let bytes, let address, _), .stream(let bytes, let address):
                outcome.written.append(bytes)
                if interrupts(bytes) { (pending, next) = ([], 0) }
                pending += write(bytes, address) ?? []
                event = .done
            case .writeIfPresent(let bytes, let address):
                let answer = write(bytes, address)
                if answer != nil { outcome.written.append(bytes) }
                pending += answer ?? []
                event = answer == nil ? .absent : .done
            case .read(let address):
                event = read(address).map(value) ?? .linkLost
            case .readIfPresent(let address):
                event = read(address).map(value) ?? .absent
            case .receive(let seconds):
                if next == pending.count {
                    (pending, next) = ([], 0)
                    outcome.waited += seconds
                    now = now + Int(seconds)
                    event = .silence
                } else {
                    event = value(pending[next])
                    next += 1
                }
            case .deliver(let batch, _):
                outcome.batches.append(batch)
                if outcome.wasCut { return outcome }
                event = .done
            case .finish(let report):
                outcome.report = report
                return outcome
            case .fail(let error):
                outcome.error = error
                return outcome
            }
        }
        outcome.isEndless = true
        return outcome
    }
}

extension Pedometer {
    /// One of a model, for a session.
    static func sample(_ model: any PedometerModel.Type, cursor: PedometerCursor = PedometerCursor()) -> Pedometer {
        Pedometer(
            id: 1, user: 1, model: model.key, address: "C0:DE:00:00:00:07", addressType: "random", name: "mine",
            options: model == Generic.self
                ? ["service": "fff0", "characteristic": "fff1", "format": "u32le", "counts": "today"] : [:],
            cursor: cursor)
    }
}
