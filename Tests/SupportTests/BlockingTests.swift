import Dispatch
import Foundation
import Support
import Testing

@Suite(.timeLimit(.minutes(5))) struct BlockingTests {
    private struct Failed: Error {}

    /// On Swift's own threads, of which there is one for each processor, the task that ends the waits would never run.
    @Test func `blocking work does not prevent other tasks from running`() async throws {
        let count = 4 * ProcessInfo.processInfo.activeProcessorCount
        let gate = DispatchSemaphore(value: 0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<count { group.addTask { try await blocking { gate.wait() } } }
            group.addTask {
                for _ in 0..<count {
                    await Task.yield()
                    gate.signal()
                }
            }
            try await group.waitForAll()
        }
    }

    private final class Held: Sendable {}

    /// A program that ends after its last command has then closed its history.
    @Test func `objects held by the work are released before the result is returned`() async throws {
        for _ in 0..<2_000 {
            weak var held: Held?
            do {
                let object = Held()
                held = object
                try await blocking { withExtendedLifetime(object) {} }
            }
            #expect(held == nil)
            if held != nil { return }
        }
    }

    @Test func `the result or error of the work is passed to the caller`() async throws {
        #expect(try await blocking { 42 } == 42)
        await #expect(throws: Failed.self) { try await blocking { throw Failed() } }
    }
}
