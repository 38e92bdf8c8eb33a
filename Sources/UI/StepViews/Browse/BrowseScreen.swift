internal import StepDomain

/// The lines of a terminal that show the state: what is in the middle, what happened, and which keys there are.
extension BrowseState {
    /// Scrolls to where the screen is: to the end of the content if keys went beyond it, and to the marked line, from
    /// which Page Up and Page Down then go on. To be called before each `screen`.
    ///
    /// - Parameters:
    ///   - content: its lines.
    ///   - head: the lines above it that stay.
    ///   - lines: of the terminal.
    public mutating func limitScroll(to content: [String], head: [String] = [], lines: Int) {
        let window = Window(content, head: head, lines: lines)
        scroll = window.start(scroll, following: hasMark)
        page = max(1, min(10, window.room - 1))
    }

    /// What is marked stays on the screen: an entry of the outbox, a day or month of a period.
    private var hasMark: Bool { pane == .outbox || pane == .days && unit != .day && followsMark }

    /// The part of the lines that a terminal has room for.
    private struct Window {
        /// Lines at the top that stay.
        let pinned: [String]
        let scrolled: [String]
        /// Lines of the terminal for what scrolls. Its last two are for messages and keys.
        let room: Int

        init(_ content: [String], head: [String], lines: Int) {
            // On a low terminal only the title stays: the days need the room.
            let count = lines - 2 - head.count >= 8 ? head.count : min(1, head.count)
            pinned = Array(head.prefix(count))
            scrolled = head.dropFirst(count) + content
            room = lines - 2 - count
        }

        var most: Int { max(0, scrolled.count - room) }

        /// The first line that is shown of what scrolls.
        func start(_ scroll: Int, following isFollowing: Bool) -> Int {
            guard isFollowing, let marked = scrolled.firstIndex(where: { $0.hasPrefix(OutboxView.mark) }) else {
                return min(scroll, most)
            }
            return min(max(0, marked - room + 2), most)
        }
    }

    /// The lines of the screen, exactly as many as it has, or fewer where there is nothing to show.
    ///
    /// - Parameters:
    ///   - content: of `content`, formatted for `style`; with the colours that this allows.
    ///   - head: what is above it, and stays while it scrolls.
    ///   - columns: of the terminal.
    public func screen(
        _ content: [String], head: [String] = [], columns: Int, lines: Int, style: TextStyle
    ) -> [String] {
        guard columns >= Self.smallest.columns, lines >= Self.smallest.lines else {
            var words = NarrowLines(columns: columns)
            words.add("Too small: at least \(Self.smallest.columns) columns and \(Self.smallest.lines) lines. q quits.")
            return Array(words.lines.prefix(max(lines, 1)))
        }
        let window = Window(content, head: head, lines: lines)
        let start = window.start(scroll, following: hasMark)
        var screen = Array(window.scrolled.dropFirst(start).prefix(window.room))
        screen += Array(repeating: "", count: max(0, window.room - screen.count))
        screen = window.pinned + screen
        let arrows = [start > 0 ? "↑" : nil, start < window.most ? "↓" : nil].compactMap(\.self)
        let more = arrows.isEmpty ? "" : " (more: \(arrows.joined(separator: " ")))"
        screen.append(
            clip(input.map { "Day: \($0)_" } ?? work ?? (message ?? "") + (message == nil ? more : ""), columns, style))
        screen.append(clip(keys(columns), columns, style, isFaint: true))
        return screen
    }

    /// The longest line of keys that fits.
    private func keys(_ columns: Int) -> String {
        let lines = keyLines
        return lines.first { Columns.of($0) < columns } ?? lines.last ?? ""
    }

    /// From the longest to the shortest, which fits on 40 columns.
    private var keyLines: [String] {
        if input != nil { return ["2014-04-20, yesterday, monday, -3   Enter go  Esc back", "Enter go  Esc back"] }
        switch pane {
        case .help: return ["Esc back  q quit"]
        case .outbox:
            let share = "Enter share \(day) and what waits"
            if outbox.isEmpty { return ["\(share)  Esc back  q quit", "Enter share  Esc back  q quit"] }
            let choice = "↑ ↓ choose  r retry  x drop  Esc back  q quit"
            return ["\(share)  \(choice)", "Enter share  \(choice)", "Enter share  ↑↓ r retry x drop  Esc  q"]
        case .days where unit != .day:
            return [
                "↑ ↓ mark  Enter open  ← → \(unit.rawValue)  d w m y  g go to  t today  s sync  S share  ? help  q quit",
                "↑ ↓ Enter open  ← → \(unit.rawValue)  d w m y  g go to  s sync  ? help  q quit",
                "←→ ↑↓ Enter d w m y g s S  ? help  q",
            ]
        case .days:
            return [
                "← → \(unit.rawValue)  d w m y  g go to  t today  s sync  S share  ? help  q quit",
                "←→ d w m y g t s S  ? help  q quit",
            ]
        }
    }

    private func clip(_ text: String, _ columns: Int, _ style: TextStyle, isFaint: Bool = false) -> String {
        var page = TextPage(style.wide)
        let shown = style.unicode ? text : Self.ascii(text)
        page.row(
            StyledText(
                Columns.clip(Printable(shown, limit: 500).description, to: columns - 1, ending: "."),
                isFaint ? .faint : nil))
        return page.lines[0]
    }

    /// Text of the last two lines and of the help where the terminal shows ASCII only.
    private static func ascii(_ text: String) -> String {
        let arrows: [Character: Character] = ["←": "<", "→": ">", "↑": "^", "↓": "v"]
        return String(text.map { arrows[$0] ?? $0 })
    }

    /// `?`.
    public static func help(_ style: TextStyle) -> [String] {
        var page = TextPage(style)
        for (key, words) in [
            ("← →", "the day, week, month or year before and after"),
            ("↑ ↓", "scroll; in a week, month or year mark a day or month. Page Up, Page Down scroll"),
            ("Enter", "open the marked day or month"), ("Home End", "the first day and today"),
            ("d w m y", "days, weeks, months, years"), ("t", "today"),
            ("g", "go to a date: 2014-04-20, yesterday, monday, -3"),
            ("s", "sync your pedometers"),
            (
                "S",
                "the outbox; there, Enter shares the day and what waits, ↑ ↓ choose a day, r retries it, x x drops it: it is not sent until its steps change"
            ),
            ("u", "the next user"), ("?", "this help"), ("q", "quit; also Ctrl-C"),
        ] {
            let line = "  " + Columns.pad(key, 9) + words
            page.wrap(StyledText(style.unicode ? line : ascii(line)), hanging: 11)
        }
        return page.lines
    }
}

/// Words wrapped to any width: what a view does not do below 40 columns.
struct NarrowLines {
    let columns: Int
    var lines: [String] = []

    init(columns: Int) { self.columns = max(columns, 1) }

    mutating func add(_ text: String) {
        for word in text.split(separator: " ") {
            if let last = lines.last, last.count + 1 + word.count <= columns {
                lines[lines.count - 1] += " " + word
            } else {
                lines.append(String(word.prefix(columns)))
            }
        }
    }
}
