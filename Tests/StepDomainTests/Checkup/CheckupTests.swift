import StepDomain
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct CheckupTests {
    private struct Broken: Error {}

    private func checkup(_ clock: any Clock<Duration> = ContinuousClock()) -> Checkup {
        Checkup(clock: clock) { error, check in Remark(.fault(.unforeseen), check.subject, "\(type(of: error))") }
    }

    private func check(_ key: String, needs: [String] = [], _ grade: Grade = .fine) -> Check {
        Check(key, .bluetooth, "the \(key)", needs: needs) { [Remark(grade, "the \(key)", "looked at")] }
    }

    @Test func eachIsToldInItsOrder() async throws {
        var begun: [String] = []
        var told: [Finding] = []
        let findings = try await checkup().run(
            [{ [self.check("a"), self.check("b", needs: ["a"])] }, { [self.check("c", .warning)] }],
            begin: { begun.append($0.key) }, tell: { told.append($0) })
        #expect(findings.map(\.check) == ["a", "b", "c"])
        #expect(findings.map(\.remark.grade) == [.fine, .fine, .warning])
        #expect(told == findings)
        #expect(begun == ["a", "b", "c"])
    }

    @Test func whatStandsOnAFaultIsNotLookedAt() async throws {
        var begun: [String] = []
        let findings = try await checkup().run(
            [{
                [
                    self.check("kernel", .fault(.unavailable)), self.check("adapter", needs: ["bus", "kernel"]),
                    self.check("scan", needs: ["adapter"]), self.check("disk"),
                ]
            }], begin: { begun.append($0.key) })
        #expect(findings.map(\.remark.grade) == [.fault(.unavailable), .skipped, .skipped, .fine])
        #expect(findings[2].remark.message.contains("the kernel"), "what failed first is named, not what stood on it")
        #expect(begun == ["kernel", "disk"])
    }

    @Test(arguments: [Grade.fine, .note, .warning, .skipped]) func whatIsNoFaultHoldsNothingUp(_ grade: Grade) async throws {
        let findings = try await checkup().run([{ [self.check("a", grade), self.check("b", needs: ["a"])] }])
        #expect(findings.map(\.remark.grade) == [grade, .fine])
    }

    @Test func whatIsThrownIsAFinding() async throws {
        let broken = Check("broken", .history, "history") { throw Broken() }
        let findings = try await checkup().run([{ [broken, self.check("next")] }])
        #expect(findings.map(\.remark.message) == ["Broken", "looked at"])
        #expect(findings[0].area == .history)
    }

    /// Its limit and its grace pass at once.
    @Test func whatHangsIsGivenUp() async throws {
        let gate = Gate()
        let hanging = Check("hanging", .history, "disk", limit: .seconds(7)) {
            await gate.wait()       // hears of no cancellation
            return []
        }
        let findings = try await checkup(HastyClock()).run([{ [hanging] }])
        #expect(findings.map(\.remark.grade) == [.fault(.temporary)])
        #expect(findings[0].remark.message.contains("7 seconds"))
        gate.open()
    }

    @Test func whatIsGivenUpIsCancelled() async throws {
        let patient = Check("patient", .history, "disk", limit: .seconds(7)) {
            // Ends by cancellation alone; what it says then is late.
            for await _ in AsyncStream<Void>.makeStream().stream {}
            return [Remark(.fine, "disk", "after all")]
        }
        let findings = try await checkup(OneShotClock()).run([{ [patient] }])
        #expect(findings.map(\.remark.grade) == [.fault(.temporary)])
    }

    @Test func interruptedItEndsWhenAllIsPutInOrder() async throws {
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let isInOrder = Mutex(false)
        let slow = Check("slow", .history, "disk") {
            begin.finish()
            for await _ in AsyncStream<Void>.makeStream().stream {}
            for _ in 0..<100 { await Task.yield() }     // the link is let go
            isInOrder.withLock { $0 = true }
            return []
        }
        let task = Task { try await checkup().run([{ [slow, self.check("next")] }]) }
        for await _ in begun {}
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(isInOrder.withLock { $0 })
    }
}

/// Its time passes at once.
private struct HastyClock: Clock {
    struct Instant: InstantProtocol {
        var offset: Duration
        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
    }

    var now: Instant { Instant(offset: .zero) }
    var minimumResolution: Duration { .zero }
    func sleep(until deadline: Instant, tolerance: Duration?) async throws {}
}

/// The first time passes at once, the next never.
private final class OneShotClock: Clock, Sendable {
    typealias Instant = HastyClock.Instant
    private let isSpent = Mutex(false)

    var now: Instant { Instant(offset: .zero) }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let isFirst = isSpent.withLock { isSpent in
            defer { isSpent = true }
            return !isSpent
        }
        if isFirst { return }
        for await _ in AsyncStream<Void>.makeStream().stream {}
        throw CancellationError()
    }
}

/// Holds whoever waits, cancelled or not, until it is opened.
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
