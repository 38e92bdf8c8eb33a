import Support
import Testing

@Suite(.timeLimit(.minutes(5))) struct CleaningUpTests {
    private struct Failed: Error {}

    @Test func `the cleanup follows a return and an error`() async throws {
        var order: [String] = []
        let result = try await cleaningUp({ order.append("cleanup") }, after: { () async throws(Failed) in 7 })
        #expect(result == 7 && order == ["cleanup"])
        await #expect(throws: Failed.self) {
            try await cleaningUp({ order.append("cleanup") }, after: { () async throws(Failed) in throw Failed() })
        }
        #expect(order == ["cleanup", "cleanup"])
    }

    @Test func `the cleanup for failures does not follow a return`() async throws {
        var count = 0
        #expect(try await cleaningUpOnFailure({ count += 1 }, after: { () async throws(Failed) in 7 }) == 7)
        #expect(count == 0)
        await #expect(throws: Failed.self) {
            try await cleaningUpOnFailure({ count += 1 }, after: { () async throws(Failed) in throw Failed() })
        }
        #expect(count == 1)
    }

    @Test func `the cleanup runs in a cancelled task`() async {
        let task = Task {
            var wasCleanedUp = false
            _ = try? await cleaningUp(
                { wasCleanedUp = Task.isCancelled }, after: { try await Task.sleep(for: .seconds(3600)) })
            return wasCleanedUp
        }
        task.cancel()
        #expect(await task.value)
    }

    @Test func `work that must finish is not cancelled with its task`() async {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await uncancelled { Task.isCancelled }
        }
        #expect(await task.value == false)
    }
}
