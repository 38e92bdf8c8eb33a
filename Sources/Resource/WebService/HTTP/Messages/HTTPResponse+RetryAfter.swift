extension HTTPResponse {
    /// Seconds. A server cannot silence a destination for longer than a day.
    private static let longestWait = 86_400

    /// Seconds, 0...86400, that the server asks to wait before the next request (`Retry-After`: RFC 9110, section 10.2.3). A date counts
    /// from the answer's own `Date`, so that it does not matter whose clock is right. Nil where the server does not ask.
    public var retryAfter: Int? { wait(from: header("Date").flatMap(HTTPDate.seconds)) }

    /// As `retryAfter`; where the answer has no `Date`, a date counts from `now`, in seconds since 1970.
    public func retryAfter(now: Int) -> Int? { wait(from: header("Date").flatMap(HTTPDate.seconds) ?? now) }

    /// Seconds, 0...86400, from the answer's own `Date` until a moment, in seconds since 1970: for services that tell in a header of their own
    /// when to come back. Nil where the answer has no `Date`.
    public func wait(until moment: Int) -> Int? {
        header("Date").flatMap(HTTPDate.seconds).map { min(max(moment.subtractingReportingOverflow($0).partialValue, 0), Self.longestWait) }
    }

    private func wait(from now: Int?) -> Int? {
        guard let text = header("Retry-After") else { return nil }
        let seconds: Int
        if !text.isEmpty, text.utf8.allSatisfy(PercentEncoding.isDigit) {
            // More digits than a number can have are long enough in any case.
            seconds = Int(text) ?? .max
        } else if let date = HTTPDate.seconds(text), let now {
            seconds = date - now
        } else {
            return nil
        }
        return min(max(seconds, 0), HTTPResponse.longestWait)
    }
}
