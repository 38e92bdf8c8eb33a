import ArgumentParser
import StepDomain

/// A day as users write it: `2014-04-20`, `today`, `yesterday`, `-3`, `monday` (the last one, today not counted).
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

    /// The parser takes `-3` for an option. So that users need not write `-- -3` or `--from=-3`, such a word is joined to the option
    /// before it or moved behind a `--`, if the subcommand takes days.
    static func shielded(_ arguments: [String]) -> [String] {
        guard let command = arguments.first, let options = dayOptions[command], !arguments.contains("--") else { return arguments }
        var rest: [String] = []
        var days: [String] = []
        for word in arguments {
            if !isDaysAgo(word) {
                rest.append(word)
            } else if let option = rest.last, options.contains(option) {
                rest[rest.count - 1] = "\(option)=\(word)"
            } else {
                days.append(word)
            }
        }
        if days.isEmpty { return rest }
        // If the subcommand takes no day as an argument, the parser must report the words as they were typed.
        return commandsOfDays.contains(command) ? rest + ["--"] + days : arguments
    }

    /// Subcommands with options that take days.
    private static let dayOptions: [String: Set<String>] = [
        "show": [], "correct": [], "outbox": [], "history": ["--on", "--from", "--to"], "plan": ["--from"], "profile": ["--from"],
        "share": ["--from", "--to-day"], "report": ["--from", "--to"],
    ]
    /// Subcommands that take a day as an argument.
    private static let commandsOfDays: Set = ["show", "correct", "share", "outbox"]

    private static func isDaysAgo(_ word: String) -> Bool { word.count > 1 && word.hasPrefix("-") && Int(word.dropFirst()) != nil }
}
