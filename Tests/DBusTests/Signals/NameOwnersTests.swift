import Testing

@testable import DBus

@Suite(.timeLimit(.minutes(5))) struct NameOwnersTests {
    @Test func `a later change replaces the owner from the answer`() {
        var owners = NameOwners()
        owners.follow("a.b")
        owners.didAnswer("a.b", owner: ":1.1", askedAfter: owners.changes(of: "a.b"))
        #expect(owners.owner(of: "a.b") == ":1.1")
        owners.didChange("a.b", to: ":1.2")
        #expect(owners.owner(of: "a.b") == ":1.2")
        owners.didChange("a.b", to: "")
        #expect(owners.owner(of: "a.b") == nil)
    }

    @Test func `an older answer does not replace a newer change`() {
        var owners = NameOwners()
        owners.follow("a.b")
        let asked = owners.changes(of: "a.b")
        owners.didChange("a.b", to: ":1.2")
        owners.didAnswer("a.b", owner: ":1.1", askedAfter: asked)
        #expect(owners.owner(of: "a.b") == ":1.2")
    }

    @Test func `a name is followed until its last follower leaves`() {
        var owners = NameOwners()
        owners.follow("a.b")
        owners.follow("a.b")
        owners.didChange("a.b", to: ":1.1")
        owners.unfollow("a.b")
        #expect(owners.owner(of: "a.b") == ":1.1")
        owners.unfollow("a.b")
        #expect(owners.owner(of: "a.b") == nil)
        owners.didChange("a.b", to: ":1.2")
        #expect(owners.owner(of: "a.b") == nil)
    }
}
