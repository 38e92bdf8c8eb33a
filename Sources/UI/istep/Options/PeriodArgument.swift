import ArgumentParser
import StepDomain
import StepServices

/// A period as users write it: `week`, `last month`, `2026`, `2026-10`, or a day.
enum PeriodArgument: Hashable {
    /// The one that contains a day; nil for today. `all` is the whole history.
    case named(PeriodRequest.Named, Day?)
    /// An ISO week, by its Monday.
    case isoWeek(Day)
    /// The one before the current one.
    case last(PeriodRequest.Named)
    case day(DayArgument)

    static let forms = "week, last month, 2026, 2026-10, 2026-W48 or all"

    /// - Parameter words: one or two words, in any case.
    /// - Throws: `ValidationError`, which says how a period is written.
    init(words: [String]) throws {
        let lowered = words.map { $0.lowercased() }
        if lowered.count == 2, lowered[0] == "last" || lowered[0] == "this",
            let named = PeriodRequest.Named(rawValue: lowered[1]), named != .all
        {
            self = lowered[0] == "last" ? .last(named) : .named(named, nil)
        } else if lowered.count == 1, let named = PeriodRequest.Named(rawValue: lowered[0]) {
            self = .named(named, nil)
        } else if lowered.count == 1, let span = Self.span(lowered[0]) {
            self = span
        } else if lowered.count == 1, let day = try? DayArgument(word: words[0]) {
            self = .day(day)
        } else if words.count == 2, words.allSatisfy({ (try? DayArgument(word: $0)) != nil }) {
            throw ValidationError("For a range of days: --from \(words[0]) --to \(words[1])")
        } else {
            throw ValidationError("'\(words.joined(separator: " "))' is not a period. Write it like \(Self.forms).")
        }
    }

    /// Whether a word names more than a day.
    static func isPeriod(_ word: String) -> Bool {
        PeriodRequest.Named(rawValue: word.lowercased()) != nil || span(word.lowercased()) != nil
    }

    /// `2026`, `2026-10` or `2026-w48`.
    private static func span(_ text: String) -> PeriodArgument? {
        if let week = text.wholeMatch(of: /([0-9]{4})-?w([0-9]{2})/), let number = Int(week.2),
            let day = Self.monday(ofWeek: number, year: String(week.1))
        {
            return .isoWeek(day)
        }
        return switch text.utf8.count {
        case 4: Day("\(text)-01-01").map { .named(.year, $0) }
        case 7: Day("\(text)-01").map { .named(.month, $0) }
        default: nil
        }
    }

    /// Of an ISO week: the first one has 4 January. Nil if the year does not have the week.
    private static func monday(ofWeek number: Int, year: String) -> Day? {
        guard let fourth = Day("\(year)-01-04"), number > 0 else { return nil }
        let monday = fourth.advanced(by: 1 - fourth.weekday.rawValue + 7 * (number - 1))
        // A week belongs to the year of its Thursday.
        return "\(monday.advanced(by: 3))".hasPrefix(year) ? monday : nil
    }

    func request(today: Day) -> PeriodRequest {
        switch self {
        case .named(let named, let day): PeriodRequest(named: named, day: day)
        case .isoWeek(let monday): PeriodRequest(named: .week, day: monday, isISOWeek: true)
        case .last(let named): PeriodRequest(named: named, day: Self.dayBefore(named, today))
        case .day(let argument):
            PeriodRequest(first: argument.day(today: today), last: argument.day(today: today))
        }
    }

    /// A day of the period before the current one.
    private static func dayBefore(_ named: PeriodRequest.Named, _ today: Day) -> Day {
        switch named {
        case .week: today.advanced(by: -7)
        case .month: Period(.month, containing: today, weekStart: .monday).days.lowerBound.advanced(by: -1)
        case .year: Period(.year, containing: today, weekStart: .monday).days.lowerBound.advanced(by: -1)
        case .all: today
        }
    }
}
