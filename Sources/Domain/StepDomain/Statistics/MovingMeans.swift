extension DaySeries {
    /// The mean steps of the days up to each day of a range: of the known days that are over among the last `window`
    /// ones.
    ///
    /// - Returns: one value for each day between the first known day and today; nil where fewer than half of the days
    ///   of the window are known, since a mean of the rest could be far from that of all.
    public func means(over window: Int, to range: ClosedRange<Day>) -> [Double?] {
        guard let known, known.overlaps(range), window > 0 else { return [] }
        let wanted = range.clamped(to: known)
        let first = max(0, known.lowerBound.distance(to: wanted.lowerBound) - window + 1)
        let begin = known.lowerBound.distance(to: wanted.lowerBound),
            end = known.lowerBound.distance(to: wanted.upperBound)
        func settled(_ index: Int) -> Int? { days[index].isInProgress ? nil : days[index].steps }
        var means: [Double?] = [], sum = 0, count = 0
        for index in first...end {
            if let steps = settled(index) { (sum, count) = (sum + steps, count + 1) }
            if index - window >= first, let steps = settled(index - window) { (sum, count) = (sum - steps, count - 1) }
            if index >= begin { means.append(2 * count >= window ? Double(sum) / Double(count) : nil) }
        }
        return means
    }
}
