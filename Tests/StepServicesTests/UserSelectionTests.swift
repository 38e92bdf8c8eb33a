import StepDomain
import StepServices
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct UserSelectionTests {
    private let history = InMemoryHistory()

    private func user(_ wanted: String? = nil, login: String = "root", creating creation: UserSelection.Creation = .never) throws -> User {
        try UserSelection(history, wanted: wanted, login: login).user(creating: creation)
    }

    @Test func `the only user need not be named`() throws {
        let anna = history.addUser(named: "anna")
        #expect(try user() == anna)
        #expect(try user("ANNA") == anna)
    }

    @Test func `the user who is logged in is chosen from several users`() throws {
        _ = history.addUser(named: "anna")
        let ben = history.addUser(named: "ben")
        #expect(try user(login: "ben") == ben)
        #expect(throws: ServiceError.severalUsers(known: ["anna", "ben"])) { try user() }
    }

    @Test func `an unknown name is an error unless a new user is requested`() throws {
        _ = history.addUser(named: "anna")
        #expect(throws: ServiceError.unknownUser("bob", known: ["anna"])) { try user("bob") }
        #expect(throws: ServiceError.unknownUser("bob", known: ["anna"])) { try user("bob", creating: .first) }
        let bob = try user("bob", creating: .always)
        #expect(bob.id == 0 && history.users().count == 1, "only `stored` adds")
        #expect(try UserSelection(history, wanted: nil, login: "").stored(bob).id != 0)
        #expect(history.users().map(\.name) == ["anna", "bob"])
    }

    @Test func `pedometers are found by name and address, each once`() throws {
        let outbox = OutboxFixture()
        let selection = try PedometerSelection(outbox.history)
        #expect(try selection.pedometers(named: ["RING", "c0:de:00:00:00:01"], of: nil) == [outbox.ring])
        #expect(throws: ServiceError.unknownPedometer("watch", known: ["ring"])) { try selection.pedometer("watch") }
        let ben = outbox.history.addUser(named: "ben")
        #expect(try selection.pedometers(named: [], of: ben).isEmpty)
        #expect(try selection.pedometers(named: [], of: nil) == [outbox.ring])
    }

    @Test func `values of a plan or a profile that are not given stay unchanged`() throws {
        let anna = history.addUser(named: "anna")
        let planning = Planning(history, today: april20)
        try planning.setPlan(everyDay: 8000, weekdays: [.sunday: 0], from: nil, of: anna)
        try planning.setPlan(everyDay: nil, weekdays: [.saturday: 12_000], from: nil, of: anna)
        let plans = try history.plans(of: anna.id)
        #expect(plans.map(\.validFrom) == [Day(daysSince1970: 0), april20], "the first holds for all days, the next from today")
        #expect(plans[0][.saturday] == 8000 && plans[1][.saturday] == 12_000)
        #expect(plans[1][.sunday] == 0 && plans[1][.monday] == 8000)

        try planning.setProfile(.init(height: 1.78, weight: 72), from: nil, of: anna)
        try planning.setProfile(.init(weight: 70), from: april21, of: anna)
        let profiles = history.profiles(of: anna.id)
        #expect(profiles.map(\.height) == [1.78, 1.78] && profiles.map(\.weight) == [72, 70])
        #expect(profiles[1].validFrom == april21)
    }
    @Test func `a plan or a profile can begin on any day of the calendar`() throws {
        let anna = history.addUser(named: "anna")
        let planning = Planning(history, today: april20)
        for day in [Period.calendar.lowerBound, Validity.beginning.advanced(by: -1), Period.calendar.upperBound.advanced(by: 1)] {
            #expect(throws: ServiceError.unusableFirstDay(day)) { try Planning.check(firstDay: day) }
            #expect(throws: ServiceError.unusableFirstDay(day)) { try planning.setPlan(everyDay: 1, weekdays: [:], from: day, of: anna) }
            #expect(throws: ServiceError.unusableFirstDay(day)) { try planning.setProfile(.init(weight: 70), from: day, of: anna) }
        }
        #expect(try history.plans(of: anna.id).isEmpty && history.profiles(of: anna.id).isEmpty)
        try planning.setPlan(everyDay: 8000, weekdays: [:], from: Validity.firstDays.lowerBound, of: anna)
        try planning.setProfile(.init(weight: 70), from: Validity.firstDays.upperBound, of: anna)
        #expect(try history.plans(of: anna.id).map(\.validFrom) == [Day(daysSince1970: 0)])
        #expect(ServiceError.unusableFirstDay(april20).category == .usage)
    }
}
