import StepDomain
import Testing

@testable import StepViews

@Suite(.timeLimit(.minutes(5))) struct BrowseStateTests {
    private let today = Sample.day
    private var first: Day { today.advanced(by: -400) }

    private func state(_ keys: String = "") -> BrowseState {
        var state = BrowseState(today: today, known: first...today, weekStart: .monday)
        press(keys, &state)
        return state
    }

    /// `<` and `>` are the arrows, `_` is Enter.
    private func press(_ keys: String, _ state: inout BrowseState) {
        let named: [Character: KeyDecoder.Key] = ["<": .left, ">": .right, "_": .enter, "^": .up, "v": .down]
        for key in keys { _ = state.press(named[key] ?? .character(key)) }
    }

    private func lines(
        _ state: BrowseState, _ content: [String] = [], columns: Int = 100, lines: Int = 24, unicode: Bool = true
    ) -> [String] {
        state.screen(content, columns: columns, lines: lines, style: TextStyle(width: columns, unicode: unicode))
    }

    @Test(arguments: [
        ("", "2014-04-20"), ("<", "2014-04-19"), ("<<", "2014-04-18"), ("<>", "2014-04-20"), (">", "2014-04-20"),
        ("<<<t", "2014-04-20"),
        // The last day of the month before, then that day.
        ("m<d", "2014-03-31"), ("y<d", "2013-12-31"), ("w<d", "2014-04-13"), ("w<>d", "2014-04-20"),
    ])
    func `arrow keys move by the unit of the view`(keys: String, day: String) {
        #expect(state(keys).content == .day(Day(day) ?? today))
    }

    @Test func `from before the history of another user, the arrow leads into it`() {
        var state = state("<<<")
        state.known = today.advanced(by: -1)...today
        press(">", &state)
        #expect(state.content == .day(today.advanced(by: -1)) && state.message == nil)
    }

    /// Entries of the days after 2013-01-01 with these numbers.
    private static func waiting(_ days: ClosedRange<Int>) -> [BrowseState.OutboxEntry] {
        days.map {
            let day = Day("2013-01-01")!.advanced(by: $0)
            return BrowseState.OutboxEntry(
                ShareEntry(user: 1, day: day, destination: "garden", changedAt: Timestamp(0)))
        }
    }

    @Test func `a day of the outbox is chosen, retried and dropped`() {
        var state = state("S")
        // Nothing to choose: the keys do nothing.
        for key in ["r", "x", "x"] as [Character] { #expect(state.press(.character(key)) == nil) }
        state.outbox = Self.waiting(1...3)
        #expect(state.press(.character("r")) == .retry(Self.waiting(1...1)[0]))
        press("vvvv^", &state)
        #expect(state.selection == 1 && state.press(.character("r")) == .retry(Self.waiting(2...2)[0]))
        // Dropping is asked twice, and any other key between is a no.
        #expect(state.press(.character("x")) == nil && state.message?.contains("x again") == true)
        #expect(state.press(.character("x")) == .drop(Self.waiting(2...2)[0]))
        press("xv", &state)
        #expect(state.press(.character("x")) == nil)
        press("x", &state)
        state.outbox = Self.waiting(1...1)
        #expect(state.selection == 0)
        // Not while something runs.
        state.report(work: "Sending")
        #expect(state.press(.character("r")) == nil)
        press("x", &state)
        #expect(state.press(.character("x")) == nil)
        // On the days they are other keys.
        var days = self.state()
        days.outbox = Self.waiting(1...3)
        #expect(days.press(.character("r")) == nil && days.press(.character("x")) == nil)
    }

    @Test func `a day is dropped only if its confirmation was on the screen`() {
        // While something runs, the last line shows that.
        var state = state("S")
        state.outbox = Self.waiting(1...3)
        state.report(work: "Syncing")
        press("x", &state)
        state.report(work: nil)
        #expect(state.press(.character("x")) == nil && state.message?.contains("x again") == true)
        // The result of something that ran replaces the question.
        state.report("ring: nothing new")
        #expect(state.press(.character("x")) == nil)
        // Another entry came while the question was asked.
        state.outbox = Self.waiting(0...3)
        #expect(state.press(.character("x")) == nil)
        #expect(state.press(.character("x")) == .drop(Self.waiting(1...1)[0]))
        // Another pane was shown in between.
        press("x", &state)
        _ = state.press(.escape)
        press("S", &state)
        #expect(state.press(.character("x")) == nil && state.press(.character("r")) == nil)
    }

    @Test func `the chosen day stays chosen when others come and go`() {
        var state = state("S")
        state.outbox = Self.waiting(1...3)
        press("v", &state)
        state.outbox = Self.waiting(0...3)
        #expect(state.selection == 2 && state.press(.character("r")) == .retry(Self.waiting(2...2)[0]))
        state.outbox = Self.waiting(2...3)
        #expect(state.selection == 0)
        state.outbox = []
        #expect(state.selection == 0 && state.press(.character("r")) == nil)
    }

    @Test func `the chosen day of a long outbox is on the screen`() {
        var state = state("S")
        state.outbox = Self.waiting(1...50)
        for index in 0..<50 {
            let content = ["garden"] + (0..<50).map { ($0 == state.selection ? "> " : "  ") + "day \($0)" }
            #expect(lines(state, content, lines: 10).contains("> day \(index)"), "\(index)")
            press("v", &state)
        }
    }

    /// `v` and `^` mark the next and the previous day or month, `_` opens it.
    @Test(arguments: [
        ("w_", "2014-04-20"), ("w^_", "2014-04-19"), ("w^^^v_", "2014-04-18"), ("wv_", "2014-04-20"),
        ("w^^^^^^^^^_", "2014-04-14"), ("m^^_", "2014-04-18"), ("y^__", "2014-03-31"), ("yv__", "2014-04-20"),
        ("y^^^^^^__", "2014-01-31"), ("y<__", "2013-12-31"), ("y<^__", "2013-11-30"),
    ])
    func `Enter opens the marked day of a week or month, and the marked month of a year`(_ keys: String, _ day: String)
    {
        #expect(state(keys).content == .day(Day(day) ?? today), "\(state(keys).content)")
        if keys.hasPrefix("y") {
            let month = Period(.month, containing: Day(day) ?? today)
            #expect(state(String(keys.dropLast())).content == .period(month))
        }
    }

    @Test func `Home and End lead to the first day and to today, in each unit`() {
        for (key, unit) in [("d", Period.Unit.day), ("w", .week), ("m", .month), ("y", .year)] {
            var state = state(key + "<")
            _ = state.press(.home)
            let beginning = Period(unit, containing: first)
            #expect(state.content == (unit == .day ? .day(first) : .period(beginning)), "\(unit)")
            _ = state.press(.end)
            #expect(state.content == (unit == .day ? .day(today) : .period(Period(unit, containing: today))))
        }
        // Elsewhere they scroll.
        let content = (0..<50).map { "line \($0)" }
        var help = state("?")
        _ = help.press(.end)
        help.limitScroll(to: content, lines: 24)
        #expect(lines(help, content)[21] == "line 49")
        _ = help.press(.home)
        #expect(lines(help, content)[0] == "line 0")
    }

    @Test func `another user is chosen where there are several, and not while something runs`() {
        var state = state("w")
        #expect(state.press(.character("u")) == nil && state.message == "The history has one user.")
        state.hasSeveralUsers = true
        #expect(state.press(.character("u")) == .switchUser)
        state.report(work: "Syncing")
        #expect(state.press(.character("u")) == nil)
    }

    @Test func `the head stays on a screen of 24 lines while the days scroll, and the marked day is visible`() {
        let head = ["title", "Total", "Mean", "Goal"]
        for marked in 0..<31 {
            let content = [""] + (0..<31).map { ($0 == marked ? "> " : "  ") + "day \($0)" } + ["", "Best", "Days"]
            var state = state("m")
            state.limitScroll(to: content, head: head, lines: 24)
            let screen = state.screen(
                content, head: head, columns: 80, lines: 24, style: TextStyle(width: 80, unicode: true))
            #expect(screen.count == 24 && Array(screen.prefix(4)) == head)
            #expect(screen.contains("> day \(marked)"), "\(screen)")
        }
        // Too low for both: the title stays, and the rest of the head scrolls away.
        let content = (0..<50).map { "line \($0)" }
        let low = state("m").screen(
            content, head: head, columns: 80, lines: 12, style: TextStyle(width: 80, unicode: true))
        #expect(low.count == 12 && Array(low.prefix(5)) == head + ["line 0"])
        var end = state("m")
        for _ in 0..<9 { _ = end.press(.pageDown) }
        end.limitScroll(to: content, head: head, lines: 12)
        let last = end.screen(
            content, head: head, columns: 80, lines: 12, style: TextStyle(width: 80, unicode: true))
        #expect(last[9] == "line 49" && last[0] == "title" && !last.contains("Total"))
    }

    @Test func `on ten lines the title stays, arrows show where more is, and Page Up leaves the mark`() {
        let head = ["title", "Total", "Mean", "Goal"]
        let content = [""] + (0..<31).map { ($0 == 30 ? "> " : "  ") + "day \($0)" } + ["", "Best", "Days"]
        var state = state("m")
        func screen() -> [String] {
            state.limitScroll(to: content, head: head, lines: 10)
            return state.screen(
                content, head: head, columns: 80, lines: 10, style: TextStyle(width: 80, unicode: true))
        }
        #expect(screen().contains("> day 30") && screen()[0] == "title" && screen()[8] == " (more: ↑ ↓)")
        // From where the screen is, and not from where it began; no line is left out.
        let before = screen()[1]
        _ = state.press(.pageUp)
        #expect(screen()[7] == before && !screen().contains("> day 30") && screen()[0] == "title")
        _ = state.press(.pageDown)
        _ = state.press(.pageDown)
        #expect(screen().contains("Days") && screen()[8] == " (more: ↑)")
        for _ in 0..<9 {
            _ = state.press(.pageUp)
            _ = screen()
        }
        #expect(screen().prefix(4) == ["title", "Total", "Mean", "Goal"] && screen()[8] == " (more: ↓)")
        // A mark that is moved is on the screen again.
        _ = state.press(.up)
        #expect(screen().contains("> day 30"))
    }

    @Test func `in the outbox Page Up and Page Down choose, so that what is dropped is on the screen`() {
        var state = state("S")
        state.outbox = Self.waiting(1...30)
        _ = state.press(.pageDown)
        #expect(state.selection == 10)
        for _ in 0..<5 { _ = state.press(.pageDown) }
        #expect(state.selection == 29)
        _ = state.press(.pageUp)
        #expect(state.selection == 19)
        state.outbox = []
        _ = state.press(.pageDown)
        #expect(state.selection == 0)
    }

    @Test func `units show the period of the day`() {
        for (key, unit) in [("w", Period.Unit.week), ("m", .month), ("y", .year)] {
            #expect(state(key).content == .period(Period(unit, containing: today)))
        }
        #expect(state("yd").content == .day(today))
    }

    @Test func `there is nothing before the first known day and after today`() {
        var state = state()
        state.go(to: first)
        press("<", &state)
        #expect(state.content == .day(first) && state.message == "Nothing is known before this.")
        press("t>", &state)
        #expect(state.content == .day(today) && state.message == "The next day has not begun.")
        press("y>", &state)
        #expect(state.message == "The next year has not begun.")
        state.go(to: today.advanced(by: 1))
        #expect(state.message == "2014-04-21 has not begun.")
        state.go(to: first.advanced(by: -1))
        #expect(
            state.message == "The history begins on 2013-03-16."
                && state.content == .period(Period(.year, containing: today)))
    }

    @Test func `a date is typed and can be corrected`() {
        var state = state("g2014-04-0x")
        #expect(state.input == "2014-04-0x" && lines(state)[22] == "Day: 2014-04-0x_")
        _ = state.press(.backspace)
        press("3", &state)
        #expect(state.press(.enter) == .find("2014-04-03") && state.input == nil)
        // Keys that mean something elsewhere are text here.
        press("gqs", &state)
        #expect(state.input == "qs")
        _ = state.press(.escape)
        #expect(state.input == nil && state.press(.character("q")) == .quit)
        press("g" + String(repeating: "1", count: 99), &state)
        #expect(state.input?.count == 20)
        var empty = self.state("g")
        #expect(empty.press(.enter) == nil && empty.input == nil)
    }

    @Test func `keys that need a service return an effect`() {
        var state = state("<")
        #expect(
            state.press(.character("q")) == .quit && state.press(.control("c")) == .quit
                && state.press(.control("z")) == .suspend)
        #expect(state.press(.character("s")) == .sync)
        // One at a time.
        state.report(work: "ring: day 2 of 8")
        #expect(state.press(.character("s")) == nil && lines(state)[22] == "ring: day 2 of 8")
        state.report(work: nil)
        #expect(state.press(.character("S")) == nil && state.content == .outbox)
        #expect(state.press(.enter) == .share(Day("2014-04-19") ?? today))
        #expect(state.press(.escape) == nil && state.content == .day(Day("2014-04-19") ?? today))
        #expect(state.press(.enter) == nil, "on a day it shares nothing")
    }

    @Test func `leaving the help or the outbox returns to the previous view`() {
        #expect(
            state("?").content == .help && state("??").content == .day(today)
                && state("S<").content == .day(today.advanced(by: -1)))
        var state = state("?")
        _ = state.press(.escape)
        #expect(state.content == .day(today))
    }

    @Test func `the screen has as many lines as the terminal`() {
        let content = (0..<50).map { "line \($0)" }
        for size in [8, 24, 60] {
            let screen = lines(state(), content, lines: size)
            #expect(screen.count == size && screen[0] == "line 0")
            #expect(screen[size - 2].contains("more") == (size < 52))
        }
        #expect(lines(state("vvv"), content)[0] == "line 3" && lines(state("vvv^"), content)[0] == "line 2")
        // No farther than the last line.
        var far = state(String(repeating: "v", count: 99))
        far.limitScroll(to: content, lines: 24)
        #expect(lines(far, content)[21] == "line 49")
        // The way back begins there.
        press("^", &far)
        #expect(lines(far, content)[21] == "line 48")
    }

    @Test(arguments: [1, 10, 39]) func `a terminal that is too small gets a message`(columns: Int) {
        let screen = lines(state(), ["x"], columns: columns, lines: 20)
        #expect(screen.allSatisfy { $0.count <= columns })
        if columns > 8 { #expect(screen.joined(separator: " ").contains("Too small")) }
        #expect(lines(state(), ["x"], columns: 100, lines: 3).count <= 3)
    }

    @Test(arguments: ["", "?", "S", "g", "w"]) func `no line is wider than the terminal`(keys: String) {
        for columns in [40, 72, 80, 200] {
            var state = state(keys)
            state.report(String(repeating: "long message ", count: 40))
            for unicode in [true, false] {
                let screen = lines(state, [], columns: columns, unicode: unicode)
                #expect(screen.allSatisfy { Columns.of($0) < columns || Columns.of($0) == 0 }, "\(screen)")
                #expect(unicode || screen.joined().unicodeScalars.allSatisfy(\.isASCII), "\(screen)")
            }
        }
    }

    @Test(arguments: ["", "?", "S", "g", "w", "y"], [true, false])
    func `the keys and the messages fit on every terminal`(keys: String, isWaiting: Bool) {
        for columns in [40, 60, 80, 200] {
            var state = state(keys)
            if isWaiting, keys == "S" {
                state.outbox = Self.waiting(1...3)
                press("x", &state)
                #expect(lines(state, columns: columns)[22] == "Press x again to drop the marked day.")
            }
            let shown = lines(state, columns: columns)[23]
            #expect(shown.hasSuffix(keys == "g" ? "Esc back" : "q quit") || shown.hasSuffix("  q"), "\(shown)")
        }
    }

    @Test(arguments: [40, 80]) func `the help is shown whole`(_ width: Int) {
        for unicode in [true, false] {
            let help = BrowseState.help(TextStyle(width: width, unicode: unicode))
            #expect(help.allSatisfy { Columns.of($0) <= width }, "\(help)")
            #expect(help.first?.hasPrefix(unicode ? "  ← →      the day" : "  < >      the day") == true)
            #expect(
                help.joined(separator: " ").split(separator: " ").joined(separator: " ").contains(
                    "x x drops it: it is not sent"), "\(help)")
        }
    }

    @Test func `texts from a pedometer or server cannot control the terminal`() {
        var state = state()
        state.report("ring\u{1b}[2J\u{9b}31m: gone")
        #expect(!lines(state).joined().unicodeScalars.contains { $0.value == 0x1b || $0.value == 0x9b })
    }
}
