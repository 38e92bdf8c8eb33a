import Testing

@testable import StepViews

@Suite(.timeLimit(.minutes(5))) struct TextPageTests {
    private func page(_ style: TextStyle, _ body: (inout TextPage) -> Void) -> [String] {
        var page = TextPage(style)
        body(&page)
        return page.lines
    }

    @Test func `rows are truncated by columns and end with an ellipsis`() {
        let text = StyledText(String(repeating: "腕", count: 30), .bad) + "tail"
        #expect(page(TextStyle(width: 40)) { $0.row(text) } == [String(repeating: "腕", count: 19) + "…"])
        let coloured = page(TextStyle(width: 40, colour: true)) { $0.row(text) }
        #expect(coloured == ["\u{1b}[31m" + String(repeating: "腕", count: 19) + "…\u{1b}[0m"])
        let fits = StyledText(String(repeating: "x", count: 36)) + "tail"
        #expect(page(TextStyle(width: 40)) { $0.row(fits) } == [String(repeating: "x", count: 36) + "tail"])
        #expect(
            page(TextStyle(width: 40, unicode: false)) { $0.row(fits + "s") } == [
                String(repeating: "x", count: 36) + "t..."
            ])
    }

    @Test func `colour is written only if enabled`() {
        #expect(page(TextStyle(colour: true)) { $0.row(StyledText("a", .strong) + "b") } == ["\u{1b}[1ma\u{1b}[0mb"])
        #expect(page(TextStyle()) { $0.row(StyledText("a", .strong) + "b  ") } == ["ab"])
    }

    @Test func `ASCII output replaces non-ASCII characters`() {
        #expect(page(TextStyle(unicode: false)) { $0.row("a · b… ██░ Zoë e\u{301} 腕") } == ["a - b... ##. Zo? e ?"])
    }

    @Test func `paragraphs break between words`() {
        let words = "one two three four five six seven eight nine ten"
        let lines = page(TextStyle(width: 40)) { $0.paragraph(words, indent: 2, hanging: 4) }
        #expect(lines == ["  one two three four five six seven", "    eight nine ten"])
        let long = String(repeating: "x", count: 99)
        #expect(page(TextStyle(width: 40)) { $0.paragraph("a \(long) b") } == ["a", long, "b"])
        #expect(page(TextStyle()) { $0.paragraph("") } == [""])
    }

    @Test func `a line does not end between a number and its unit`() {
        let lines = page(TextStyle(width: 40)) {
            $0.wrap(StyledText("it was read, and its battery was at 8") + "1 %, 5 km")
        }
        #expect(lines == ["it was read, and its battery was at", "81 %, 5 km"])
    }

    @Test func `short texts are placed beside each other and never broken`() {
        let items = ["a one", "b twenty-two", "c three", "d forty-four"]
        #expect(page(TextStyle(width: 40)) { $0.items(items) } == ["  a one  b twenty-two  c three", "  d forty-four"])
        #expect(page(TextStyle(width: 40)) { $0.items([]) }.isEmpty)
    }

    @Test func `what is beside a name goes below it where a line is too short`() {
        func list(_ width: Int) -> [String] {
            page(TextStyle(width: width)) { page in
                page.list(
                    ["ring", "a watch with a name"], name: { $0 }, limit: 24,
                    beside: { _ in "C0:DE:00:00:00:01  the pedometer of anna" },
                    below: { $1.paragraph("\($0.count)", indent: 2) })
            }
        }
        #expect(list(80)[0] == "ring                 C0:DE:00:00:00:01  the pedometer of anna")
        #expect(
            list(40) == [
                "ring", "  C0:DE:00:00:00:01  the pedometer of", "    anna", "  4", "a watch with a name",
                "  C0:DE:00:00:00:01  the pedometer of", "    anna", "  19",
            ])
    }

    @Test func `a path is never truncated`() {
        let path = "/home/anna/" + String(repeating: "x", count: 300) + "/history.sqlite"
        #expect(page(TextStyle(width: 60)) { $0.path("History:", path) } == ["History:", path])
        #expect(page(TextStyle(width: 60)) { $0.path("History:", "/a b") } == ["History: /a b"])
        #expect(page(TextStyle(width: 60)) { $0.path("History:", "/a\u{1b}[2J") } == ["History: /a\u{fffd}[2J"])
    }

    @Test(arguments: [(0, 40), (39, 40), (40, 40), (72, 72), (80, 80), (300, 80), (.min, 40)])
    func `the width is limited to 40 to 80 columns`(given: Int, used: Int) {
        #expect(TextStyle(width: given).width == used)
    }
}
