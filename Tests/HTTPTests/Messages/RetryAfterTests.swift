import Testing

@testable import HTTP

@Suite(.timeLimit(.minutes(5))) struct RetryAfterTests {
    /// The examples of RFC 9110, section 5.6.7, and edge cases.
    static let dates: [(String, Int?)] = [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
        ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
        ("Sun Nov  6 08:49:37 1994", 784_111_777),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("Thu, 29 Feb 2024 23:59:60 GMT", 1_709_251_200),
        ("Fri, 01 Mar 2024 00:00:00 GMT", 1_709_251_200),
        ("Sat, 21 Nov 2026 12:00:00 GMT", 1_795_262_400),
        ("Saturday, 21-Nov-26 12:00:00 GMT", 1_795_262_400),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
        ("Sun, 06 Nov 1994 08:49:37 PST", nil),
        ("Sun, 06 Nov 1994 08:49 GMT", nil),
        ("Sun, 06 Nov 1994 24:00:00 GMT", nil),
        ("Sun, 06 nov 1994 08:00:00 GMT", nil),
        ("Sun, 00 Nov 1994 08:00:00 GMT", nil),
        ("Sun, 32 Nov 1994 08:00:00 GMT", nil),
        ("Sun, 06 Nov 99999 08:00:00 GMT", nil),
        ("Sun, 06 Nov 1994 -8:00:00 GMT", 784_108_800),
        ("", nil),
        ("tomorrow", nil),
        (String(repeating: "1 ", count: 100), nil),
    ]

    @Test(arguments: dates) func `HTTP dates are parsed`(_ text: String, _ seconds: Int?) {
        #expect(HTTPDate.seconds(text) == seconds)
    }

    /// Compared with an independent calculation of the calendar.
    @Test func `the dates of four hundred years are converted correctly`() {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        var expected = 0
        for year in 1970..<2370 {
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            for (month, days) in zip(months, [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]) {
                for day in [1, days] {
                    #expect(
                        HTTPDate.seconds("Xxx, \(day) \(month) \(year) 00:00:00 GMT") == expected + (day - 1) * 86_400)
                }
                expected += days * 86_400
            }
        }
    }

    static let waits: [(String?, String?, Int?)] = [
        (nil, nil, nil),
        ("0", nil, 0),
        ("120", nil, 120),
        ("86401", nil, 86_400),
        ("99999999999999999999999", nil, 86_400),
        ("-5", nil, nil),
        ("1.5", nil, nil),
        ("", nil, nil),
        ("soon", nil, nil),
        ("Sat, 21 Nov 2026 12:01:00 GMT", nil, nil),
        ("Sat, 21 Nov 2026 12:01:00 GMT", "Sat, 21 Nov 2026 12:00:00 GMT", 60),
        ("Sat, 21 Nov 2026 11:00:00 GMT", "Sat, 21 Nov 2026 12:00:00 GMT", 0),
        ("Fri, 31 Dec 9999 23:59:59 GMT", "Sat, 21 Nov 2026 12:00:00 GMT", 86_400),
    ]

    @Test(arguments: waits) func `the delay of Retry-After is limited to one day`(
        _ retry: String?, _ date: String?, _ seconds: Int?
    ) {
        let headers = [("Retry-After", retry), ("Date", date)].compactMap { pair in pair.1.map { (pair.0, $0) } }
        #expect(HTTPResponse(status: 429, headers: headers).retryAfter == seconds)
    }
}
