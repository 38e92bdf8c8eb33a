import StepDatabase
import StepDomain
import Testing

@Suite(.timeLimit(.minutes(5))) struct PeopleTests {
    @Test func `a user name is matched without regard to case`() throws {
        try withFixture { history in
            let first = try history.database.addUser(named: "Ödön")
            let again = try history.database.addUser(named: "ÖDÖN")
            #expect(again == first)
            #expect(try history.database.addUser(named: "O\u{308}do\u{308}n") == first, "the same, accents apart")
            #expect(try history.database.users().map(\.name) == ["Ada", "Ödön"])
        }
    }

    @Test(arguments: [
        "", "  ", "\u{1B}[31mred", "line\nbreak", "nul\0l", "\u{202E}desrever", String(repeating: "x", count: 65),
        "a" + String(repeating: "\u{301}", count: 300),
    ])
    func `an invalid user name is rejected with a safe message`(name: String) throws {
        try withFixture { history in
            let error = historyError { try history.database.addUser(named: name) }
            guard case .invalidName = error else {
                Issue.record("\(name.debugDescription) gave \(String(describing: error))")
                return
            }
            #expect(error?.category == .usage)
            let shown = try #require(error).description
            #expect(!shown.unicodeScalars.contains { $0.value < 32 || $0.value == 0x202E })
            #expect(shown.utf8.count < 2000)
            #expect(try history.database.users().count == 1)
        }
    }

    @Test(arguments: [
        "Robert'); DROP TABLE person;--", "\"quoted\"", "%s%n", "👨‍👩‍👧‍👦", "名前", String(repeating: "ü", count: 64),
    ])
    func `a user name with unusual characters is stored unchanged`(name: String) throws {
        try withFixture { history in
            let user = try history.database.addUser(named: name)
            #expect(user.name == name)
            #expect(try history.database.users().contains(user))
        }
    }

    @Test func `profiles are sorted and replaced by day`() throws {
        try withFixture { history in
            let old = Profile(validFrom: day.advanced(by: -100), height: 1.7, weight: 80, sex: .male)
            let new = Profile(
                validFrom: day, height: 1.7, weight: 75, sex: .male, birthDate: Day("1980-02-29"), stepLength: 0.7,
                runningStepLength: 1.15)
            try history.database.setProfile(new, of: history.user.id)
            try history.database.setProfile(Profile(validFrom: old.validFrom), of: history.user.id)
            try history.database.setProfile(old, of: history.user.id)
            #expect(try history.database.profiles(of: history.user.id) == [old, new])
            #expect(try history.data(on: day.advanced(by: -101)).profile == nil)
            #expect(try history.data(on: day.advanced(by: -1)).profile == old)
            #expect(try history.data(on: day).profile == new)
            try history.database.removeProfile(validFrom: day.advanced(by: 1), of: history.user.id)
            try history.database.removeProfile(validFrom: day, of: history.user.id)
            #expect(try history.database.profiles(of: history.user.id) == [old])
            #expect(try history.data(on: day).profile == old)
        }
    }

    @Test func `sport plans are sorted and replaced by day`() throws {
        try withFixture { history in
            let old = SportPlan(validFrom: day.advanced(by: -100), everyDay: 8000)
            let new = SportPlan(validFrom: day, goals: [1, 2, 3, 4, 5, 6, 0])
            try history.database.setPlan(SportPlan(validFrom: day, everyDay: 1), of: history.user.id)
            try history.database.setPlan(new, of: history.user.id)
            try history.database.setPlan(old, of: history.user.id)
            #expect(try history.database.plans(of: history.user.id) == [old, new])
            #expect(try history.data(on: day.advanced(by: -1)).plan == old)
            #expect(try history.data(on: day.advanced(by: 1000)).plan == new)
            try history.database.removePlan(validFrom: old.validFrom, of: history.user.id)
            #expect(try history.database.plans(of: history.user.id) == [new])
            #expect(try history.data(on: day.advanced(by: -1)).plan == nil)
        }
    }

    @Test func `the schema rejects values out of range`() throws {
        try withFixture { history in
            let user = history.user.id
            let refused: [() throws -> Void] = [
                { try history.database.setProfile(Profile(validFrom: day, height: 20), of: user) },
                { try history.database.setProfile(Profile(validFrom: day, weight: -1), of: user) },
                { try history.database.setProfile(Profile(validFrom: day, weight: .infinity), of: user) },
                { try history.database.setProfile(Profile(validFrom: day, stepLength: 0), of: user) },
                { try history.database.setProfile(Profile(validFrom: day, runningStepLength: 2.6), of: user) },
                { try history.database.setPlan(SportPlan(validFrom: day, everyDay: 200_001), of: user) },
                { try history.database.setPlan(SportPlan(validFrom: day, everyDay: -1), of: user) },
                { try history.database.setCorrection(-1, of: user, on: day, at: noon) },
            ]
            for body in refused {
                guard case .invalidValue = historyError(body) else {
                    Issue.record("taken")
                    continue
                }
            }
            #expect(try history.database.profiles(of: user).isEmpty)
            #expect(try history.database.plans(of: user).isEmpty)
            // The bounds of the domain and those of the schema are the same ones.
            for height in [Profile.heights.lowerBound, Profile.heights.upperBound] {
                for weight in [Profile.weights.lowerBound, Profile.weights.upperBound] {
                    for length in [Profile.stepLengths.lowerBound, Profile.stepLengths.upperBound] {
                        let profile = Profile(validFrom: day, height: height, weight: weight, stepLength: length)
                        try history.database.setProfile(profile, of: user)
                        #expect(try history.database.profiles(of: user) == [profile])
                    }
                }
            }
            try history.database.setPlan(SportPlan(validFrom: day, everyDay: SportPlan.goalRange.upperBound), of: user)
        }
    }

    @Test func `a correction can be set, replaced and removed`() throws {
        try withFixture { history in
            try history.database.setCorrection(5000, of: history.user.id, on: day, at: noon)
            try history.database.setCorrection(6000, of: history.user.id, on: day, at: noon + 1)
            #expect(try history.data().correction == StepCorrection(steps: 6000, enteredAt: noon + 1))
            #expect(try history.data(on: day.advanced(by: 1)).correction == nil)
            try history.database.setCorrection(nil, of: history.user.id, on: day, at: noon + 2)
            #expect(try history.data().correction == nil)
        }
    }

    @Test func `a correction has a reason of at most 200 characters`() throws {
        try withFixture { history in
            let corrections = [
                StepCorrection(
                    steps: 1, reason: String(repeating: "ä", count: StepCorrection.maximumReason), enteredAt: noon),
                StepCorrection(steps: 2, enteredAt: noon),
            ]
            for correction in corrections {
                try history.database.setCorrection(correction, of: history.user.id, on: day, at: noon)
                #expect(try history.data().correction == correction)
            }
            for reason in ["", String(repeating: "x", count: StepCorrection.maximumReason + 1)] {
                _ = historyError {
                    try history.database.setCorrection(
                        StepCorrection(steps: 3, reason: reason), of: history.user.id, on: day, at: noon)
                }
                #expect(try history.data().correction == corrections[1])
            }
        }
    }

    @Test func `an unknown user is reported as not found`() throws {
        try withFixture { history in
            let nobody: User.ID = 99
            let database = history.database
            let attempts: [() throws -> Void] = [
                { try database.setProfile(Profile(validFrom: day), of: nobody) },
                { try database.setPlan(SportPlan(validFrom: day, everyDay: 1), of: nobody) },
                { try database.setCorrection(1, of: nobody, on: day, at: noon) },
                {
                    _ = try database.addPedometer(
                        .ring(of: User(id: nobody, name: "?"), address: "00:00:00:00:00:02", name: "x"))
                },
            ]
            for attempt in attempts { expect(.notFound(.user, id: nobody), from: attempt) }
        }
    }
}
