import Testing

@testable import Support

@Suite(.timeLimit(.minutes(5))) struct NearestKeyTests {
    @Test(arguments: [
        ("", "", 0), ("", "abc", 3), ("abc", "", 3), ("abc", "abc", 0), ("abc", "abd", 1), ("abc", "acb", 1),
        ("timeout", "tiemout", 1), ("kitten", "sitting", 3), ("user", "üser", 1),
    ])
    func `the edit distance counts insertions, deletions, replacements and swaps`(a: String, b: String, distance: Int) {
        #expect(editDistance(a, b) == distance)
        #expect(editDistance(b, a) == distance)
    }
}
