import StepDomain
import Testing

@Suite(.timeLimit(.minutes(5))) struct TimestampTests {
    @Test(arguments: [
        (0, 0, "1970-01-01T00:00:00+00:00"), (1_397_971_800, 7200, "2014-04-20T07:30:00+02:00"),
        (-1, 0, "1969-12-31T23:59:59+00:00"), (0, -12_600, "1969-12-31T20:30:00-03:30"),
        (0, 20_700, "1970-01-01T05:45:00+05:45"),
    ])
    func `a timestamp is formatted as ISO 8601 with its UTC offset`(seconds: Int, offset: Int, text: String) {
        #expect(Timestamp(seconds).iso8601(utcOffset: offset) == text)
    }

    @Test func `a time span excludes its end`() {
        let span = TimeSpan(Timestamp(10), Timestamp(20))
        #expect(span.contains(Timestamp(10)) && !span.contains(Timestamp(20)))
        #expect(!span.overlaps(TimeSpan(Timestamp(20), Timestamp(30))))
        #expect(span.intersection(TimeSpan(Timestamp(15), Timestamp(30))) == TimeSpan(Timestamp(15), Timestamp(20)))
        #expect(TimeSpan(Timestamp(20), Timestamp(10)).isEmpty)
    }
}
