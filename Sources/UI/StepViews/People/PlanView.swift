public import StepDomain

/// A user's sport plans, the newest first.
public struct PlanView: View {
    let user: User
    let plans: [SportPlan]

    /// - Parameter plans: in any order.
    public init(user: User, plans: [SportPlan]) {
        self.user = user
        self.plans = plans.sorted { $0.validFrom > $1.validFrom }
    }

    public func lines(_ style: TextStyle) -> [String] {
        var page = Page(style)
        let name = Printable(user.name, limit: 32).description
        guard !plans.isEmpty else {
            page.paragraph("\(name) has no sport plan yet. Set one: istep plan 8000 --on sun=rest")
            return page.lines
        }
        page.line(InkedText(name, .strong))
        for plan in plans { page.paragraph("\(plan.since): \(words(plan))", indent: 2, hanging: 4) }
        return page.lines
    }

    /// `every day 8,000`, or the weekdays of each goal: `Mon-Fri 8,000, Sat 12,000, Sun rest`.
    private func words(_ plan: SportPlan) -> String {
        var runs: [(first: Weekday, last: Weekday, goal: Int)] = []
        for weekday in Weekday.allCases {
            if let last = runs.last, last.goal == plan[weekday] {
                runs[runs.count - 1].last = weekday
            } else {
                runs.append((weekday, weekday, plan[weekday]))
            }
        }
        return runs.map { run in
            let days = runs.count == 1 ? "every day" : run.first == run.last ? run.first.short : "\(run.first.short)-\(run.last.short)"
            return "\(days) \(run.goal == 0 ? "rest" : Words.grouped(run.goal))"
        }.joined(separator: ", ")
    }
}

extension Weekday {
    fileprivate var short: String { name.prefix(1).uppercased() + name.dropFirst().prefix(2) }
}

extension PlanView {
    /// `istep plan --json`.
    public struct Document: Codable, Sendable {
        public struct Entry: Codable, Sendable {
            /// `2014-04-20`; the first day that it holds for.
            public var validFrom: String
            /// Steps by weekday in English, lower case; 0 is a rest day.
            public var goals: [String: Int]
        }

        public var version = 1
        public var user: String
        /// Newest first.
        public var plans: [Entry]
    }

    public var document: Document {
        Document(user: user.name, plans: plans.map { plan in
            Document.Entry(
                validFrom: plan.validFrom.description,
                goals: Dictionary(uniqueKeysWithValues: Weekday.allCases.map { ($0.name, plan[$0]) }))
        })
    }
}
