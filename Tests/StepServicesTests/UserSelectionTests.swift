import StepDomain
import StepServices
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct UserSelectionTests {
    private let history = InMemoryHistory()

    private func user(
        _ wanted: String? = nil, login: String = "root", creating creation: UserSelection.Creation = .never
    ) throws -> User {
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

    @Test func `a user is selected from several users only`() throws {
        func name(_ wanted: String? = nil, login: String = "root") throws -> String? {
            try UserSelection(history, wanted: wanted, login: login).nameAmongSeveral()
        }
        #expect(try name() == nil)
        _ = history.addUser(named: "anna")
        #expect(try name("anna") == nil)
        _ = history.addUser(named: "ben")
        #expect(try name("ANNA") == "anna")
        #expect(try name(login: "ben") == "ben")
        #expect(try name() == nil, "the page lets choose")
        #expect(throws: ServiceError.unknownUser("bob", known: ["anna", "ben"])) { try name("bob") }
        let configured = UserSelection(history, wanted: "bob", isConfigured: true, login: "root")
        #expect(try configured.nameAmongSeveral() == nil, "the page shows what is wrong")
    }

    @Test func `a plan begins a user who is requested, but not by a typing error`() throws {
        _ = history.addUser(named: "anna")
        func user(_ wanted: String?, isConfigured: Bool = false) throws -> User {
            try UserSelection(history, wanted: wanted, isConfigured: isConfigured, login: "root").userToSet()
        }
        #expect(throws: ServiceError.similarUser("ana", known: "anna")) { try user("ana") }
        #expect(try user("bob").isNew)
        #expect(throws: ServiceError.unknownUser("bob", known: ["anna"])) { try user("bob", isConfigured: true) }
        #expect(try user(nil).name == "anna")
    }

    @Test func `an unknown name is an error unless a new user is requested`() throws {
        _ = history.addUser(named: "anna")
        #expect(throws: ServiceError.unknownUser("bob", known: ["anna"])) { try user("bob") }
        #expect(throws: ServiceError.unknownUser("bob", known: ["anna"])) { try user("bob", creating: .first) }
        let bob = try user("bob", creating: .always)
        #expect(bob.isNew && history.users().count == 1, "only `stored` adds")
        #expect(try UserSelection(history, wanted: nil, login: "").stored(bob).isNew == false)
        #expect(history.users().map(\.name) == ["anna", "bob"])
    }

    @Test func `pedometers are found by name and address, each once`() throws {
        let outbox = OutboxFixture()
        let selection = try PedometerSelection(outbox.history)
        #expect(try selection.pedometers(named: ["RING", "c0:de:00:00:00:01"]) == [outbox.ring])
        #expect(throws: ServiceError.unknownPedometer("watch", known: ["ring"])) { try selection.pedometer("watch") }
        #expect(try selection.pedometers(named: []) == [outbox.ring])
    }

    @Test func `a pedometer of another user is not chosen, by whatever it is named`() throws {
        let outbox = OutboxFixture()
        _ = outbox.history.addUser(named: "ben")
        let owner = try #require(outbox.history.users().first { $0.id == outbox.ring.user }?.name)
        let selection = try PedometerSelection(outbox.history, ofUserNamed: "BEN")
        for name in ["ring", "C0:DE:00:00:00:01"] {
            #expect(throws: ServiceError.pedometerOfAnother("ring", owner: owner, user: "ben")) {
                try selection.pedometer(name)
            }
            #expect(throws: ServiceError.self) { try selection.pedometers(named: [name]) }
        }
        #expect(try selection.pedometers(named: []).isEmpty)
        #expect(throws: ServiceError.unknownPedometer("watch", known: [])) { try selection.pedometer("watch") }
        #expect(try PedometerSelection(outbox.history, ofUserNamed: owner).pedometer("ring") == outbox.ring)
        #expect(throws: ServiceError.self) { try PedometerSelection(outbox.history, ofUserNamed: "carl") }
    }
}
