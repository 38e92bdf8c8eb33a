import Support
import Testing

@Suite(.timeLimit(.minutes(5))) struct NameRuleTests {
    @Test func `a name has 1 to 64 characters that can be shown`() {
        #expect(NameRule.problem(of: "Anna's ring") == nil)
        #expect(NameRule.problem(of: " ") == "it is empty")
        #expect(NameRule.problem(of: String(repeating: "x", count: 64)) == nil)
        #expect(NameRule.problem(of: String(repeating: "x", count: 65)) == "it has more than 64 characters")
        #expect(
            NameRule.problem(of: "e" + String(repeating: "\u{301}", count: 256)) == "it has more than 64 characters")
        #expect(NameRule.problem(of: "a\u{202e}b") == "it contains control characters")
    }
}
