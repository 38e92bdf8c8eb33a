import StepDomain
import Testing

@Suite struct ClockMarkTests {
    private static let start = Timestamp(1_397_988_000)

    private func mark(_ seconds: Int, uptime: Int, boot: String = "a", isTrusted: Bool = false) -> ClockMark {
        ClockMark(at: Self.start + seconds, uptime: uptime, boot: boot, isTrusted: isTrusted)
    }

    /// Many machines ask no time server: they are not made to wait for one.
    @Test(arguments: [(false, false, false), (true, false, true), (false, true, true), (true, true, true)])
    func `a clock is believed if a time server has set it, or if it runs while the machine is off`(
        isTrusted: Bool, hasOwnClock: Bool, expected: Bool
    ) {
        let mark = ClockMark(at: Self.start, uptime: 60, boot: "a", isTrusted: isTrusted, hasOwnClock: hasOwnClock)
        #expect(mark.isBelieved == expected)
    }

    @Test(arguments: [
        // Clock and uptime went on alike.
        (86_400, 87_400, "a", ClockMark.Change.none),
        // As much as a slow clock is corrected by, and no more.
        (86_400 + 3_600, 87_400, "a", .none),
        (86_400 + 3_601, 87_400, "a", .set(seconds: 3_601)),
        (86_400 - 3_601, 87_400, "a", .set(seconds: -3_601)),
        // Years forward, as when a time server is reached first; and back.
        (86_400 * 4_000, 1_060, "a", .set(seconds: 86_400 * 4_000 - 60)),
        (-86_400 * 3, 1_060, "a", .set(seconds: -86_400 * 3 - 60)),
        // After a restart the time in between is not known. Only a clock that has gone back was wrong.
        (86_400, 60, "b", .none),
        (-3_600, 60, "b", .none),
        (-3_601, 60, "b", .unknown),
    ])
    func `what happened to a clock that no time server has set`(
        seconds: Int, uptime: Int, boot: String, expected: ClockMark.Change
    ) {
        #expect(mark(seconds, uptime: uptime, boot: boot).change(since: mark(0, uptime: 1_000)) == expected)
    }

    @Test func `after a restart, a time server that sets the clock first shows that it may have been wrong`() {
        let before = mark(0, uptime: 1_000)
        #expect(mark(60, uptime: 30, boot: "b", isTrusted: true).change(since: before) == .unknown)
        let trusted = mark(0, uptime: 1_000, isTrusted: true)
        #expect(mark(60, uptime: 30, boot: "b", isTrusted: true).change(since: trusted) == .none)
        #expect(mark(60, uptime: 30, boot: "b").change(since: trusted) == .none)
    }

    /// An uptime that is less is one of a restart, although nothing names the start.
    @Test func `starts of the machine that cannot be told apart are not taken for one`() {
        let before = mark(0, uptime: 1_000, boot: "")
        #expect(mark(86_400, uptime: 60, boot: "").change(since: before) == .none)
        #expect(mark(-86_400, uptime: 60, boot: "").change(since: before) == .unknown)
    }
}
