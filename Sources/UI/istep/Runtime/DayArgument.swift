import ArgumentParser
import StepDomain

/// A day as people name it: `2014-04-20`, `today`, `yesterday`, `-3`, `monday` (the last one, today not counted).
struct DayArgument: ExpressibleByArgument, Hashable {
    enum Named: Hashable {
        case date(Day)
        case daysAgo(Int)
        case last(Weekday)
    }

    let named: Named

    /// - Parameter text: in any case; weekdays in English, whole or the first three letters.
    init?(argument text: String) {
        let word = text.lowercased()
        if let day = Day(word) {
            named = .date(day)
        } else if word == "today" {
            named = .daysAgo(0)
        } else if word == "yesterday" {
            named = .daysAgo(1)
        } else if word.hasPrefix("-"), let days = Int(word.dropFirst()), (0...36_600).contains(days) {
            named = .daysAgo(days)
        } else if let weekday = Weekday(word: word) {
            named = .last(weekday)
        } else {
            return nil
        }
    }

    init(_ named: Named) { self.named = named }

    func day(today: Day) -> Day {
        switch named {
        case .date(let day): return day
        case .daysAgo(let days): return today.advanced(by: -days)
        case .last(let weekday):
            let back = (today.weekday.rawValue - weekday.rawValue + 7) % 7
            return today.advanced(by: back == 0 ? -7 : -back)
        }
    }

    var defaultValueDescription: String { "today" }

    /// The parser takes `-3` for an option. So that people need not write `-- -3` or `--from=-3`, such a word is moved behind
    /// a `--`, or tied to its `--from`, where the subcommand is one that takes days.
    static func shielded(_ arguments: [String]) -> [String] {
        guard !arguments.contains("--"), let index = arguments.firstIndex(where: isDaysAgo) else { return arguments }
        var rest = arguments
        let day = rest.remove(at: index)
        switch arguments.first {
        case "show":
            return rest + ["--", day]
        case "plan", "profile":
            guard arguments[index - 1] == "--from" else { return arguments }
            rest[index - 1] = "--from=\(day)"
            return rest
        default:
            return arguments
        }
    }

    private static func isDaysAgo(_ word: String) -> Bool { word.count > 1 && word.hasPrefix("-") && Int(word.dropFirst()) != nil }
}
