import StepDomain
import StepServices
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct PlanningTests {
    private let history = InMemoryHistory()
    private let anna: User

    init() { anna = history.addUser(named: "anna") }

    private var planning: Planning { Planning(history, today: april20) }

    /// The first profile holds for all days: an empty one would take this from the one with the values.
    @Test func `a first profile without a value is not stored`() throws {
        try planning.setProfile(.init(removed: [.height]), from: nil, of: anna)
        #expect(history.profiles(of: anna.id).isEmpty)
        try planning.setProfile(.init(height: 1.78), from: nil, of: anna)
        #expect(history.profiles(of: anna.id).map(\.validFrom) == [Day(daysSince1970: 0)])
    }

    @Test func `values of a plan or a profile that are not given stay unchanged`() throws {
        try planning.setPlan(everyDay: 8000, weekdays: [.sunday: 0], from: nil, of: anna)
        try planning.setPlan(everyDay: nil, weekdays: [.saturday: 12_000], from: nil, of: anna)
        let plans = try history.plans(of: anna.id)
        #expect(
            plans.map(\.validFrom) == [Day(daysSince1970: 0), april20],
            "the first holds for all days, the next from today")
        #expect(plans[0][.saturday] == 8000 && plans[1][.saturday] == 12_000)
        #expect(plans[1][.sunday] == 0 && plans[1][.monday] == 8000)

        try planning.setProfile(.init(height: 1.78, weight: 72), from: nil, of: anna)
        try planning.setProfile(.init(weight: 70), from: april21, of: anna)
        let profiles = history.profiles(of: anna.id)
        #expect(profiles.map(\.height) == [1.78, 1.78] && profiles.map(\.weight) == [72, 70])
        #expect(profiles[1].validFrom == april21)
    }

    @Test func `what is in force already is not stored again`() throws {
        #expect(try planning.setPlan(everyDay: 8000, weekdays: [:], from: nil, of: anna))
        #expect(try !planning.setPlan(everyDay: 8000, weekdays: [:], from: nil, of: anna))
        #expect(try !planning.setPlan(everyDay: 8000, weekdays: [:], from: april21, of: anna))
        #expect(try planning.setPlan(everyDay: 9000, weekdays: [:], from: april21, of: anna))
        #expect(try planning.setPlan(everyDay: 8000, weekdays: [:], from: april21, of: anna))
        #expect(try history.plans(of: anna.id).count == 1)
        #expect(try planning.setProfile(.init(weight: 70), from: nil, of: anna))
        #expect(try !planning.setProfile(.init(weight: 70), from: april21, of: anna))
    }

    @Test func `a plan or a profile can begin on any day of the calendar`() throws {
        for day in [
            Period.calendar.lowerBound, Validity.beginning.advanced(by: -1), Period.calendar.upperBound.advanced(by: 1),
        ] {
            #expect(throws: ServiceError.unusableFirstDay(day)) { try Planning.check(firstDay: day) }
            #expect(throws: ServiceError.unusableFirstDay(day)) {
                try planning.setPlan(everyDay: 1, weekdays: [:], from: day, of: anna)
            }
            #expect(throws: ServiceError.unusableFirstDay(day)) {
                try planning.setProfile(.init(weight: 70), from: day, of: anna)
            }
        }
        #expect(try history.plans(of: anna.id).isEmpty && history.profiles(of: anna.id).isEmpty)
        try planning.setPlan(everyDay: 8000, weekdays: [:], from: Validity.firstDays.lowerBound, of: anna)
        try planning.setProfile(.init(weight: 70), from: Validity.firstDays.upperBound, of: anna)
        #expect(try history.plans(of: anna.id).map(\.validFrom) == [Day(daysSince1970: 0)])
        #expect(ServiceError.unusableFirstDay(april20).category == .usage)
    }

    @Test func `the goal of a single weekday takes precedence over that of every day`() throws {
        try planning.setPlan(everyDay: 8000, weekdays: [.sunday: 0, .saturday: 12_000], from: nil, of: anna)
        let plan = try #require(try history.plans(of: anna.id).first)
        #expect(plan.goals == [8000, 8000, 8000, 8000, 8000, 12_000, 0])
    }

    @Test func `a plan from an earlier day on starts with the goals that were in force on that day`() throws {
        let before = april20.advanced(by: -10), later = april20.advanced(by: -3)
        try planning.setPlan(everyDay: 6000, weekdays: [:], from: nil, of: anna)
        try planning.setPlan(everyDay: 8000, weekdays: [:], from: later, of: anna)
        try planning.setPlan(everyDay: nil, weekdays: [.monday: 1000], from: before, of: anna)
        let plans = try history.plans(of: anna.id)
        #expect(plans.map(\.validFrom) == [Validity.beginning, before, later])
        #expect(plans.map { $0[.monday] } == [6000, 1000, 8000] && plans.map { $0[.tuesday] } == [6000, 6000, 8000])
    }

    @Test func `a second change on the same day replaces the first`() throws {
        try planning.setPlan(everyDay: 6000, weekdays: [:], from: nil, of: anna)
        for goal in [7000, 8000] { try planning.setPlan(everyDay: goal, weekdays: [:], from: nil, of: anna) }
        try planning.setProfile(.init(weight: 72), from: nil, of: anna)
        for weight in [71.0, 70] { try planning.setProfile(.init(weight: weight), from: nil, of: anna) }
        #expect(try history.plans(of: anna.id).map { $0[.monday] } == [6000, 8000])
        #expect(history.profiles(of: anna.id).map(\.weight) == [72, 70])
    }

    @Test func `setting a plan or a profile back leaves no second entry of the same content`() throws {
        try planning.setPlan(everyDay: 6000, weekdays: [.sunday: 0], from: nil, of: anna)
        try planning.setPlan(everyDay: 6000, weekdays: [.sunday: 0], from: nil, of: anna)
        #expect(try history.plans(of: anna.id).map(\.validFrom) == [Validity.beginning])
        try planning.setPlan(everyDay: nil, weekdays: [.monday: 9000], from: nil, of: anna)
        #expect(try history.plans(of: anna.id).count == 2)
        try planning.setPlan(everyDay: nil, weekdays: [.monday: 6000], from: nil, of: anna)
        #expect(try history.plans(of: anna.id).map { $0[.monday] } == [6000])
        // The first one can be changed where it begins.
        try planning.setPlan(everyDay: 7000, weekdays: [:], from: Validity.beginning, of: anna)
        #expect(try history.plans(of: anna.id).map(\.goals) == [Array(repeating: 7000, count: 7)])

        try planning.setProfile(.init(height: 1.78, weight: 72), from: nil, of: anna)
        try planning.setProfile(.init(stepLength: 0.7), from: nil, of: anna)
        try planning.setProfile(.init(removed: [.stepLength]), from: nil, of: anna)
        #expect(history.profiles(of: anna.id) == [Profile(validFrom: Validity.beginning, height: 1.78, weight: 72)])
    }

    @Test func `single values of a profile are removed`() throws {
        let whole = Profile(
            validFrom: Validity.beginning, height: 1.78, weight: 72, sex: .male, birthDate: Day("1980-04-20"),
            stepLength: 0.7, runningStepLength: 1.1)
        for value in Planning.ProfileChange.Value.allCases {
            history.removeProfile(validFrom: april20, of: anna.id)
            history.setProfile(whole, of: anna.id)
            try planning.setProfile(.init(removed: [value]), from: nil, of: anna)
            var rest = whole
            rest.validFrom = april20
            switch value {
            case .height: rest.height = nil
            case .weight: rest.weight = nil
            case .birthDate: rest.birthDate = nil
            case .stepLength: rest.stepLength = nil
            case .runningStepLength: rest.runningStepLength = nil
            }
            #expect(history.profiles(of: anna.id) == [whole, rest], "\(value)")
        }
    }

    @Test func `a plan or a profile that begins on a day is removed`() throws {
        try planning.setPlan(everyDay: 6000, weekdays: [:], from: nil, of: anna)
        try planning.setPlan(everyDay: 8000, weekdays: [:], from: nil, of: anna)
        try planning.setProfile(.init(weight: 72), from: nil, of: anna)
        let known = [Validity.beginning, april20]
        #expect(throws: ServiceError.noPlanFrom(april21, known: known)) {
            try planning.removePlan(from: april21, of: anna)
        }
        #expect(throws: ServiceError.noProfileFrom(april20, known: [Validity.beginning])) {
            try planning.removeProfile(from: april20, of: anna)
        }
        try planning.removePlan(from: april20, of: anna)
        #expect(try history.plans(of: anna.id).map { $0[.monday] } == [6000])
        try planning.removePlan(from: Validity.beginning, of: anna)
        try planning.removeProfile(from: Validity.beginning, of: anna)
        #expect(try history.plans(of: anna.id).isEmpty && history.profiles(of: anna.id).isEmpty)
    }

    @Test func `each value of a profile can be changed alone`() throws {
        let whole = Planning.ProfileChange(
            height: 1.78, weight: 72, sex: .male, birthDate: Day("1980-04-20"), stepLength: 0.74)
        let changes: [Planning.ProfileChange] = [
            .init(height: 1.8), .init(weight: 70), .init(sex: .female), .init(birthDate: Day("1981-01-02")),
            .init(stepLength: 0.7),
        ]
        for (number, change) in changes.enumerated() {
            let user = history.addUser(named: "user \(number)")
            try planning.setProfile(whole, from: nil, of: user)
            try planning.setProfile(change, from: nil, of: user)
            var expected = Profile(
                validFrom: april20, height: 1.78, weight: 72, sex: .male, birthDate: Day("1980-04-20"), stepLength: 0.74
            )
            switch number {
            case 0: expected.height = 1.8
            case 1: expected.weight = 70
            case 2: expected.sex = .female
            case 3: expected.birthDate = Day("1981-01-02")
            default: expected.stepLength = 0.7
            }
            #expect(history.profiles(of: user.id).last == expected)
        }
    }

    @Test func `a plan and a profile are those of one user`() throws {
        let ben = history.addUser(named: "ben")
        try planning.setPlan(everyDay: 8000, weekdays: [:], from: nil, of: anna)
        try planning.setProfile(.init(weight: 72), from: nil, of: anna)
        #expect(try history.plans(of: ben.id).isEmpty && history.profiles(of: ben.id).isEmpty)
    }

    @Test func `a profile with a date of birth that nobody can have is not stored`() throws {
        let old = try #require(Day("1883-12-31"))
        #expect(throws: ServiceError.birthNotPast(april20)) {
            try planning.setProfile(.init(birthDate: april20), from: nil, of: anna)
        }
        #expect(throws: ServiceError.birthTooLongAgo(old)) {
            try planning.setProfile(.init(birthDate: old), from: nil, of: anna)
        }
        #expect(throws: ServiceError.birthNotPast(april21)) { try Planning.check(birthDate: april21, today: april20) }
        #expect(history.profiles(of: anna.id).isEmpty)
    }

    @Test func `a form sets what was changed, and the rest as well on days without a plan or a profile`() throws {
        let goals: [Weekday: Int] = [.monday: 8000, .sunday: 0], before = april20.advanced(by: -1)
        #expect(try planning.goals(shown: goals, changed: [.sunday: 0], from: nil, of: anna) == goals)
        try planning.setPlan(everyDay: 8000, weekdays: [:], from: april20, of: anna)
        #expect(try planning.goals(shown: goals, changed: [.sunday: 0], from: nil, of: anna) == [.sunday: 0])
        #expect(try planning.goals(shown: goals, changed: [:], from: before, of: anna) == goals)

        let changed = Planning.ProfileChange(weight: 70)
        try planning.setProfile(.init(height: 1.7825, weight: 72), from: april20, of: anna)
        #expect(try planning.profileChange(changed, from: nil, of: anna).height == nil)
        #expect(try planning.profileChange(changed, from: before, of: anna).height == 1.7825)
        #expect(try planning.profileChange(Planning.ProfileChange(), from: before, of: anna).isEmpty)
        #expect(Planning.ProfileChange().isEmpty && !changed.isEmpty)
    }

    @Test func `a date of birth is in the past, and not longer ago than a life can last`() throws {
        let first = try #require(Day("1884-01-01"))
        #expect(Profile.birthDates(today: april20) == first...april20.advanced(by: -1))
        // Where the clock of the machine is wrong.
        for day in [Period.calendar.lowerBound, Period.calendar.upperBound] {
            #expect(Profile.birthDates(today: day).upperBound == day.advanced(by: -1))
        }
    }
}
