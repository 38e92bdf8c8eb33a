import ArgumentParser
import StepDomain
import StepViews

/// The days that a result is about.
struct DayRangeOptions: ParsableArguments {
    static let names: Set = ["--from", "--to"]

    @Option(
        help: ArgumentHelp("The first day; the first known one if none is given.", valueName: "day"),
        completion: .list(DayArgument.words), transform: DayArgument.init(word:))
    var from: DayArgument?

    @Option(
        help: ArgumentHelp("The last day; today if none is given.", valueName: "day"),
        completion: .list(DayArgument.words), transform: DayArgument.init(word:))
    var to: DayArgument?

    var isEmpty: Bool { from == nil && to == nil }

    func days(today: Day) -> (first: Day?, last: Day?) { (from?.day(today: today), to?.day(today: today)) }
}

/// A day as users write it: `2014-04-20`, `today`, `yesterday`, `tomorrow`, `-3`, `monday` (the last one, today not
/// counted).
struct DayArgument: Hashable {
    enum Named: Hashable {
        case date(Day)
        case daysAgo(Int)
        case last(Weekday)
    }

    let named: Named

    /// As a user writes it.
    var word: String {
        switch named {
        case .date(let day): "\(day)"
        case .daysAgo(0): "today"
        case .daysAgo(1): "yesterday"
        case .daysAgo(-1): "tomorrow"
        case .daysAgo(let days): "-\(days)"
        case .last(let weekday): weekday.name
        }
    }

    /// The words that a shell completes.
    static let words = ["today", "yesterday"] + Weekday.allCases.map(\.name)

    /// - Parameter word: in any case; weekdays in English, whole or the first three letters.
    /// - Throws: `ValidationError`, which says why this is not a day, and how one is written.
    init(word typed: String) throws {
        let word = typed.lowercased()
        if word == "today" {
            named = .daysAgo(0)
        } else if word == "yesterday" {
            named = .daysAgo(1)
        } else if word == "tomorrow" {
            named = .daysAgo(-1)
        } else if Self.isDaysAgo(word), let days = Int(word.dropFirst()) {
            guard (0...Self.maximumDaysAgo).contains(days) else {
                throw ValidationError("it counts back more than \(Self.maximumDaysAgo) days; write it like 2014-04-20")
            }
            named = .daysAgo(days)
        } else if let weekday = Weekday(word: word) {
            named = .last(weekday)
        } else if PeriodArgument.isPeriod(word) {
            throw ValidationError("it is more than a day; for a period: istep history \(typed)")
        } else {
            named = .date(try Self.date(word, forms: "2014-04-20, yesterday, monday or -3"))
        }
    }

    /// The most days that `-3` can count back.
    private static let maximumDaysAgo = 36_600

    /// A date, of the past or of the future.
    ///
    /// - Parameter forms: examples of what is accepted.
    /// - Throws: `ValidationError`, as `init(word:)`.
    static func date(_ text: String, forms: String = "2014-04-20") throws -> Day {
        do {
            return try DateInput.day(text)
        } catch {
            switch error {
            case .unknownForm: throw ValidationError("unknown format; write it like \(forms)")
            case .noSuchDay: throw ValidationError("there is no such day; write it like \(forms)")
            case .ambiguous(let a, let b): throw ValidationError("it can be \(a) or \(b); write it like one of these")
            }
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

    /// The parser takes `-3` for an option. So that users need not write `-- -3` or `--from=-3`, such a word is joined
    /// to the option before it or moved behind a `--`, if the subcommand takes days.
    static func shielded(_ arguments: [String]) -> [String] {
        guard let name = arguments.first, !arguments.contains("--"),
            let command = Istep.subcommand(named: name) as? any TakesDays.Type
        else { return arguments }
        var rest: [String] = []
        var days: [String] = []
        for word in arguments {
            if !isDaysAgo(word) {
                rest.append(word)
            } else if let option = rest.last, command.dayOptions.contains(option) {
                rest[rest.count - 1] = "\(option)=\(word)"
            } else {
                days.append(word)
            }
        }
        if days.isEmpty { return rest }
        // If the subcommand takes no day as an argument, the parser must report the words as they were typed.
        return command.takesDayAsArgument ? rest + ["--"] + days : arguments
    }

    private static func isDaysAgo(_ word: String) -> Bool {
        word.hasPrefix("-") && word.dropFirst().first != "-" && Int(word.dropFirst()) != nil
    }
}

/// The first day of a plan or a profile as lists show it: a day, or `beginning`.
struct FirstDayArgument: Hashable {
    /// Nil for the beginning.
    private let day: DayArgument?

    static let words = DayArgument.words + ["beginning"]

    /// - Throws: as `DayArgument`.
    init(word: String) throws { day = word.lowercased() == "beginning" ? nil : try DayArgument(word: word) }

    func day(today: Day) -> Day { day?.day(today: today) ?? Validity.beginning }
}
