import Testing

@testable import Settings

@Suite(.timeLimit(.minutes(5))) struct SettingKeyTests {
    @Test func `a key unlike all known keys has no nearest key`() {
        #expect(SettingKey.nearest(to: "x") == nil)
        #expect(SettingKey.nearest(to: "") == nil)
        #expect(SettingKey.nearest(to: "USER") == .user)
    }
}
