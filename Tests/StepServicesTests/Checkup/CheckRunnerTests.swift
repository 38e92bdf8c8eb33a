import StepDomain
import StepServices
import Synchronization
import TestSupport
import Testing

/// The order of checks, the consequences of a fault, and the limits. The diagnoses are examples of their severities.
@Suite(.timeLimit(.minutes(5))) struct CheckRunnerTests {
    private struct Broken: Error {}

    private static let fine = Diagnosis.noDestination
    private static let note = Diagnosis.noSystemd
    private static let warning = Diagnosis.time(.clockNotSynchronised(Timestamp(0)))
    private static let skipped = Diagnosis.scan(.notRequested)
    private static let fault = Diagnosis.bluetooth(.busUnreachable(reason: "none"))

    private func check(_ key: CheckKey, needs: [CheckKey] = [], _ diagnosis: Diagnosis = fine) -> Check {
        Check(key, .kernel, needs: needs) { _ in [diagnosis] }
    }

    @Test func `each finding is reported in its order`() async throws {
        var begun: [CheckKey] = []
        var reported: [Finding] = []
        let findings = try await CheckRunner().run(
            [
                { _ in [self.check(.bus), self.check(.adapter, needs: [.bus])] },
                { _ in [self.check(.clock, Self.warning)] },
            ],
            begin: { begun.append($0.key) }, report: { reported.append($0) })
        #expect(findings.map(\.check) == [.bus, .adapter, .clock])
        #expect(findings.map(\.diagnosis) == [Self.fine, Self.fine, Self.warning])
        #expect(reported == findings)
        #expect(begun == [.bus, .adapter, .clock])
    }

    @Test func `a check that depends on a fault is skipped, with what failed first`() async throws {
        var begun: [CheckKey] = []
        let findings = try await CheckRunner().run(
            [
                { _ in
                    [
                        self.check(.bus, Self.fault), self.check(.adapter, needs: [.kernel, .bus]),
                        self.check(.scan, needs: [.adapter]), self.check(.space),
                    ]
                }
            ], begin: { begun.append($0.key) })
        let skipped = Diagnosis.skipped(.kernel, dependsOn: .bus)
        #expect(findings.map(\.diagnosis) == [Self.fault, skipped, skipped, Self.fine])
        #expect(begun == [.bus, .space])
    }

    @Test(arguments: [fine, note, warning, skipped]) func `only a fault prevents dependent checks`(
        _ diagnosis: Diagnosis
    ) async throws {
        let findings = try await CheckRunner().run([
            { _ in [self.check(.bus, diagnosis), self.check(.adapter, needs: [.bus])] }
        ])
        #expect(findings.map(\.diagnosis) == [diagnosis, Self.fine])
    }

    @Test func `an error that a check throws is a finding`() async throws {
        let broken = Check(.history, .history) { _ in throw Broken() }
        let findings = try await CheckRunner().run([{ _ in [broken, self.check(.permissions)] }])
        #expect(findings.map(\.diagnosis) == [.failed(.history, .unforeseen("Broken()")), Self.fine])
        #expect(findings[0].area == .history && findings[0].diagnosis.severity == .fault(.unforeseen))
    }

    /// The limit and the grace period pass at once.
    @Test func `a check that hangs is given up`() async throws {
        let gate = Gate()
        let hanging = Check(.history, .disk, limit: .seconds(7)) { _ in
            await gate.wait()  // ignores cancellation
            return []
        }
        let findings = try await CheckRunner(clock: SkippingClock(TestTime(Timestamp(0)))).run([{ _ in [hanging] }])
        #expect(findings.map(\.diagnosis) == [.unanswered(.disk, seconds: 7)])
        gate.open()
    }

    /// The limit passes at once, the grace period never.
    @Test func `a check that is given up is cancelled`() async throws {
        let slow = Check(.history, .disk, limit: .seconds(7)) { _ in
            // Ends only by cancellation; its result is then late.
            for await _ in AsyncStream<Void>.makeStream().stream {}
            return [Self.fine]
        }
        let findings = try await CheckRunner(clock: SkippingClock(TestTime(Timestamp(0)), sleeps: 1)).run([
            { _ in [slow] }
        ])
        #expect(findings.map(\.diagnosis) == [.unanswered(.disk, seconds: 7)])
    }

    @Test func `a cancelled run waits until the check has cleaned up`() async throws {
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let isClean = Mutex(false)
        let slow = Check(.history, .disk) { _ in
            begin.finish()
            for await _ in AsyncStream<Void>.makeStream().stream {}
            for _ in 0..<100 { await Task.yield() }  // the link is released
            isClean.withLock { $0 = true }
            return []
        }
        // However long it takes: the grace period does not pass.
        let task = Task {
            try await CheckRunner(clock: ManualClock()).run([{ _ in [slow, self.check(.permissions)] }])
        }
        for await _ in begun {}
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(isClean.withLock { $0 })
    }
}

/// Blocks the caller, cancelled or not, until it is opened.
private final class Gate: Sendable {
    private let state = Mutex<(isOpen: Bool, waiting: CheckedContinuation<Void, Never>?)>((false, nil))

    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting = continuation }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    func open() {
        state.withLock { state in
            state.isOpen = true
            defer { state.waiting = nil }
            return state.waiting
        }?.resume()
    }
}
