public import StepDomain

extension TextPage {
    /// Days with other steps than before, a line for each: of many the last ones, and how many there are before them.
    ///
    /// - Parameter line: adds a line as the view lays out its lines.
    mutating func changedDays(
        _ changes: [DayChange], line: (_ text: String, _ emphasis: StyledText.Emphasis?, inout TextPage) -> Void
    ) {
        func words(_ steps: Int?) -> String { steps.map(Words.grouped) ?? "nothing" }
        let listed = 8
        for change in changes.suffix(listed) {
            line("\(change.day)  \(words(change.before)) to \(words(change.after))", nil, &self)
        }
        if changes.count > listed { line("and \(changes.count - listed) before", .faint, &self) }
    }
}

/// A day with other steps than before.
extension DayChange: Described {
    public static let keys: [JSONKey<DayChange>] = [
        .init("day", .day, "The day.") { $0.day.description },
        .init("before", .nullable(.integer), "Its steps before; null if nothing was known of it.") { $0.before },
        .init("after", .nullable(.integer), "Its steps after; null if nothing is known of it.") { $0.after },
    ]
}
