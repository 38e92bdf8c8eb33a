import Desktop
import Testing

struct DesktopNoticeTests {
    @Test func isAValue() {
        #expect(DesktopNotice(summary: "a", body: "b") == DesktopNotice(summary: "a", body: "b"))
    }
}
