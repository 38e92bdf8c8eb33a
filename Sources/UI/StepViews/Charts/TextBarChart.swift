internal import StepDomain

/// Horizontal bars with labels and figures, each with a mark where the goal is.
///
/// Also without colour and without Unicode these can be distinguished: walking and running, a partial day, an unknown
/// day, and a day of no steps.
struct TextBarChart {
    struct Bar {
        /// How much of what the bar stands for is known.
        enum Kind { case complete, partial, unknown }

        var label: String
        /// Steps; nil if they are unknown.
        var steps: Double?
        /// Those of `steps` that were run.
        var running = 0.0
        var goal: Double?
        var kind = Kind.complete
        /// Beside the figure, such as `partial`.
        var note = ""
        /// Whether keys are for it.
        var isMarked = false

        var isMet: Bool { SportPlan.isMet(goal, by: steps) }
    }

    let bars: [Bar]
    /// Columns of a line.
    let width: Int

    /// What the line of a marked bar begins with: as wide as the indent.
    static let mark = OutboxView.mark
    /// Columns before the label.
    private static let indent = 2
    /// More cells would not make a bar easier to read.
    private static let maximumCells = 120
    /// With fewer cells, the notes go below the bars.
    private static let fewestCells = 10

    private var labels: Int { bars.map { Columns.of($0.label) }.max() ?? 0 }
    private var numbers: Int { bars.map { Columns.of(Self.figure($0)) }.max() ?? 0 }
    private var notes: Int { bars.map { Columns.of($0.note) }.max() ?? 0 }
    /// Cells of a bar without a note beside it.
    private var room: Int { width - Self.indent - labels - 2 - 2 - numbers }

    /// Draws each bar with its label, its figure and its note. On a short line the note goes below, so that nothing is
    /// lost.
    func draw(on page: inout TextPage) {
        let (areBeside, indent) = (areNotesBeside, Self.indent + labels + 2)
        for (bar, row) in zip(bars, rows) {
            page.row(row)
            if areBeside || bar.note.isEmpty { continue }
            page.paragraph(bar.note, emphasis: bar.kind == .complete ? .faint : .doubtful, indent: indent)
        }
    }

    private var areNotesBeside: Bool { notes == 0 || room - 2 - notes >= Self.fewestCells }

    var rows: [StyledText] {
        let (labels, numbers, areBeside) = (labels, numbers, areNotesBeside)
        let figures = bars.map(Self.figure)
        let most = max(1, bars.flatMap { [$0.steps ?? 0, $0.goal ?? 0] }.max() ?? 1)
        // A figure is never cut: the bar makes room for it.
        let cells = min(max(room - (areBeside && notes > 0 ? 2 + notes : 0), 0), Self.maximumCells)
        return zip(bars, figures).map { bar, figure -> StyledText in
            let number = (cells > 0 ? "  " : "") + Columns.padLeft(figure, numbers)
            let note = bar.note.isEmpty || !areBeside ? "" : "  " + bar.note
            let label = Columns.pad(bar.label, labels) + "  "
            let indented =
                bar.isMarked
                ? StyledText(Self.mark) + StyledText(label, .faint)
                : StyledText(String(repeating: " ", count: Self.indent) + label, .faint)
            return indented
                + Self.cells(bar, cells, most)
                + StyledText(number, bar.kind == .unknown ? .doubtful : nil)
                + StyledText(note, bar.kind == .complete ? .faint : .doubtful)
        }
    }

    private static func figure(_ bar: Bar) -> String { bar.steps.map { Words.grouped(Int($0.rounded())) } ?? "?" }

    /// As many cells as asked for: the bar, the mark, blanks.
    private static func cells(_ bar: Bar, _ count: Int, _ most: Double) -> StyledText {
        let steps = bar.steps ?? 0
        // Counted from 1; rounded down, as the bar is.
        let mark = bar.goal.map { max(1, Int($0 * Double(count) / most)) }
        var filled = max(steps > 0 ? 1 : 0, Int(steps * Double(count) / most))
        // The bar reaches the mark when the goal is reached; before, a blank is between them.
        if let mark, !bar.isMet { filled = min(filled, max(mark - 2, 0)) }
        let walked = steps > 0 ? filled - min(filled, Int((bar.running / steps * Double(filled)).rounded())) : 0
        let emphasis: StyledText.Emphasis? = bar.goal == nil ? nil : bar.isMet ? .good : .doubtful
        var text = StyledText("")
        for cell in stride(from: 1, through: count, by: 1) {
            if cell == mark {
                text = text + StyledText("│", .strong)
            } else if cell <= filled {
                text = text + StyledText(bar.kind == .partial ? "▒" : cell <= walked ? "█" : "▓", emphasis)
            } else if bar.kind == .unknown, cell == 1 {
                text = text + StyledText("?", .doubtful)
            } else {
                text = text + StyledText(" ")
            }
        }
        return text
    }

    /// The meaning of the signs that occur in the bars; empty if no sign needs one.
    var legend: [String] {
        var parts: [String] = []
        if bars.contains(where: { $0.kind != .partial && $0.running > 0 }) { parts += ["█ walked", "▓ run"] }
        if bars.contains(where: { $0.kind == .partial }) { parts.append("▒ partial") }
        if bars.contains(where: { $0.kind == .unknown }) { parts.append("? unknown") }
        if bars.contains(where: { $0.goal != nil }) { parts.append("│ goal") }
        return parts
    }
}

/// Steps beside their goal, as a bar with a mark where the goal is.
struct GoalBar {
    /// Per cent of the goal. Finite, not negative.
    let percentage: Double
    /// Columns.
    let cells: Int

    /// Twice the goal fills the bar; a greater value is only shown by the number beside it.
    private static let maximumPercentage = 200.0

    var text: StyledText {
        let full = min(max(percentage, 100), Self.maximumPercentage)
        // Rounded down: the bar reaches the mark when the goal is reached and not before.
        let goal = max(1, Int(100 * Double(cells) / full))
        let filled = percentage >= 100 ? cells : max(0, Int(percentage * Double(cells) / 100))
        let emphasis: StyledText.Emphasis = percentage >= 100 ? .good : .doubtful
        func part(_ range: Range<Int>) -> StyledText {
            let done = min(max(filled - range.lowerBound, 0), range.count)
            return StyledText(String(repeating: "█", count: done), emphasis)
                + StyledText(String(repeating: "░", count: range.count - done), .faint)
        }
        return part(0..<(goal - 1)) + StyledText("│", .strong) + part(goal..<max(goal, cells))
    }
}
