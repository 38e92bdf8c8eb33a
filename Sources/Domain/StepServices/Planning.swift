public import StepDomain

/// Setting the sport plan and the profile of a user: values that are not given stay as they were.
public struct Planning: Sendable {
    private let history: any StepHistory
    private let today: Day

    public init(_ history: any StepHistory, today: Day) {
        self.history = history
        self.today = today
    }

    /// What changes in a profile; nil leaves a value as it is.
    public struct ProfileChange: Sendable {
        /// Metres.
        public var height: Double?
        /// Kilograms.
        public var weight: Double?
        public var sex: Sex?
        public var birthDate: Day?
        /// Metres.
        public var stepLength: Double?
        /// Metres.
        public var runningStepLength: Double?
        /// Values that are not known any longer.
        public var removed: Set<Value>

        /// What can be removed from a profile. (The sex is set to unspecified.)
        public enum Value: String, Hashable, Sendable, CaseIterable {
            case height, weight, birthDate, stepLength, runningStepLength
        }

        public init(
            height: Double? = nil, weight: Double? = nil, sex: Sex? = nil, birthDate: Day? = nil,
            stepLength: Double? = nil, runningStepLength: Double? = nil, removed: Set<Value> = []
        ) {
            self.height = height
            self.weight = weight
            self.sex = sex
            self.birthDate = birthDate
            self.stepLength = stepLength
            self.runningStepLength = runningStepLength
            self.removed = removed
        }

        public var isEmpty: Bool {
            height == nil && weight == nil && sex == nil && birthDate == nil && stepLength == nil
                && runningStepLength == nil && removed.isEmpty
        }
    }

    /// - Parameters:
    ///   - everyDay: a goal for each day of the week; nil leaves them as they are.
    ///   - weekdays: goals of single weekdays, which take precedence.
    ///   - from: the first day on which it holds; nil for today, or for all days where there was no plan.
    /// - Returns: whether it is another one than on the day before.
    /// - Throws: `ServiceError.unusableFirstDay`; the history's error.
    @discardableResult
    public func setPlan(everyDay: Int?, weekdays: [Weekday: Int], from: Day?, of user: User) throws -> Bool {
        let plans = try history.plans(of: user.id)
        let validFrom = try validFrom(from, isFirst: plans.isEmpty)
        var plan = plans.effective(on: validFrom) ?? SportPlan(validFrom: validFrom, goals: [])
        plan.validFrom = validFrom
        if let everyDay { plan = SportPlan(validFrom: validFrom, everyDay: everyDay) }
        for (weekday, steps) in weekdays { plan[weekday] = steps }
        return try store(plan, among: plans, set: history.setPlan, remove: history.removePlan, of: user)
    }

    /// Stores a plan or a profile, unless it says what the one before it says: then none begins on its day, so that to
    /// set a value back leaves one entry and not two of the same content.
    private func store<Entry: ValidFrom & Equatable>(
        _ entry: Entry, among entries: [Entry], set: (Entry, User.ID) throws -> Void,
        remove: (Day, User.ID) throws -> Void, of user: User
    ) throws -> Bool {
        if entries.contains(entry) { return false }
        guard let before = entries.effective(on: entry.validFrom.advanced(by: -1)), before.hasContent(of: entry) else {
            try set(entry, user.id)
            return true
        }
        guard entries.contains(where: { $0.validFrom == entry.validFrom }) else { return false }
        try remove(entry.validFrom, user.id)
        return true
    }

    /// Removes a plan: its days have the plan before it, or none.
    ///
    /// - Throws: `ServiceError.noPlanFrom`; the history's error.
    public func removePlan(from day: Day, of user: User) throws {
        let days = try history.plans(of: user.id).map(\.validFrom)
        guard days.contains(day) else { throw ServiceError.noPlanFrom(day, known: days) }
        try history.removePlan(validFrom: day, of: user.id)
    }

    /// Removes a profile: its days have the profile before it, or none.
    ///
    /// - Throws: `ServiceError.noProfileFrom`; the history's error.
    public func removeProfile(from day: Day, of user: User) throws {
        let days = try history.profiles(of: user.id).map(\.validFrom)
        guard days.contains(day) else { throw ServiceError.noProfileFrom(day, known: days) }
        try history.removeProfile(validFrom: day, of: user.id)
    }

    /// The goals to set from a form that shows all of them: those that the user changed. If no plan is in force on the
    /// first day, all of them, because a missing goal would be a rest day.
    ///
    /// - Parameter from: as for `setPlan`.
    /// - Throws: the history's error.
    public func goals(shown: [Weekday: Int], changed: [Weekday: Int], from: Day?, of user: User) throws -> [Weekday:
        Int]
    {
        try history.plans(of: user.id).effective(on: from ?? today) == nil ? shown : changed
    }

    /// The same for a form that shows today's profile. If no profile is in force on the first day, today's values
    /// complete the changed ones: otherwise the profile of those days would be incomplete.
    ///
    /// - Returns: an empty change if nothing was changed.
    public func profileChange(_ changed: ProfileChange, from: Day?, of user: User) throws -> ProfileChange {
        let profiles = try history.profiles(of: user.id)
        guard !changed.isEmpty, profiles.effective(on: from ?? today) == nil,
            let current = profiles.effective(on: today)
        else { return changed }
        return ProfileChange(
            height: changed.height ?? current.height, weight: changed.weight ?? current.weight,
            sex: changed.sex ?? current.sex,
            birthDate: changed.birthDate ?? current.birthDate, stepLength: changed.stepLength ?? current.stepLength,
            runningStepLength: changed.runningStepLength ?? current.runningStepLength, removed: changed.removed)
    }

    /// - Parameter from: as for `setPlan`.
    /// - Throws: as `setPlan`; `ServiceError.birthNotPast`, `.birthTooLongAgo`.
    @discardableResult
    public func setProfile(_ change: ProfileChange, from: Day?, of user: User) throws -> Bool {
        if let birth = change.birthDate { try Self.check(birthDate: birth, today: today) }
        let profiles = try history.profiles(of: user.id)
        let validFrom = try validFrom(from, isFirst: profiles.isEmpty)
        var profile = profiles.effective(on: validFrom) ?? Profile(validFrom: validFrom)
        profile.validFrom = validFrom
        profile.height = change.height ?? profile.height
        profile.weight = change.weight ?? profile.weight
        profile.sex = change.sex ?? profile.sex
        profile.birthDate = change.birthDate ?? profile.birthDate
        profile.stepLength = change.stepLength ?? profile.stepLength
        profile.runningStepLength = change.runningStepLength ?? profile.runningStepLength
        for value in change.removed {
            switch value {
            case .height: profile.height = nil
            case .weight: profile.weight = nil
            case .birthDate: profile.birthDate = nil
            case .stepLength: profile.stepLength = nil
            case .runningStepLength: profile.runningStepLength = nil
            }
        }
        // The first one holds for all days: one without a value would take this from the next.
        if profiles.isEmpty, profile == Profile(validFrom: validFrom) { return false }
        return try store(profile, among: profiles, set: history.setProfile, remove: history.removeProfile, of: user)
    }

    /// Whether a plan or a profile can begin on a day: to be called before a history or a user is created for it.
    ///
    /// - Throws: `ServiceError.unusableFirstDay`.
    public static func check(firstDay day: Day) throws(ServiceError) {
        guard Validity.firstDays.contains(day) else { throw .unusableFirstDay(day) }
    }

    /// Whether a user can be born on a day: to be called before a history or a user is created for it.
    ///
    /// - Throws: `ServiceError.birthNotPast`, `.birthTooLongAgo`.
    public static func check(birthDate day: Day, today: Day) throws(ServiceError) {
        let dates = Profile.birthDates(today: today)
        if day > dates.upperBound { throw .birthNotPast(day) }
        if day < dates.lowerBound { throw .birthTooLongAgo(day) }
    }

    /// The first profile or plan holds for all days, later ones from today.
    private func validFrom(_ day: Day?, isFirst: Bool) throws(ServiceError) -> Day {
        guard let day else { return isFirst ? Validity.beginning : today }
        try Self.check(firstDay: day)
        return day
    }
}
