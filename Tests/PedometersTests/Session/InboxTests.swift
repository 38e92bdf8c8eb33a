import Testing

@testable import Pedometers

@Suite(.timeLimit(.minutes(5))) struct InboxTests {
    private struct Lost: Error, Equatable {}

    @Test func valuesComeOutInOrder() async throws {
        let inbox = Inbox()
        for byte in 0..<100 as Range<UInt8> { await inbox.put([byte]) }
        for byte in 0..<100 as Range<UInt8> { #expect(try await inbox.next(within: .seconds(60)) == [byte]) }
    }

    @Test func silenceIsNil() async throws {
        #expect(try await Inbox().next(within: .zero) == nil)
    }

    @Test func whatCameBeforeTheEndCanStillBeTaken() async throws {
        let inbox = Inbox()
        await inbox.put([1])
        await inbox.close(Lost())
        #expect(try await inbox.next(within: .seconds(60)) == [1])
        await #expect(throws: Lost()) { try await inbox.next(within: .seconds(60)) }
    }

    @Test func aWaiterIsWokenByAValueAndByTheEnd() async throws {
        let inbox = Inbox()
        async let first = inbox.next(within: .seconds(60))
        await inbox.put([7])
        #expect(try await first == [7])
        let second = Task { try await inbox.next(within: .seconds(60)) }
        await inbox.close(Lost())
        await #expect(throws: Lost()) { try await second.value }
    }

    @Test func cancellingEndsTheWait() async {
        let inbox = Inbox()
        let waiting = Task { try await inbox.next(within: .seconds(60)) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }
}
