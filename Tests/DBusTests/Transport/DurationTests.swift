import Testing

@testable import DBus

@Suite(.timeLimit(.minutes(5))) struct DurationTests {
    @Test(arguments: [
        (Duration.zero, UInt64(0)), (.seconds(-1), 0), (.nanoseconds(1), 1), (.milliseconds(1500), 1_500_000_000),
        (.seconds(25), 25_000_000_000),
        (.seconds(Int64.max), UInt64(1) << 61),
    ])
    func `durations are converted to nanoseconds within limits`(_ duration: Duration, _ expected: UInt64) {
        #expect(duration.nanoseconds == expected)
    }
}
