import BlueZ
import DBus
import Foundation
import Pedometers
import SimulatedBlueZ
import StepDomain
import TestSupport
import Testing

/// A hundred sequences of transient faults, each during a reading over a real D-Bus. What fails at first succeeds by
/// itself or with the next reading, nothing wrong is stored, and no link is left.
///
/// Waits for an answer that never comes are a tenth as long. On a slow machine an answer may come too late for that: it
/// is one more fault, after which the reading goes on, and the rates leave room for it.
@Suite(.timeLimit(.minutes(5))) struct FaultSequenceTests {
    private static let now = Timestamp(Day("2026-05-20")!.daysSince1970 * 86_400 + 13 * 3600 + 2400)
    private static let days = 2

    private struct Outcome {
        let seed: UInt64
        let readings: [Result<Void, any Error>]
        let problems: [String]

        var isComplete: Bool { readings.contains { (try? $0.get()) != nil } }
        var isCompleteAtOnce: Bool { readings.count == 1 && isComplete }
        var comment: Comment {
            "seed \(seed): \(readings.compactMap { if case .failure(let error) = $0 { error } else { nil } })"
        }
    }

    /// Reads at most twice.
    private static func play(_ seed: UInt64) async throws -> Outcome {
        let ring = SimulatedColmi(clock: .local(.gmt), now: { Date(timeIntervalSince1970: TimeInterval(now.seconds)) })
        let clock = ScaledClock.faster(10)
        var timing = Timing.immediate
        (timing.clock, timing.advertising, timing.connectTimeout) = (clock, .seconds(1), .seconds(20))
        let stack = try await SimulatedBlueZ.start(peripherals: [ring], timing: timing)
        let expected = (0..<days).flatMap { ring.expectedSteps(daysAgo: $0) }
        let sequence = FaultSequence(seed: seed, packets: 2 + expected.count + days)
        let strikes = Task { try? await stack.strike(sequence, at: ring.address) }
        let access = BluetoothAccess(
            days: days, localTime: .fixed(0), now: { now }, clock: clock,
            central: { try await Central.open(.address(stack.address), clock: clock) })
        let receiver = RecordingReceiver()
        var readings: [Result<Void, any Error>] = []
        while readings.count < 2, readings.last.map({ (try? $0.get()) == nil }) ?? true {
            // As a sync does: the first reading may have lost the adapter.
            await Central.waitForAdapter(nil, clock: clock) {
                try await Central.open(.address(stack.address), clock: clock)
            }
            let pedometer = Pedometer(
                id: 1, user: 1, model: Colmi.key, address: ring.address, addressType: "random", name: "ring",
                cursor: receiver.cursor)
            do {
                try await access.read(pedometer, into: receiver)
                readings.append(.success(()))
            } catch {
                readings.append(.failure(error))
            }
        }
        strikes.cancel()
        await strikes.value
        var problems: [String] = []
        let snapshot = await stack.snapshot
        if !snapshot.connected.isEmpty || !snapshot.discovering.isEmpty || snapshot.subscriptions > 0 {
            problems.append("\(snapshot)")
        }
        let truth = Dictionary(expected.map { ($0.start.seconds, $0.steps) }, uniquingKeysWith: max)
        for (start, steps) in receiver.steps where truth[start.seconds] != steps {
            problems.append("\(start): \(steps) steps")
        }
        let outcome = Outcome(seed: seed, readings: readings, problems: problems)
        if outcome.isComplete {
            let missing = truth.values.reduce(0, +) - receiver.steps.values.reduce(0, +)
            if missing != 0 { problems.append("\(missing) steps are missing") }
        }
        await stack.stop()
        return Outcome(seed: seed, readings: readings, problems: problems)
    }

    @Test func `transient faults are survived, and leave no link and no wrong step`() async throws {
        var outcomes: [Outcome] = []
        try await withThrowingTaskGroup(of: Outcome.self) { group in
            var seeds = (UInt64(1)...100).makeIterator()
            for _ in 1...8 { if let seed = seeds.next() { group.addTask { try await Self.play(seed) } } }
            while let outcome = try await group.next() {
                outcomes.append(outcome)
                if let seed = seeds.next() { group.addTask { try await Self.play(seed) } }
            }
        }
        for outcome in outcomes { #expect(outcome.problems == [], outcome.comment) }
        let (first, second) = (outcomes.count { $0.isCompleteAtOnce }, outcomes.count { $0.isComplete })
        let failed = outcomes.filter { !$0.isCompleteAtOnce }.map(\.comment.rawValue).joined(separator: "\n")
        #expect(first >= 85, "\(first) of 100 first readings\n\(failed)")
        #expect(second >= 97, "\(second) of 100 after a second reading\n\(failed)")
    }

    @Test func `a seed stands for one sequence, and the sequences differ`() {
        let all = (UInt64(1)...300).map { FaultSequence(seed: $0, packets: 100).strikes }
        #expect(all == (UInt64(1)...300).map { FaultSequence(seed: $0, packets: 100).strikes })
        #expect(Set(all.map(\.count)) == [0, 1, 2, 3, 4])
        #expect(Set(all).count > 150)
    }
}
