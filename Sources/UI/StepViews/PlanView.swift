public import StepDomain

/// A user's sport plans, the newest first.
public struct PlanView: View {
    let user: User
    let plans: [SportPlan]
    let isUnchanged: Bool

    /// - Parameters:
    ///   - plans: in any order.
    ///   - isUnchanged: whether what was to be set was effective already.
    public init(user: User, plans: [SportPlan], isUnchanged: Bool = false) {
        self.user = user
        self.isUnchanged = isUnchanged
        self.plans = plans.sorted { $0.validFrom > $1.validFrom }
    }

    public func lines(_ style: TextStyle) -> [String] {
        var page = TextPage(style)
        let name = Printable(user.name, limit: 32).description
        guard !plans.isEmpty else {
            page.advice("\(name) has no plan yet. Set one: \(command: "istep plan 8000 --on sun=rest")")
            return page.lines
        }
        page.row(StyledText(name, .strong))
        for plan in plans { page.paragraph("\(plan.since): \(words(plan))", indent: 2, hanging: 4) }
        if isUnchanged { page.paragraph(Words.unchangedValues) }
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
            let (first, last) = (run.first.shortName, run.last.shortName)
            let days = runs.count == 1 ? "every day" : run.first == run.last ? first : "\(first)-\(last)"
            return "\(days) \(run.goal == 0 ? "rest" : Words.grouped(run.goal))"
        }.joined(separator: ", ")
    }
}

/// `istep plan --json`.
extension PlanView: Described {
    public static let keys: [JSONKey<PlanView>] = [
        .version,
        .init("user", .text, "Whose plans they are.") { $0.user.name },
        .list("plans", "The newest first.") { $0.plans },
    ]
}

extension SportPlan: Described {
    public static let keys: [JSONKey<Self>] = [
        .init("validFrom", .day, "The first day that it applies to.") { $0.validFrom.description },
        .init("goals", .map(keys: "weekday (monday to sunday)", .integer), "Steps; 0 is a rest day.") { plan in
            Dictionary(uniqueKeysWithValues: Weekday.allCases.map { ($0.name, plan[$0]) })
        },
    ]
}

/// What is known of a user's body, the newest first.
public struct ProfileView: View {
    let user: User
    let profiles: [Profile]
    let isUnchanged: Bool

    /// - Parameters: as for `PlanView`.
    public init(user: User, profiles: [Profile], isUnchanged: Bool = false) {
        self.user = user
        self.isUnchanged = isUnchanged
        self.profiles = profiles.sorted { $0.validFrom > $1.validFrom }
    }

    public func lines(_ style: TextStyle) -> [String] {
        var page = TextPage(style)
        let name = Printable(user.name, limit: 32).description
        guard !profiles.isEmpty else {
            page.advice(
                """
                The height and weight of \(name) are not known, so distance and calories are those of the pedometer. Set them: \
                \(command: "istep profile --height 178 --weight 72 --sex male")
                """)
            return page.lines
        }
        page.row(StyledText(name, .strong))
        for profile in profiles {
            page.paragraph("\(profile.since): \(facts(profile, style.units))", indent: 2, hanging: 4)
        }
        if isUnchanged { page.paragraph(Words.unchangedValues) }
        return page.lines
    }

    private func facts(_ profile: Profile, _ units: UnitSystem) -> String {
        var facts: [String] = []
        if let height = profile.height { facts.append("height \(units.words(height: height))") }
        if let weight = profile.weight { facts.append("weight \(units.words(weight: weight))") }
        if profile.sex != .unspecified { facts.append(profile.sex.rawValue) }
        if let birth = profile.birthDate { facts.append("born \(birth)") }
        if let length = StepLength(profile) { facts.append(length.words(units)) }
        return facts.isEmpty ? "nothing set" : facts.joined(separator: ", ")
    }
}

/// `istep profile --json`.
extension ProfileView: Described {
    public static let keys: [JSONKey<ProfileView>] = [
        .version,
        .init("user", .text, "Whose profiles they are.") { $0.user.name },
        .list("profiles", "The newest first.") { $0.profiles },
    ]
}

extension Profile: Described {
    public static let keys: [JSONKey<Self>] = [
        .init("validFrom", .day, "The first day that it applies to.") { $0.validFrom.description },
        .init("heightMetres", .nullable(.number), "Height.") { $0.height },
        .init("weightKilograms", .nullable(.number), "Weight.") { $0.weight },
        .init("sex", .choice(Sex.self), "Sex.") { $0.sex.rawValue },
        .init("birthDate", .nullable(.day), "Date of birth.") { $0.birthDate?.description },
        .init("stepLengthMetres", .nullable(.number), "As measured; null where it is calculated from the height.") {
            $0.stepLength
        },
        .init(
            "runningStepLengthMetres", .nullable(.number),
            "As measured; null where it is scaled by the walking step, or calculated from the height."
        ) { $0.runningStepLength },
    ]
}

extension ValidFrom {
    /// From which day on it holds; the first holds from the beginning.
    var since: String { validFrom <= Validity.beginning ? "from the beginning" : "from \(validFrom)" }
}

extension JSONDocument {
    public static let profile = JSONDocument(
        "profile", "A user's height, weight and so on, by the day from which they hold.",
        ProfileView.self)
    public static let plan = JSONDocument(
        "plan", "A user's goals, by the day from which they hold.",
        PlanView.self)
}
