import Dispatch
public import Testing

/// Runs tests that calculate for seconds on a thread of their own, one after another.
///
/// The threads of Swift's pool are as many as the processor's cores. A test that calculates on them without a suspension keeps every
/// other test from running: simulated pedometers do not answer, and the program under test reports that they are out of range.
public struct CPUBound: TestTrait, SuiteTrait, TestScoping {
    public var isRecursive: Bool { true }

    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(WorkerThread.shared) { try await function() }
    }
}

extension Trait where Self == CPUBound {
    /// For tests that calculate for longer than about half a second.
    public static var cpuBound: Self { Self() }
}

private final class WorkerThread: TaskExecutor {
    static let shared = WorkerThread()

    private let queue = DispatchQueue(label: "CPU-bound tests")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
