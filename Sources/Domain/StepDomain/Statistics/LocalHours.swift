/// An hour as local clocks showed it. Mostly of 3600 seconds; shorter where a change of offset cuts it.
public struct LocalHour: Hashable, Sendable {
    public var span: TimeSpan
    /// 0...23.
    public var hour: Int

    public init(span: TimeSpan, hour: Int) {
        self.span = span
        self.hour = hour
    }
}

extension LocalTime {
    /// The hours of a day here, in order: 24 of them, 23 on the day when clocks go forward, 25 when they go back (one
    /// label then comes twice). Together they are the day's span.
    public func hours(of day: Day) -> [LocalHour] {
        let span = span(of: day)
        var hours: [LocalHour] = []
        var start = span.start
        while start < span.end {
            let offset = utcOffset(start)
            let wall = floorRemainder(start.seconds + offset, 86_400)
            var end = min(start + (3600 - wall % 3600), span.end)
            if utcOffset(end - 1) != offset { end = change(after: start, before: end) }
            hours.append(LocalHour(span: TimeSpan(start, end), hour: wall / 3600))
            start = end
        }
        return hours
    }

    /// The first moment in a span of less than an hour that has another offset than its start.
    private func change(after start: Timestamp, before end: Timestamp) -> Timestamp {
        let offset = utcOffset(start)
        var (low, high) = (start.seconds + 1, end.seconds - 1)
        while low < high {
            let middle = low + (high - low) / 2
            if utcOffset(Timestamp(middle)) == offset { low = middle + 1 } else { high = middle }
        }
        return Timestamp(low)
    }
}
