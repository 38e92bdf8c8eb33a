internal import StepDomain

/// Horizontal bars with labels and figures, each with a mark where the goal is.
///
/// Also without colour and without Unicode these can be distinguished: walking and running, a partial day, an unknown day, and a day of no steps.
struct BarChart {
    struct Bar {
        /// How much of what the bar stands for is known.
        enum Kind { case complete, partial, unknown }

        var label: String
        /// Steps; nil where they are unknown.
        var steps: Double?
        /// Those of `steps` that were run.
        var running = 0.0
        var goal: Double?
        var kind = Kind.complete
        /// Beside the figure, such as `partial`.
        var note = ""

        var isMet: Bool {
            guard let steps, let goal else { return false }
            return steps >= goal
        }
    }

    let bars: [Bar]
    /// Columns of a line.
    let width: Int

    /// Columns before the label.
    private static let indent = 2
    /// More cells would not make a bar easier to read.
    private static let mostCells = 120

    var rows: [StyledText] {
        let labels = bars.map { Columns.of($0.label) }.max() ?? 0
        let figures = bars.map(Self.figure)
        let numbers = figures.map(Columns.of).max() ?? 0
        let notes = bars.map { Columns.of($0.note) }.max() ?? 0
        let most = max(1, bars.flatMap { [$0.steps ?? 0, $0.goal ?? 0] }.max() ?? 1)
        let room = width - Self.indent - labels - 2 - 2 - numbers - (notes > 0 ? 2 + notes : 0)
        let cells = min(max(room, 8), Self.mostCells)
        return zip(bars, figures).map { bar, figure in
            StyledText(String(repeating: " ", count: Self.indent) + Columns.pad(bar.label, labels) + "  ", .faint)
                + Self.cells(bar, cells, most)
                + StyledText("  " + Columns.padLeft(figure, numbers), bar.kind == .unknown ? .doubtful : nil)
                + StyledText(bar.note.isEmpty ? "" : "  " + bar.note, bar.kind == .complete ? .faint : .doubtful)
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
        for cell in 1...count {
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

    /// What the signs mean, of those that occur; nil where there is only one.
    var legend: String? {
        var parts: [String] = []
        if bars.contains(where: { $0.kind != .partial && $0.running > 0 }) { parts += ["█ walked", "▓ run"] }
        if bars.contains(where: { $0.kind == .partial }) { parts.append("▒ partial") }
        if bars.contains(where: { $0.kind == .unknown }) { parts.append("? unknown") }
        if bars.contains(where: { $0.goal != nil }) { parts.append("│ goal") }
        return parts.isEmpty ? nil : parts.joined(separator: "  ")
    }
}
