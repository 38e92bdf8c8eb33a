package import StepDomain

/// How days and moments are written: one form in everything that is shown together.
package enum DateForm: Hashable, Sendable {
    /// `2026-11-26`, `2026-11-26 10:47`: in text, which commands can take up again.
    case iso
    /// `Thu 26 Nov`, `Thu 26 Nov, 10:47`, with the year only if it is not that of today: on pages.
    case short

    package func day(_ day: Day, today: Day) -> String {
        switch self {
        case .iso: return "\(day)"
        case .short: return "\(day.weekday.shortName) \(Self.date(day, today: today))"
        }
    }

    package func clock(_ moment: Timestamp, _ localTime: LocalTime, today: Day) -> String {
        let text = Words.clock(moment, localTime)
        switch self {
        case .iso: return text
        case .short: return "\(day(localTime.day(of: moment), today: today)), \(text.suffix(5))"
        }
    }

    /// First and last day: `26 Sep to 6 Oct`; one day as itself.
    package func days(_ first: Day, _ last: Day, today: Day) -> String {
        switch self {
        case .iso: return Words.days(first, last)
        case .short where first == last: return day(first, today: today)
        case .short: return "\(Self.date(first, today: today)) to \(Self.date(last, today: today))"
        }
    }

    /// `just now`, `12 min ago`, `3 h ago`, from a day on the date; `in the future` for a moment to come.
    package static func ago(_ moment: Timestamp, now: Timestamp, _ localTime: LocalTime) -> String {
        switch now - moment {
        case ..<(-60): "in the future"
        case ..<60: "just now"
        case let seconds where seconds < 3600: "\(seconds / 60) min ago"
        case let seconds where seconds < 86_400: "\(seconds / 3600) h ago"
        default: DateForm.short.day(localTime.day(of: moment), today: localTime.day(of: now))
        }
    }

    /// `26 Sep`, `26 Sep 2025`.
    private static func date(_ day: Day, today: Day) -> String {
        let parts = day.components
        let year = parts.year == today.components.year ? "" : " \(parts.year)"
        return "\(parts.day) \(Words.month(day).prefix(3))\(year)"
    }
}
