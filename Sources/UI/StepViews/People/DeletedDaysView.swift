public import StepDomain

extension Words {
    /// After `deleted`: when, and what follows.
    package static func deleted(on day: String) -> String {
        "or moved on \(day): syncs and imports leave the day out"
    }
}

/// `istep delete --list`: the days of a user that syncs and imports leave out.
public struct DeletedDaysView: View {
    let user: User
    let days: [DeletedDay]
    let localTime: LocalTime

    public init(_ user: User, _ days: [DeletedDay], localTime: LocalTime) {
        self.user = user
        self.days = days
        self.localTime = localTime
    }

    /// Days that follow each other and were deleted together, as one.
    private var runs: [(days: ClosedRange<Day>, at: Timestamp)] {
        days.reduce(into: []) { runs, deleted in
            if let last = runs.last, last.at == deleted.at, last.days.upperBound.advanced(by: 1) == deleted.day {
                runs[runs.count - 1].days = last.days.lowerBound...deleted.day
            } else {
                runs.append((deleted.day...deleted.day, deleted.at))
            }
        }
    }

    public func lines(_ style: TextStyle) -> [String] {
        var page = TextPage(style)
        let name = Printable(user.name, limit: 64)
        guard !days.isEmpty else {
            page.paragraph("No day of \(name) is left out by syncs and imports.")
            return page.lines
        }
        page.paragraph("Syncs and imports leave out \(Words.count(days.count, "day")) of \(name):")
        for run in runs {
            page.row(
                StyledText("  \(Words.days(run.days.lowerBound, run.days.upperBound))")
                    + StyledText("  deleted or moved on \(localTime.day(of: run.at))", .faint))
        }
        page.advice("To let them bring a day again: \(command: "istep delete --readmit", "DAY", "--user", user.name)")
        return page.lines
    }

    public static let keys: [JSONKey<DeletedDaysView>] = [
        .version,
        .init("user", .text, "Whose days they are.") { $0.user.name },
        .list("days", "By day.") { view in view.days.map { Deleted(day: $0, localTime: view.localTime) } },
    ]

    private struct Deleted: Described {
        let day: DeletedDay, localTime: LocalTime

        static let keys: [JSONKey<Deleted>] = [
            .init("day", .day, "The day.") { $0.day.day.description },
            .init("deletionTime", .time, "When it was deleted.") { Words.iso($0.day.at, $0.localTime) },
        ]
    }
}

/// Days that syncs and imports may bring again.
public struct ReadmissionView: View {
    let user: User
    let first: Day
    let last: Day
    let count: Int

    public init(_ user: User, first: Day, last: Day, count: Int) {
        self.user = user
        self.first = first
        self.last = last
        self.count = count
    }

    public func lines(_ style: TextStyle) -> [String] {
        var page = TextPage(style)
        page.paragraph(
            "Syncs and imports may bring \(Words.count(count, "day")) of \(Printable(user.name, limit: 64)) again: \(Words.days(first, last)). The next sync asks pedometers for these days; what none holds any longer stays deleted, unless a backup has it."
        )
        return page.lines
    }

    public static let keys: [JSONKey<ReadmissionView>] = [
        .version,
        .init("user", .text, "Whose days they are.") { $0.user.name },
        .init("firstDay", .day, "The first day.") { $0.first.description },
        .init("lastDay", .day, "The last day.") { $0.last.description },
        .init("days", .integer, "Days that were left out until now.") { $0.count },
    ]
}

extension JSONDocument {
    public static let deletedDays = JSONDocument(
        "deletedDays", "Deleted days that syncs and imports leave out.",
        DeletedDaysView.self)
    public static let readmission = JSONDocument(
        "readmission", "Deleted days that syncs and imports may bring again.",
        ReadmissionView.self)
}
