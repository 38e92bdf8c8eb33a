import Testing

@testable import DBus

@Suite(.timeLimit(.minutes(5))) struct MatchRuleTests {
    @Test func `a rule is written in the syntax of the bus`() throws {
        #expect(try MatchRule().text() == "type='signal'")
        #expect(
            try MatchRule(sender: "org.bluez", path: "/a", interface: "a.B", member: "C", arg0: "it's").text()
                == #"type='signal',sender='org.bluez',path='/a',interface='a.B',member='C',arg0='it'\''s'"#)
        #expect(
            try MatchRule(pathNamespace: "/org/bluez", arg0: "").text()
                == "type='signal',path_namespace='/org/bluez',arg0=''")
        #expect(try MatchRule(arg0: #"a,b='c'\"#).text() == #"type='signal',arg0='a,b='\''c'\''\'"#)
    }

    @Test(arguments: [
        MatchRule(sender: "no name"), MatchRule(sender: "a'.b"), MatchRule(interface: "a"), MatchRule(member: "a.b"),
        MatchRule(arg0: "a\0"), MatchRule(path: "/a", pathNamespace: "/a"),
    ])
    func `an invalid rule is rejected`(_ rule: MatchRule) {
        #expect(throws: DBusError.self) { try rule.text() }
    }

    private let header = SignalHeader(sender: ":1.5", path: "/a/b", interface: "a.B", member: "C")

    private func matches(_ rule: MatchRule, owners: [String: String] = [:]) -> Bool {
        rule.matches(header) { owners[$0] }
    }

    @Test func `an empty rule matches any signal`() {
        #expect(matches(MatchRule()))
    }

    @Test func `path, interface, member and path namespace are compared`() {
        #expect(matches(MatchRule(path: "/a/b", interface: "a.B", member: "C")))
        #expect(!matches(MatchRule(path: "/a")))
        #expect(!matches(MatchRule(interface: "a.C")))
        #expect(!matches(MatchRule(member: "D")))
        #expect(matches(MatchRule(pathNamespace: "/a")))
        #expect(matches(MatchRule(pathNamespace: "/a/b")))
        #expect(!matches(MatchRule(pathNamespace: "/a/b/c")))
        #expect(!matches(MatchRule(pathNamespace: "/ab")))
    }

    @Test func `the sender is compared by unique name or name owner`() {
        #expect(matches(MatchRule(sender: ":1.5")))
        #expect(!matches(MatchRule(sender: ":1.6")))
        #expect(matches(MatchRule(sender: "org.bluez"), owners: ["org.bluez": ":1.5"]))
        #expect(!matches(MatchRule(sender: "org.bluez"), owners: ["org.bluez": ":1.6"]))
        #expect(!matches(MatchRule(sender: "org.bluez")))
        #expect(!matches(MatchRule(sender: "org.freedesktop.DBus")))
    }

    @Test func `the first argument is compared only as a string`() {
        let rule = MatchRule(arg0: "a")
        #expect(rule.matches(arguments: [.string("a"), .byte(1)]))
        #expect(!rule.matches(arguments: [.string("b")]))
        #expect(!rule.matches(arguments: []))
        // The bus compares strings only, and does not look into variants.
        #expect(!rule.matches(arguments: [.variant(.string("a"))]))
        #expect(MatchRule().matches(arguments: []))
    }
}
