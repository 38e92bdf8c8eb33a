public import StepDomain
internal import Support

/// Numbers and times in words, the same in all views.
package enum Words {
    /// A problem and what to do about it, on one line.
    ///
    /// - Parameter problem: a sentence, or words without a full stop.
    package static func sentences(_ problem: String, _ advice: String?) -> String {
        guard let advice else { return problem }
        return problem + (problem.last.map { ".!?".contains($0) } == true ? " " : "; ") + advice
    }

    /// Digits in groups of three: `12,345`.
    package static func grouped(_ number: Int) -> String {
        let digits = Array(String(number.magnitude))
        var text = number < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return text
    }

    /// The same of a number that is rounded; `?` if it is not a number or beyond 10¹², which nothing here reaches.
    package static func grouped(_ number: Double) -> String {
        guard number.isFinite, abs(number) < 1e12 else { return "?" }
        return grouped(Int(number.rounded()))
    }

    /// Smaller numbers of steps are as short in full.
    package static let smallestInThousands = 10_000

    /// Steps where there is no room for all digits: `12.3k`. Rounded down, so that a goal is not shown before it is
    /// reached.
    package static func thousands(_ steps: Int) -> String { fixed(Double(steps / 100) / 10, 1) + "k" }

    /// A number with so many decimals, rounded; `?` if it is not a number or beyond 10¹², which nothing here reaches.
    package static func fixed(_ number: Double, _ decimals: Int) -> String {
        guard number.isFinite, abs(number) < 1e12 else { return "?" }
        let scale = (0..<decimals).reduce(1.0) { scale, _ in scale * 10 }
        let scaled = Int((abs(number) * scale).rounded())
        let (whole, part) = scaled.quotientAndRemainder(dividingBy: Int(scale))
        let sign = number < 0 && scaled > 0 ? "-" : ""
        guard decimals > 0 else { return sign + String(whole) }
        return "\(sign)\(whole)." + part.digits(width: decimals)
    }

    /// With decimals only if they are not 0: `178`, `72.5`.
    package static func short(_ number: Double, _ decimals: Int = 1) -> String {
        var text = fixed(number, decimals)
        guard text.contains(".") else { return text }
        while text.last == "0" { text.removeLast() }
        if text.last == "." { text.removeLast() }
        return text
    }

    /// Per cent of a goal: `114 %`. Rounded, but 100 % is shown when the goal is reached and not before.
    package static func percent(_ percentage: Double) -> String {
        "\(SportPlan.wholePercentage(percentage).map(grouped) ?? "?") %"
    }

    package static func count(_ number: Int, _ one: String, _ many: String? = nil) -> String {
        "\(grouped(number)) \(number == 1 ? one : many ?? one + "s")"
    }

    /// The word after a number that stands by itself.
    package static func noun(_ one: String, _ number: Int) -> String { number == 1 ? one : one + "s" }

    /// `20 seconds`, `1.5 seconds`
    static func seconds(_ number: Double) -> String { "\(brief(number)) \(number == 1 ? "second" : "seconds")" }

    /// `2,200 of 8,801 steps`: the part of steps that was run.
    static func runningSteps(_ running: Int, of steps: Int) -> StyledText {
        StyledText("\(grouped(running)) of \(count(steps, "step"))")
    }

    // MARK: Time

    /// `Sunday 20 April 2014`.
    package static func date(_ day: Day) -> String {
        let parts = day.components
        return "\(day.weekday.title) \(parts.day) \(months[parts.month - 1]) \(parts.year)"
    }

    /// `14 to 20 April 2014`, `28 April to 4 May 2014`, `29 December 2014 to 4 January 2015`; one day as `20 April
    /// 2014`.
    package static func range(_ days: ClosedRange<Day>) -> String {
        let (first, last) = (days.lowerBound.components, days.upperBound.components)
        let end = "\(last.day) \(months[last.month - 1]) \(last.year)"
        if first == last { return end }
        var start = "\(first.day)"
        if first.month != last.month || first.year != last.year { start += " \(months[first.month - 1])" }
        if first.year != last.year { start += " \(first.year)" }
        return "\(start) to \(end)"
    }

    /// `November`.
    package static func month(_ day: Day) -> String { months[day.components.month - 1] }

    static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]

    /// `10:30`; 86,400 is `24:00`.
    ///
    /// - Parameter seconds: after midnight.
    package static func timeOfDay(_ seconds: Int) -> String {
        let (hour, minute) = (seconds / 3600, seconds / 60 % 60)
        return "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
    }

    /// `2014-04-20 07:30`, as local clocks showed it.
    package static func clock(_ moment: Timestamp, _ localTime: LocalTime) -> String {
        let text = iso(moment, localTime)
        return text.prefix(10) + " " + text.dropFirst(11).prefix(5)
    }

    /// ISO 8601 with the offset of local clocks at that moment.
    package static func iso(_ moment: Timestamp, _ localTime: LocalTime) -> String {
        moment.iso8601(utcOffset: localTime.utcOffset(moment))
    }

    /// `just now`, `5 minutes ago`, `3 hours ago`, `4 days ago`; for a moment to come `in the future`.
    package static func ago(_ moment: Timestamp, now: Timestamp) -> String {
        switch now - moment {
        case ..<(-60): "in the future"
        case ..<60: "just now"
        case let seconds where seconds < 3600: count(seconds / 60, "minute") + " ago"
        case let seconds where seconds < 48 * 3600: count(seconds / 3600, "hour") + " ago"
        case let seconds: count(seconds / 86_400, "day") + " ago"
        }
    }

    /// `40 seconds`, `12 minutes`, `2 hours 5 minutes`, `3 days`.
    package static func duration(_ seconds: Int) -> String {
        switch abs(seconds) {
        case let seconds where seconds < 60: return count(seconds, "second")
        case let seconds where seconds < 3600: return count(seconds / 60, "minute")
        case let seconds where seconds < 86_400:
            let minutes = seconds % 3600 / 60
            return count(seconds / 3600, "hour") + (minutes == 0 ? "" : " " + count(minutes, "minute"))
        case let seconds: return count(seconds / 86_400, "day")
        }
    }

    /// A time zone by its seconds east of Greenwich: `UTC`, `UTC+5:45`, `UTC-8`.
    package static func zone(_ seconds: Int) -> String {
        let (hours, minutes) = (abs(seconds) / 3600, abs(seconds) / 60 % 60)
        let rest = minutes == 0 ? "" : minutes < 10 ? ":0\(minutes)" : ":\(minutes)"
        return hours + minutes == 0 ? "UTC" : "UTC\(seconds < 0 ? "-" : "+")\(hours)\(rest)"
    }

    /// `a`, `a and b`, `a, b and c`.
    package static func list(_ parts: [String]) -> String {
        guard let last = parts.last, parts.count > 1 else { return parts.first ?? "" }
        return parts.dropLast().joined(separator: ", ") + " and " + last
    }

    /// `820 kB`, `12.5 MB`, `1.2 GB`.
    package static func size(_ bytes: Int) -> String {
        switch bytes {
        case 1_000_000_000...: "\(fixed(Double(bytes) / 1_000_000_000, 1)) GB"
        case 1_000_000...: "\(fixed(Double(bytes) / 1_000_000, 1)) MB"
        default: "\(fixed(Double(max(0, bytes)) / 1000, 0)) kB"
        }
    }

    /// The state of a destination that has rejected its credentials, until the user has renewed them.
    static let paused = "paused: credentials rejected"

    /// Of a plan or a profile that says what the one before it says.
    static let unchangedValues = "Nothing has changed: these values are in force already."

    /// First and last day, or one day if both are the same.
    package static func days(_ first: Day, _ last: Day) -> String { first == last ? "\(first)" : "\(first) to \(last)" }
}

extension Advice {
    /// How to begin, where there is no pedometer yet: the only wording of it.
    static let addPedometer: Advice =
        "Find a pedometer: \(command: "istep scan"), then add it: \(command: "istep add ADDRESS")"

    /// The same after what was found.
    package static func firstPedometer(_ finding: String = "No pedometer yet.") -> Advice {
        "\(finding) \(addPedometer)"
    }

    /// What to do about a device that was not heard.
    static let outOfRange: Advice =
        """
        It is out of range, asleep, or connected to a phone: bring it close, wake it (put a ring on its charger for a moment), or \
        disconnect it from the phone.
        """

    /// The same where no pedometer was found at all.
    package static let noneInRange: Advice =
        "Bring it close, wake it (put a ring on its charger for a moment), and disconnect it from a phone."

    /// What ends the pause of a destination that has rejected the credentials.
    static func renewCredentials(of destination: String) -> Advice {
        "Renew the credentials or their rights, then: \(command: "istep outbox retry", destination)"
    }

    /// What ends the pause once the credentials are right.
    static func resuming(_ destination: String) -> Advice { "Then: \(command: "istep outbox retry", destination)" }

    /// What to do about days that were withheld because of their steps.
    static func withheld(at destination: String) -> Advice {
        """
        To correct one: \(command: "istep correct DAY --steps NUMBER"). To send one as it is: \
        \(command: "istep outbox retry", destination, "DAY")
        """
    }

    /// What only the user can find out about a day whose delivery was not confirmed.
    static func whetherItArrived(_ day: Day, _ destination: String) -> Advice {
        """
        Check whether the destination has it. If it has: \(command: "istep outbox drop", destination, "\(day)"). \
        If it has not: \(command: "istep outbox retry", destination, "\(day)")
        """
    }
}

extension Period {
    /// Its name: `Sunday 20 April 2014`, `Week 16 of 2014, 14 to 20 April 2014`, `April 2014`, `2014`, `1 to 10 April
    /// 2014`.
    public var title: String {
        switch unit {
        case .day: Words.date(days.lowerBound)
        case .week: (isoWeek.map { "Week \($0.week) of \($0.year), " } ?? "Week, ") + Words.range(days)
        case .month: "\(Words.month(days.lowerBound)) \(days.lowerBound.components.year)"
        case .year: "\(days.lowerBound.components.year)"
        case nil: Words.range(days)
        }
    }

    /// Its name within a sentence: `week 16 of 2014`.
    var shortTitle: String {
        switch unit {
        case .week:
            isoWeek.map { "week \($0.week) of \($0.year)" }
                ?? "the week of \(Words.range(days.lowerBound...days.lowerBound))"
        case .day, .month, .year, nil: title
        }
    }
}

extension Weekday {
    /// `Mon`.
    package var shortName: String { name.prefix(1).uppercased() + name.dropFirst().prefix(2) }
    /// `Monday`.
    package var title: String { name.prefix(1).uppercased() + name.dropFirst() }
}
