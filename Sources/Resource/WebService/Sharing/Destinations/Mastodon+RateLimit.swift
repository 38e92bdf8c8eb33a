internal import HTTP
internal import StepDomain

/// When a server of Mastodon takes requests again (docs.joinmastodon.org/api/rate-limits).
enum RateLimit {
    /// Seconds from the answer on, by `X-RateLimit-Reset`; nil where the answer does not tell.
    static func wait(_ response: HTTPResponse) -> Int? {
        response.header("X-RateLimit-Reset").flatMap(moment).flatMap { response.wait(until: $0) }
    }

    /// Seconds since 1970 of a moment in UTC as Mastodon writes it, such as `2026-11-21T14:05:00.000000Z` (docs.joinmastodon.org/api/datetime-format).
    static func moment(_ text: String) -> Int? {
        guard text.utf8.count <= 40, text.hasSuffix("Z") else { return nil }
        let parts = text.dropLast().split(separator: "T", omittingEmptySubsequences: false)
        guard parts.count == 2, let day = Day(String(parts[0])) else { return nil }
        let clock = parts[1].prefix { $0 != "." }.split(separator: ":", omittingEmptySubsequences: false)
        let numbers = clock.compactMap { $0.utf8.count == 2 ? UInt8($0) : nil }.map(Int.init)
        guard clock.count == 3, numbers.count == 3, numbers[0] < 24, numbers[1] < 60, numbers[2] <= 60 else { return nil }
        return day.daysSince1970 * 86_400 + numbers[0] * 3600 + numbers[1] * 60 + numbers[2]
    }
}
