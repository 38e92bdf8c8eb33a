import Testing

@testable import HTTP

@Suite struct TransferTests {
    private func transfer(_ method: String, _ limits: HTTPLimits = HTTPLimits()) throws -> Transfer {
        Transfer(HTTPRequest(method: method, url: try WebAddress("https://a.example")), limits)
    }

    /// libcurl may try again by itself; the second time is allowed only where it does no harm.
    @Test func whatMustNotArriveTwiceDepartsOnce() throws {
        let post = try transfer("POST"), put = try transfer("PUT")
        #expect([post.depart(), post.depart()] == [true, false])
        #expect([put.depart(), put.depart(), put.depart()] == [true, true, true])
        #expect(post.departures == 2)
    }

    @Test func silenceIsCountedFromTheDepartureOn() throws {
        let waiting = try transfer("PUT", HTTPLimits(silence: .zero))
        #expect(waiting.patience == .max)
        _ = waiting.depart()
        #expect(waiting.patience == nil)
        let patient = try transfer("PUT", HTTPLimits(silence: .seconds(1000)))
        _ = patient.depart()
        #expect(900_000...1_000_000 ~= patient.patience ?? 0)
    }

    static let durations: [(Duration, Int64, String)] = [
        (.seconds(20), 20_000, "20 s"), (.milliseconds(150), 150, "150 ms"), (.nanoseconds(1), 1, "1 ms"), (.zero, 0, "0 s"),
    ]

    @Test(arguments: durations) func durationsAreRoundedUp(_ duration: Duration, _ milliseconds: Int64, _ words: String) {
        #expect(duration.milliseconds == milliseconds)
        #expect(duration.inSeconds == words)
    }
}
