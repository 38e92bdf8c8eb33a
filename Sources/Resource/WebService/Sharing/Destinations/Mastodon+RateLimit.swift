internal import HTTP
internal import StepDomain

/// When a server of Mastodon takes requests again (docs.joinmastodon.org/api/rate-limits).
enum RateLimit {
    /// Seconds from the answer on, by `X-RateLimit-Reset`; nil where the answer does not tell.
    static func wait(_ response: HTTPResponse) -> Int? {
        response.header("X-RateLimit-Reset").flatMap(moment).flatMap { response.wait(until: $0) }
    }

    /// Seconds since 1970 of a moment as servers write it, such as `2026-11-21T14:05:00.000000Z`, or with an offset instead of the Z
    /// (docs.joinmastodon.org/api/datetime-format).
    static func moment(_ text: String) -> Int? {
        let form = /([0-9-]{10})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.[0-9]+)?(?:Z|([+-])([0-9]{2}):([0-9]{2}))/
        guard let match = text.prefix(40).wholeMatch(of: form) else { return nil }
        let (_, date, hour, minute, second, sign, offsetHours, offsetMinutes) = match.output
        guard let day = Day(String(date)), let hour = Int(hour), let minute = Int(minute), let second = Int(second), hour < 24, minute < 60,
            second <= 60
        else { return nil }
        let offset = (offsetHours.flatMap { Int($0) } ?? 0) * 3600 + (offsetMinutes.flatMap { Int($0) } ?? 0) * 60
        return day.daysSince1970 * 86_400 + hour * 3600 + minute * 60 + second - (sign == "-" ? -offset : offset)
    }
}
