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

    enum Pane: Hashable { case days, outbox, help }

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
    var scroll = 0
    /// Whether the marked day or month stays on the screen: until Page Up or Page Down scroll it away.
    var followsMark = true
    /// Lines that Page Up and Page Down scroll: no more than a low terminal shows.
    var page = 10
    var pane = Pane.days
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
        // From before the history, as after a change of the user.
        if let period, period.days.lowerBound > day, period.days.upperBound < reachable.lowerBound {
            day = reachable.lowerBound
            show(.days)
            return
        }
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
}
