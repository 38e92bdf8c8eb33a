public import StepDomain

/// Decodes the frames of a reading as the session of its model would if the pedometer answered in this way today.
///
/// What the session asks for must be what was asked for: only then are the frames its answers.
public struct FrameReplay: FrameDecoder {
    public init() {}

    /// Actions without a frame after which a session counts as endless.
    private static let maximumActions = 100_000

    public func decode(_ frames: [RawFrame], of pedometer: Pedometer, localTime: LocalTime) -> (
        batches: [SampleBatch], clock: ClockState.Setting?
    )? {
        guard let model = try? PedometerRegistry.model(pedometer.model) as? any LinkedPedometerModel.Type else {
            return nil
        }
        var tape = FrameTape(frames)
        var (batches, clock, current): ([SampleBatch], ClockState.Setting?, Pedometer) = ([], nil, pedometer)
        // After a lost link, another session has continued.
        while !tape.isAtEnd {
            let position = tape.position
            guard let session = try? model.session(SessionContext(pedometer: current, localTime: localTime)),
                let part = play(session, &tape), tape.position > position
            else { return nil }
            batches += part.batches
            clock = part.clock ?? clock
            current.cursor = part.batches.compactMap(\.cursor).last ?? current.cursor
        }
        return (batches, clock)
    }

    /// Plays one session until it ends or asks for something else than what comes next.
    private func play(_ started: any PedometerSession, _ tape: inout FrameTape) -> (
        batches: [SampleBatch], clock: ClockState.Setting?
    )? {
        var (session, batches, event) = (started, [SampleBatch](), SessionEvent.started)
        for _ in 0..<Self.maximumActions {
            switch Self.step(&session, after: event, tape) {
            case .deliver(let batch, _):
                batches.append(batch)
                event = .done
            case .finish(let report): return (batches, report.clockSet)
            case .fail: return (batches, nil)
            case let action:
                if let next = tape.event(after: action) {
                    event = next
                    continue
                }
                // The link was lost here.
                let last = session.next(after: .linkLost, at: tape.now, uptime: tape.uptime)
                if case .deliver(let batch, _) = last { batches.append(batch) }
                return (batches, nil)
            }
        }
        return nil
    }

    /// The next action of a session. A request can have the time in it: it was made between two frames.
    private static func step(
        _ session: inout any PedometerSession, after event: SessionEvent, _ tape: FrameTape
    ) -> SessionAction {
        let before = session
        var action = session.next(after: event, at: tape.now, uptime: tape.uptime)
        for moment in tape.later where !tape.fits(action) {
            session = before
            action = session.next(after: event, at: moment, uptime: tape.uptime)
        }
        return action
    }
}

/// Frames that answer what a session does.
struct FrameTape {
    private let frames: [RawFrame]
    private(set) var position = 0
    /// Seconds of silence.
    private var waited = Duration.zero

    init(_ frames: [RawFrame]) { self.frames = frames }

    var isAtEnd: Bool { position == frames.count }
    /// When the last frame was sent or received; before the first one, when that was.
    var now: Timestamp { frames.isEmpty ? Timestamp(0) : frames[max(0, position - 1)].at }
    /// The same on a clock that is never set, and on which waiting takes its time.
    var uptime: Duration { .seconds(max(0, frames.isEmpty ? 0 : now - frames[0].at)) + waited }

    /// The times after `now` at which the next frame can have been decided.
    var later: [Timestamp] {
        isAtEnd || frames[position].at <= now ? [] : [frames[position].at, frames[position].at - 1]
    }

    /// Whether an action is not a request, or is the next one.
    func fits(_ action: SessionAction) -> Bool {
        var copy = self
        return copy.event(after: action) != nil
    }

    /// What a session learns of an action; nil if something else has happened then.
    mutating func event(after action: SessionAction) -> SessionEvent? {
        switch action {
        case .subscribe, .subscribeAll: return .done
        case .write(let bytes, _, _): return takeSent(bytes) ? .done : nil
        case .writeIfPresent(let bytes, _): return takeSent(bytes) ? .done : .absent
        case .stream(let bytes, _):
            for start in stride(from: 0, to: bytes.count, by: RawFrame.longest) {
                let part = Array(bytes[start..<min(start + RawFrame.longest, bytes.count)])
                guard takeSent(part) else { return nil }
            }
            return .done
        case .read: return takeReceived().map(SessionEvent.value)
        case .readIfPresent: return takeReceived().map(SessionEvent.value) ?? .absent
        case .receive(let seconds):
            if let value = takeReceived() { return .value(value) }
            waited += .seconds(seconds)
            return .silence
        case .deliver, .finish, .fail: return .done
        }
    }

    private mutating func takeReceived() -> [UInt8]? {
        guard !isAtEnd, frames[position].direction == .received else { return nil }
        defer { position += 1 }
        return frames[position].bytes
    }

    /// - Returns: whether the next frame is this request.
    private mutating func takeSent(_ bytes: [UInt8]) -> Bool {
        guard !isAtEnd, frames[position].direction == .sent, frames[position].bytes == bytes else {
            return false
        }
        position += 1
        return true
    }
}
