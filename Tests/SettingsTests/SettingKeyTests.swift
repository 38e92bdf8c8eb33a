import Testing

@testable import Settings

@Suite(.timeLimit(.minutes(5))) struct SettingKeyTests {
    @Test(arguments: [
        ("", "", 0), ("", "abc", 3), ("abc", "", 3), ("abc", "abc", 0), ("abc", "abd", 1), ("abc", "acb", 1),
        ("timeout", "tiemout", 1), ("kitten", "sitting", 3), ("user", "üser", 1),
    ])
    func `the edit distance counts insertions, deletions, replacements and swaps`(a: String, b: String, distance: Int) {
        #expect(editDistance(a, b) == distance)
        #expect(editDistance(b, a) == distance)
    }

    @Test func `a key unlike all known keys has no nearest key`() {
        #expect(SettingKey.nearest(to: "x") == nil)
        #expect(SettingKey.nearest(to: "") == nil)
        #expect(SettingKey.nearest(to: "USER") == .user)
    }
}
