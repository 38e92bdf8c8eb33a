import Foundation
import SimulatedBlueZ
import StepDomain
import Synchronization

@testable import Pedometers

/// A band that is worn for days, and all that its readings stored. Days count from 2026-05-20.
final class WornBand {
    let memory: BandMemory
    let band: SimulatedSerialBand
    private let model: any LinkedPedometerModel.Type
    private let now: Now
    private static let localTime = LocalTime.zone(BandFixture.zone)
    var cursor = PedometerCursor()
    var clock = ClockState()
    private(set) var samples: [StepSample] = []
    private(set) var coverage: [TimeSpan] = []

    private final class Now: Sendable {
        let moment = Mutex(BandFixture.now)
    }

    init(_ model: any LinkedPedometerModel.Type, seed: UInt64 = 5, _ make: (BandMemory) -> SimulatedSerialBand) {
        let now = Now()
        (self.model, self.now) = (model, now)
        memory = BandMemory(days: 30, seed: seed, zone: BandFixture.zone) {
            Date(timeIntervalSince1970: TimeInterval(now.moment.withLock { $0.seconds }))
        }
        band = make(memory)
    }

    static func moment(_ day: Int, _ hour: Int, _ minute: Int = 0) -> Timestamp {
        localTime.moment(BandFixture.today.advanced(by: day), seconds: hour * 3_600 + minute * 60)
    }

    /// Reads it.
    @discardableResult
    func sync(
        _ day: Int, _ hour: Int, _ minute: Int = 0, linkEndsAfter: Int = .max,
        _ tamper: @escaping BandFixture.Tamper = { $0 }
    ) throws -> SessionPlayer.Outcome {
        let at = Self.moment(day, hour, minute)
        now.moment.withLock { $0 = at }
        let outcome = try BandFixture.play(
            model, band, cursor: cursor, clock: clock, at: at, linkEndsAfter: linkEndsAfter, tamper)
        cursor = outcome.cursor ?? cursor
        outcome.report?.clockSet.map { clock.record($0, memory: 40 * 86_400) }
        samples += outcome.samples
        coverage += outcome.coverage
        return outcome
    }

    /// Stored steps of a day; nil if two samples overlap: then steps could count twice.
    func steps(_ day: Int) -> Int? {
        let sorted = samples.sorted { $0.start < $1.start }
        guard !zip(sorted, sorted.dropFirst()).contains(where: { $0.span.overlaps($1.span) }) else { return nil }
        return sorted.filter { $0.day == BandFixture.today.advanced(by: day) }.reduce(0) { $0 + $1.steps }
    }

    /// What its wearer walked.
    func truth(_ day: Int) -> Int { memory.steps(ofDay: BandFixture.today.advanced(by: day).daysSince1970) }

    func isComplete(_ day: Int) -> Bool {
        var all = SessionPlayer.Outcome()
        all.batches = [SampleBatch(coverage: coverage)]
        return all.covers(Self.localTime.span(of: BandFixture.today.advanced(by: day)))
    }
}
