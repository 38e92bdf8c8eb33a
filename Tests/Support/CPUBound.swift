internal import Foundation
public import Testing

/// Runs tests that calculate for seconds on threads of their own, as many at a time as there are processors.
///
/// The threads of Swift's pool are as many as the processor's cores. A test that calculates on them without a
/// suspension keeps every other test from running: simulated pedometers do not answer, and the program under test
/// reports that they are out of range.
public struct CPUBound: TestTrait, SuiteTrait, TestScoping {
    public var isRecursive: Bool { true }

    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(WorkerThreads.shared) { try await function() }
    }
}

extension Trait where Self == CPUBound {
    /// For tests that calculate for longer than about half a second.
    public static var cpuBound: Self { Self() }
}

private final class WorkerThreads: TaskExecutor {
    static let shared = WorkerThreads()

    private let queue = OperationQueue()

    private init() { queue.maxConcurrentOperationCount = ProcessInfo.processInfo.activeProcessorCount }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.addOperation { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
