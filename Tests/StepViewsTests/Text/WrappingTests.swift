import StepDomain
import TestSupport
import Testing

@testable import StepViews

/// Rules for every width: no character of a command is lost, and nothing else is cut without a sign.
@Suite(.timeLimit(.minutes(5))) struct WrappingTests {
    private static let widths = Array(20...200)

    private func lines(_ style: TextStyle, _ body: (inout TextPage) -> Void) -> [String] {
        var page = TextPage(style)
        body(&page)
        return page.lines
    }

    private func word(_ generator: inout SeededGenerator, longest: Int) -> String {
        let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789éß腕時計🚶".map(String.init)) + ["e\u{301}", "한"]
        return (0..<Int.random(in: 1...longest, using: &generator)).map { _ in letters.randomElement(using: &generator)!
        }.joined()
    }

    @Test func `every command is on one line, whole, at every width`() {
        var generator = SeededGenerator(seed: 9)
        for width in Self.widths {
            for unicode in [true, false] {
                let style = TextStyle(width: width, unicode: unicode)
                let path =
                    "/"
                    + (0..<Int.random(in: 1...9, using: &generator)).map { _ in word(&generator, longest: 40) }.joined(
                        separator: "/ ")
                let prose = (0..<30).map { _ in word(&generator, longest: 12) }.joined(separator: " ")
                let advice: Advice =
                    "\(prose): \(command: "chmod 600", path), then \(command: "istep sync", path) which \(prose)"
                let shown = lines(style) { $0.advice(advice, mark: "> ", indent: 4) }
                for command in advice.commands {
                    #expect(shown.contains { $0.drop { $0 == " " } == command.text(isASCII: !unicode) }, "\(width)")
                }
                let others = shown.filter { line in
                    !advice.commands.contains { line.hasSuffix($0.text(isASCII: !unicode)) }
                }
                #expect(others.allSatisfy { Columns.of($0) <= style.width }, "\(width)")
                if unicode {
                    let words = others.joined(separator: " ").split(separator: " ").map(String.init)
                    #expect(words == [">"] + "\(prose): then: which \(prose)".split(separator: " ").map(String.init))
                }
            }
        }
    }

    @Test func `sentences lose no word at any width`() {
        var generator = SeededGenerator(seed: 10)
        for width in Self.widths {
            let style = TextStyle(width: width)
            let words = (0..<40).map { _ in word(&generator, longest: 60) }
            let shown = lines(style) { $0.paragraph(words.joined(separator: " "), indent: 2, hanging: 4) }
            #expect(shown.joined(separator: " ").split(separator: " ").map(String.init) == words)
            // A word that is wider than the line has a line of its own.
            #expect(shown.allSatisfy { Columns.of($0) <= style.width || $0.split(separator: " ").count == 1 })
        }
    }

    @Test func `a row that is too wide is marked as cut at every width`() {
        var generator = SeededGenerator(seed: 11)
        for width in Self.widths {
            for unicode in [true, false] {
                let style = TextStyle(width: width, unicode: unicode)
                let cells = (0..<6).map { _ in word(&generator, longest: 40) }
                let whole = lines(TextStyle(unicode: unicode)) { page in cells.forEach { page.wrap(StyledText($0)) } }
                    .joined(separator: "  ")
                let row = cells.dropFirst().reduce(StyledText(cells[0], .strong)) { $0 + "  " + StyledText($1, .faint) }
                let shown = lines(style) { $0.row(row) }[0]
                #expect(Columns.of(shown) <= style.width)
                #expect(
                    shown == whole
                        || (shown.hasSuffix(unicode ? "…" : "...") && whole.hasPrefix(shown.dropLast(unicode ? 1 : 3))))
            }
        }
    }

    @Test(arguments: [
        ("abc", 3), ("é", 1), ("e\u{301}", 1), ("腕時計", 6), ("한글", 4), ("\u{1112}\u{1161}\u{11ab}", 2), ("⌚", 2),
        ("🚶", 2), ("✅", 2), ("✓", 1),
        ("☂", 1), ("⚡", 2), ("ｱ", 1), ("Ａ", 2), ("שעון", 4), ("ไทย", 3), ("a\u{200d}b", 2), ("█░│…", 4),
    ])
    func `the width of a text in terminal columns is calculated`(_ text: String, _ columns: Int) {
        #expect(Columns.of(text) == columns)
    }

    @Test func `a clipped name keeps its combining marks and splits no wide character`() {
        #expect(Columns.clip("e\u{301}e\u{301}e\u{301}", to: 2) == "e\u{301}…")
        #expect(Columns.clip("腕時計", to: 4) == "腕…")
        #expect(Columns.clip("腕時計", to: 6) == "腕時計")
        #expect(
            Printable("a" + String(repeating: "\u{200d}", count: 900) + "b").description == "a…",
            "what was not examined is missing")
    }

    // MARK: Views

    /// An error whose advice has a command with a path.
    private struct Damaged: ReportableError {
        var path: String
        var category: FailureCategory { .data }
        var problem: String { "the history '\(path)' is damaged" }
        var advice: String? {
            "save what can be read with `\(ShellCommand("istep doctor --repair --db", [path]).text())`, then sync"
        }
        var description: String { problem }
    }

    private static let path =
        "/home/anna/a very long way, with an é and a quote's end/" + String(repeating: "x/", count: 60)
        + "history.sqlite"

    @Test func `doctor shows the command to paste whole`() {
        let storage = StorageFacts(
            file: .init(path: Self.path, mode: 0o666, owner: 1000),
            directory: .init(path: "/tmp", mode: 0o1777, owner: 0), free: 1 << 40,
            user: 1000)
        for width in Self.widths {
            for unicode in [true, false] {
                let view = DoctorView(
                    storage.permissions.map { Finding(check: .permissions, diagnosis: $0) },
                    now: Sample.now,
                    localTime: Sample.localTime)
                let command = ShellCommand("chmod 600", [Self.path]).text(isASCII: !unicode)
                #expect(view.lines(TextStyle(width: width, unicode: unicode)).contains("    > " + command), "\(width)")
            }
        }
    }

    @Test func `no view cuts a command at any width`() {
        let user = User(id: 1, name: "anna"), name = "o'hara's garden, " + String(repeating: "y", count: 80)
        let today = Sample.localTime.day(of: Sample.now)
        let unknown = DaySummary(
            user: user, day: today, steps: 100, category: .sedentary, completeness: .partial, isInProgress: true)
        let doubtful = ShareReport(
            destination: name, kind: "rest",
            events: [.init(user: 1, day: Sample.day, outcome: .doubtful(reason: "no answer"))], waiting: 0,
            state: DestinationState(name: name, stopped: "401"))
        func quoted(_ words: String...) -> String { ShellCommand(words[0], Array(words.dropFirst())).text() }
        for width in Self.widths {
            let style = TextStyle(width: width)
            func expect(_ view: some View, _ commands: String...) {
                let lines = view.lines(style).map { $0.drop { $0 == " " } }
                for command in commands {
                    #expect(lines.contains { $0 == command }, "\(width): \(command) in \(lines)")
                }
            }
            expect(
                DayView(unknown, today: today, now: Sample.now, localTime: Sample.localTime), "istep plan 8000",
                "istep profile --height CM",
                "istep profile --weight KG", "istep sync")
            expect(DevicesView([], now: Sample.now, localTime: Sample.localTime), "istep scan", "istep add ADDRESS")
            expect(
                StatusView(
                    [], models: Sample.models, database: Self.path, now: Sample.now, localTime: Sample.localTime),
                "istep scan",
                "istep add ADDRESS")
            expect(ScanView(rows: [], hidden: 2), "istep scan --all")
            expect(
                ScanView(rows: [.init(address: "C0:DE:00:00:00:02", addressType: "random")]),
                "istep scan --all --probe",
                "istep gatt list ADDRESS", "istep add ADDRESS --model generic --service UUID --characteristic UUID")
            expect(KindsView([]), "istep config example KIND")
            expect(PlanView(user: user, plans: []), "istep plan 8000 --on sun=rest")
            expect(ProfileView(user: user, profiles: []), "istep profile --height 178 --weight 72 --sex male")
            expect(
                DestinationsView([], now: Sample.now, localTime: Sample.localTime), "istep config kinds",
                "istep config example KIND")
            expect(
                ShareView([doubtful], users: [user], now: Sample.now, localTime: Sample.localTime),
                quoted("istep outbox drop", name, "2014-04-20"), quoted("istep outbox retry", name, "2014-04-20"),
                quoted("istep outbox retry", name))
            let damaged = Damaged(path: Self.path), repair = quoted("istep doctor --repair --db", Self.path)
            expect(
                ShareView(
                    [
                        ShareReport(
                            destination: name, kind: "rest", events: [], waiting: 0,
                            state: DestinationState(name: name), fault: damaged)
                    ],
                    users: [user], now: Sample.now, localTime: Sample.localTime), repair)
            var ring = Sample.pedometer("watch")
            ring.name = name
            expect(
                SyncView(
                    [
                        SyncReport(pedometer: ring, failure: damaged, failureText: damaged.problem),
                        SyncReport(pedometer: ring, notices: [.stepsInDoubt(.unchecked)]),
                    ], now: Sample.now, localTime: Sample.localTime), repair,
                quoted("istep gatt capture", name))
            expect(
                OutboxView(
                    [
                        ShareEntry(
                            user: 1, day: Sample.day, destination: name, state: .pending, changedAt: Sample.synced)
                    ],
                    states: [DestinationState(name: name, stopped: "401")], users: [user], now: Sample.now,
                    localTime: Sample.localTime),
                quoted("istep outbox retry", name))
        }
    }
}
