public import StepDomain
internal import Support

/// Decodes the stored frames of syncs again, after a fault of a decoder was corrected.
public struct Replaying: Sendable {
    private let history: EditableHistory
    private let decoder: any FrameDecoder
    private let change: GuardedChange

    public init(_ history: EditableHistory, _ decoder: any FrameDecoder, _ change: GuardedChange) {
        (self.history, self.decoder, self.change) = (history, decoder, change)
    }

    public struct Outcome: Sendable {
        public var changes: [ReplayChanges]
        /// Nil if nothing had to be stored.
        public var backup: String?
    }

    /// What would change.
    ///
    /// - Throws: the history's error.
    public func preview(_ pedometers: [Pedometer]) async throws -> [ReplayChanges] {
        try await blocking { try history.replace(decoded(pedometers), at: change.now(), isPreview: true) }
    }

    /// - Throws: the lock's error while a sync runs; the history's error.
    public func store(_ pedometers: [Pedometer]) async throws -> Outcome {
        let (changes, backup) = try await change { () -> (replays: [PedometerReplay], preview: [ReplayChanges]) in
            let replays = try decoded(pedometers)
            return (replays, try history.replace(replays, at: change.now(), isPreview: true))
        } unneeded: {
            $0.preview.allSatisfy { $0.samples == 0 } ? $0.preview : nil
        } store: { found in
            let changed = zip(found.replays, found.preview).filter { $1.samples > 0 }.map(\.0)
            let stored = try history.replace(changed, at: change.now(), isPreview: false)
            return found.preview.map { same in
                stored.first { $0.replay.pedometer.id == same.replay.pedometer.id } ?? same
            }
        }
        return Outcome(changes: changes, backup: backup)
    }

    private func decoded(_ pedometers: [Pedometer]) throws -> [PedometerReplay] {
        try pedometers.map { pedometer in
            var replay = ReplayedPedometer(pedometer, decoder, change.localTime)
            try history.readings(of: pedometer.id) { replay.add($0) }
            return replay.result
        }
    }
}

/// Decodes the readings of one pedometer in their order: each begins with the cursor and the clock that the one before
/// has left.
struct ReplayedPedometer {
    private(set) var result: PedometerReplay
    private var current: Pedometer
    private let decoder: any FrameDecoder
    private let localTime: LocalTime
    /// Whether the readings so far leave the cursor that there was.
    private var isCertain = true

    init(_ pedometer: Pedometer, _ decoder: any FrameDecoder, _ localTime: LocalTime) {
        result = PedometerReplay(pedometer: pedometer)
        current = pedometer
        (current.cursor, current.clock) = (PedometerCursor(), ClockState())
        (self.decoder, self.localTime) = (decoder, localTime)
    }

    mutating func add(_ reading: StoredReading) {
        let stored = reading.sync.counts
        guard !reading.frames.isEmpty else {
            // A search that found nothing leaves the cursor as it was.
            if stored.frames > 0 || stored.added + stored.grown > 0 {
                result.withoutFrames += 1
                skip(reading.sync)
            }
            return
        }
        guard isCertain, let decoded = decoder.decode(reading.frames, of: current, localTime: localTime) else {
            result.kept += 1
            return skip(reading.sync)
        }
        result.readings.append(
            ReplayedReading(
                sync: reading.sync.id, batches: decoded.batches, localTime: current.clock.localTime(localTime)))
        current.cursor = decoded.batches.compactMap(\.cursor).last ?? current.cursor
        if let setting = decoded.clock { current.clock.record(setting, memory: SyncRecorder.clockMemory) }
    }

    /// What a reading that is not decoded has left: of a counter that is not known, and so no later difference is.
    /// Slots were read up to its time.
    private mutating func skip(_ sync: SyncRecord) {
        if current.cursor.counter != nil || current.cursor.undecided != nil { isCertain = false }
        guard sync.outcome == .complete else { return }
        current.cursor.readThrough = sync.start
        current.cursor.tail = nil
    }
}
