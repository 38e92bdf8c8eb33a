public import StepDomain

/// What `istep browse` shows, and what each key does to it: a value without terminal, history and clock.
public struct BrowseState: Hashable, Sendable {
    /// What is in the middle of the screen.
    public enum Content: Hashable, Sendable {
        case day(Day)
        case period(Period)
        case outbox
        case help
    }

    /// What a key asks for besides another picture.
    public enum Effect: Hashable, Sendable {
        case quit, suspend, sync
        /// The next user of the history.
        case switchUser
        /// The entry of the outbox is due again, or is removed.
        case retry(OutboxEntry)
        case drop(OutboxEntry)
        /// The shown day, and what waits in the outbox.
        case share(Day)
        /// What the user has typed as a day.
        case find(String)
    }

    /// A day of the user that waits for a destination.
    public struct OutboxEntry: Hashable, Sendable {
        public let destination: String
        public let day: Day

        public init(_ entry: ShareEntry) { (destination, day) = (entry.destination, entry.day) }
    }

    /// The entries of the outbox that are shown. Others may come or go at any time: the chosen one stays chosen while
    /// it is there.
    public var outbox: [OutboxEntry] = [] {
        didSet {
            guard outbox != oldValue else { return }
            let chosen = oldValue.indices.contains(selection) ? outbox.firstIndex(of: oldValue[selection]) : nil
            selection = chosen ?? max(0, min(selection, outbox.count - 1))
            asksToDrop = false
        }
    }
    /// The index of the entry of the outbox that `r` and `x` are for.
    public private(set) var selection = 0
    /// `x` was pressed once, and the question is on the screen.
    private var asksToDrop = false

    private enum Pane: Hashable { case days, outbox, help }

    /// Whether the history has several users.
    public var hasSeveralUsers = false
    /// The first known day and today; nil if nothing is known.
    public var known: ClosedRange<Day>?
    public var today: Day
    public private(set) var unit = Period.Unit.day
    /// The day that is shown, or the marked day of the period that is shown.
    public private(set) var day: Day
    /// What is being typed after `g`; nil otherwise.
    public private(set) var input: String?
    /// The last line: what happened.
    public private(set) var message: String?
    /// What is being done now, such as a sync; nil if nothing is.
    public private(set) var work: String?
    /// Lines that are scrolled away at the top.
    private var scroll = 0
    /// Whether the marked day or month stays on the screen: until Page Up or Page Down scroll it away.
    private var followsMark = true
    /// Lines that Page Up and Page Down scroll: no more than a low terminal shows.
    private var page = 10
    private var pane = Pane.days
    private let weekStart: Weekday

    /// Characters of a day as one types it.
    private static let maximumInput = 20
    /// Fewer columns or lines show no day.
    public static let smallest = (columns: 40, lines: 8)

    public init(today: Day, known: ClosedRange<Day>?, weekStart: Weekday) {
        self.today = today
        self.known = known
        self.weekStart = weekStart
        day = today
    }

    public var content: Content {
        switch pane {
        case .outbox: .outbox
        case .help: .help
        case .days: unit == .day ? .day(day) : .period(period)
        }
    }

    private var period: Period { Period(unit, containing: day, weekStart: weekStart) }

    // MARK: Events

    public mutating func press(_ key: KeyDecoder.Key) -> Effect? {
        if key == .control("c") { return .quit }
        if key == .control("z") { return .suspend }
        if input != nil { return type(key) }
        message = nil
        let isConfirmed = asksToDrop
        asksToDrop = false
        if pane == .outbox, outbox.indices.contains(selection) {
            switch pressInOutbox(key, outbox[selection], isConfirmed) {
            case .notMine: break
            case .done: return nil
            case .asks(let effect): return effect
            }
        }
        switch (key, pane) {
        case (.character("q"), _): return .quit
        case (.character("?"), .help), (.escape, _), (.backspace, .help), (.backspace, .outbox): show(.days)
        case (.character("?"), _): show(.help)
        case (.character("s"), _): return work == nil ? .sync : nil
        case (.character("S"), .outbox), (.enter, .outbox): return work == nil ? .share(day) : nil
        case (.character("S"), _): show(.outbox)
        // What `r` and `x` are for stays on the screen.
        case (.pageUp, .outbox): selection = max(0, selection - page)
        case (.pageDown, .outbox): selection = max(0, min(outbox.count - 1, selection + page))
        case (.up, .days) where unit != .day: mark(by: -1)
        case (.down, .days) where unit != .day: mark(by: 1)
        case (.enter, .days) where unit != .day: show(unit == .year ? Period.Unit.month : .day)
        case (.home, .days): open(known?.lowerBound ?? today)
        case (.end, .days): open(today)
        case (.home, _): scroll = 0
        case (.end, _): scroll = .max / 2
        case (.character("u"), _): return switchUser()
        case (.up, _): scroll = max(0, scroll - 1)
        case (.down, _): scroll += 1
        case (.pageUp, _): (scroll, followsMark) = (max(0, scroll - page), false)
        case (.pageDown, _): (scroll, followsMark) = (scroll + page, false)
        case (.left, _): move(to: period.previous, or: "Nothing is known before this.")
        case (.right, _): move(to: period.next, or: "The next \(unit.rawValue) has not begun.")
        case (.character("d"), _): show(.day)
        case (.character("w"), _): show(.week)
        case (.character("m"), _): show(.month)
        case (.character("y"), _): show(.year)
        case (.character("t"), _): go(to: today)
        case (.character("g"), _): input = ""
        default: break
        }
        return nil
    }

    /// Marks the day, or in a year the month, before or after the marked one, if it is in the same period and known.
    private mutating func mark(by step: Int) {
        followsMark = true
        let period = period, reachable = (known?.lowerBound ?? today)...today
        let next: Day
        if unit == .year {
            let month = Period(.month, containing: day, weekStart: weekStart)
            guard let other = step < 0 ? month.previous : month.next else { return }
            next = min(other.days.upperBound, today)
        } else {
            next = day.advanced(by: step)
        }
        if period.days.contains(next), reachable.contains(next) { day = next }
    }

    private mutating func open(_ day: Day) {
        self.day = day
        show(.days)
    }

    /// A sync or a share that runs is of the present user, and reports to the same line.
    private mutating func switchUser() -> Effect? {
        guard hasSeveralUsers else {
            message = "The history has one user."
            return nil
        }
        guard work == nil else { return nil }
        return .switchUser
    }

    private enum OutboxKey {
        case notMine, done
        case asks(Effect)
    }

    /// Keys that are for the chosen entry of the outbox. While something runs, nothing is asked: the last line is in
    /// use.
    private mutating func pressInOutbox(_ key: KeyDecoder.Key, _ chosen: OutboxEntry, _ isConfirmed: Bool) -> OutboxKey
    {
        switch key {
        case .up: selection = max(0, selection - 1)
        case .down: selection = min(outbox.count - 1, selection + 1)
        case .character("r"), .character("x"):
            if work != nil { return .done }
            if key == .character("r") { return .asks(.retry(chosen)) }
            if isConfirmed { return .asks(.drop(chosen)) }
            asksToDrop = true
            message = "Press x again to drop the marked day."
        default: return .notMine
        }
        return .done
    }

    private mutating func type(_ key: KeyDecoder.Key) -> Effect? {
        switch key {
        case .enter:
            defer { input = nil }
            return input.flatMap { $0.isEmpty ? nil : .find($0) }
        case .escape: input = nil
        case .backspace: _ = input?.popLast()
        case .character(let character) where (input?.count ?? 0) < Self.maximumInput: input?.append(character)
        default: break
        }
        return nil
    }

    private mutating func show(_ pane: Pane) {
        self.pane = pane
        (scroll, followsMark) = (0, true)
        // Keys are for entries that are on the screen.
        if pane != .outbox { outbox = [] }
    }

    private mutating func show(_ unit: Period.Unit) {
        self.unit = unit
        show(.days)
    }

    /// The last day of the period that has begun is the one that `d` then shows.
    private mutating func move(to period: Period?, or refusal: String) {
        let reachable = (known?.lowerBound ?? today)...today
        guard let period, period.days.overlaps(reachable) else {
            message = refusal
            return
        }
        day = min(period.days.upperBound, today)
        show(.days)
    }

    /// Shows the day, or the week, month or year that it belongs to.
    public mutating func go(to day: Day) {
        if day > today {
            message = "\(day) has not begun."
        } else if let known, day < known.lowerBound {
            message = "The history begins on \(known.lowerBound)."
        } else {
            self.day = day
            message = nil
            show(.days)
        }
    }

    /// Shows what happened until the next key.
    public mutating func report(_ message: String) {
        self.message = message
        asksToDrop = false
    }

    /// - Parameter work: how far it is; nil when it is done.
    public mutating func report(work: String?) {
        self.work = work
        asksToDrop = false
    }

    // MARK: Screen

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
        var page = Page(style.wide)
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
        var page = Page(style)
        for (key, words) in [
            ("← →", "the day, week, month or year before and after"),
            ("↑ ↓", "scroll; in a week, month or year mark a day or month. Page Up, Page Down scroll"),
            ("Enter", "open the marked day or month"), ("Home End", "the first day and today"),
            ("d w m y", "days, weeks, months, years"), ("t", "today"),
            ("g", "go to a date: 2014-04-20, yesterday, monday, -3"),
            ("s", "sync your pedometers"),
            (
                "S",
                "the outbox; there, Enter shares the day and what waits, ↑ ↓ choose a day, r retries it, x x drops it: it is not sent"
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
