public import StepDomain

/// Dates as people type them: `2014-04-20`, `20140420`, `20.4.2014`, `20/4/2014`, `4/20/2014`, `20 April 2014`,
/// `Apr 20, 2014`. One that could be two days is refused.
public enum DateInput {
    public enum Problem: Error, Hashable, Sendable {
        case unknownForm
        /// Such as 31 April.
        case noSuchDay
        /// A day with the day of the month first, and with the month first.
        case ambiguous(Day, Day)
    }

    public static func day(_ text: String) throws(Problem) -> Day {
        let text = text.lowercased()
        if text.wholeMatch(of: /[0-9]{4}-[0-9][0-9]-[0-9][0-9]/) != nil { return try made(text) }
        if text.wholeMatch(of: /[0-9]{8}/) != nil {
            return try made("\(text.prefix(4))-\(text.dropFirst(4).prefix(2))-\(text.suffix(2))")
        }
        if let found = text.wholeMatch(of: /([0-9]{1,2})\. ?([0-9]{1,2})\. ?([0-9]{4})/) {
            return try day(found.1, month: found.2, year: found.3)
        }
        if let found = text.wholeMatch(of: /([0-9]{1,2})\/([0-9]{1,2})\/([0-9]{4})/) {
            return try either(found.1, found.2, year: found.3)
        }
        if let found = text.wholeMatch(of: /([0-9]{1,2})\.? ([a-z]{3,9})\.? ([0-9]{4})/) {
            return try day(found.1, month: number(ofMonth: found.2), year: found.3)
        }
        if let found = text.wholeMatch(of: /([a-z]{3,9})\.? ([0-9]{1,2}),? ([0-9]{4})/) {
            return try day(found.2, month: number(ofMonth: found.1), year: found.3)
        }
        throw .unknownForm
    }

    /// - Throws: `ambiguous` if both orders are days, and not the same.
    private static func either(_ first: Substring, _ second: Substring, year: Substring) throws(Problem) -> Day {
        let dayFirst = try? day(first, month: second, year: year)
        let monthFirst = try? day(second, month: first, year: year)
        guard let a = dayFirst ?? monthFirst, let b = monthFirst ?? dayFirst else { throw .noSuchDay }
        guard a == b else { throw .ambiguous(a, b) }
        return a
    }

    private static func day(_ day: Substring, month: Substring, year: Substring) throws(Problem) -> Day {
        let padded = [month, day].map { $0.count == 1 ? "0\($0)" : "\($0)" }
        return try made("\(year)-\(padded[0])-\(padded[1])")
    }

    private static func made(_ text: String) throws(Problem) -> Day {
        guard let day = Day(text) else { throw .noSuchDay }
        return day
    }

    /// - Parameter name: in English, whole or its first three letters.
    private static func number(ofMonth name: Substring) throws(Problem) -> Substring {
        guard
            let index = Words.months.firstIndex(where: { $0.lowercased() == name || $0.lowercased().prefix(3) == name })
        else { throw .unknownForm }
        return "\(index + 1)"[...]
    }
}
