import Testing

@testable import HTTP

@Suite(.timeLimit(.minutes(5))) struct TransferTests {
    private func transfer(_ method: String, _ limits: HTTPLimits = HTTPLimits()) throws -> Transfer {
        Transfer(HTTPRequest(method: method, url: try WebAddress("https://a.example")), limits)
    }

    /// libcurl may retry by itself; the second attempt is allowed only if it does no harm.
    @Test func `only a repeatable request may be sent a second time`() throws {
        let post = try transfer("POST"), put = try transfer("PUT")
        #expect([post.shouldSend(), post.shouldSend()] == [true, false])
        #expect([put.shouldSend(), put.shouldSend(), put.shouldSend()] == [true, true, true])
        #expect(post.sendCount == 2)
    }

    @Test func `the limit for silence starts when the request is sent`() throws {
        let waiting = try transfer("PUT", HTTPLimits(silence: .zero))
        #expect(waiting.timeUntilSilence == .max)
        _ = waiting.shouldSend()
        #expect(waiting.timeUntilSilence == nil)
        let patient = try transfer("PUT", HTTPLimits(silence: .seconds(1000)))
        _ = patient.shouldSend()
        #expect(900_000...1_000_000 ~= patient.timeUntilSilence ?? 0)
    }

    static let durations: [(Duration, Int64, String)] = [
        (.seconds(20), 20_000, "20 s"), (.milliseconds(150), 150, "150 ms"), (.nanoseconds(1), 1, "1 ms"),
        (.zero, 0, "0 s"),
    ]

    @Test(arguments: durations) func `durations are rounded up to milliseconds`(
        _ duration: Duration, _ milliseconds: Int64, _ words: String
    ) {
        #expect(duration.milliseconds == milliseconds)
        #expect(duration.inSeconds == words)
    }
}
