internal import StepDomain

/// Steps beside their goal, as a bar with a mark where the goal is.
struct GoalBar {
    /// Of the goal; 100 when it is reached. Finite, not negative.
    let percentage: Double
    /// Columns.
    let cells: Int

    /// Twice the goal fills the bar; a greater value is only shown by the number beside it.
    private static let mostPercentage = 200.0

    var text: StyledText {
        let full = min(max(percentage, 100), Self.mostPercentage)
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

/// The hours of a day as bars, each some columns wide, over a line of hours. An hour that is not known has a question mark, and one that has
/// not begun nothing.
struct HourChart {
    let hours: [DaySummary.Hour]
    let now: Timestamp
    let width: Int
    let unicode: Bool

    /// Lines of the bars; the labels are one more.
    static let height = 5

    private var most: Int { hours.compactMap(\.steps).max() ?? 0 }
    private func isUnknown(_ hour: DaySummary.Hour) -> Bool { hour.steps == nil && hour.start <= now }
    /// Whether any hour has a question mark.
    var hasUnknown: Bool { hours.contains(where: isUnknown) }
    /// Columns for the scale at the left.
    private var margin: Int { max(6, Words.grouped(most).count) + 2 }
    /// Columns of an hour, the gap to the next counted.
    private var pitch: Int { max(1, min(3, (width - margin) / max(hours.count, 1))) }

    /// Empty if there is nothing to draw.
    var lines: [String] {
        guard most > 0 else { return [] }
        return (0..<Self.height).map { row(Self.height - 1 - $0) } + [labels]
    }

    /// - Parameter level: 0 is the lowest.
    private func row(_ level: Int) -> String {
        let scale = level == Self.height - 1 ? Words.grouped(most) : level == 0 ? "0" : ""
        let cells = hours.map { hour -> String in
            let cell = isUnknown(hour) ? level == 0 ? "?" : " " : self.cell(hour.steps ?? 0, level)
            let isWide = pitch > 1
            return String(repeating: cell, count: isWide ? pitch - 1 : 1) + (isWide ? " " : "")
        }
        return Columns.padLeft(scale, margin - 2) + "  " + cells.joined()
    }

    private static let blocks: [Character] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
    private static let marks: [Character] = [" ", ".", ":", "#"]

    private func cell(_ steps: Int, _ level: Int) -> Character {
        let shades = unicode ? Self.blocks : Self.marks
        let full = shades.count - 1
        // Even a single step is shown: an hour with few must not look like one with none.
        let filled = max(steps > 0 ? 1 : 0, steps * full * Self.height / most)
        return shades[min(max(filled - level * full, 0), full)]
    }

    private var labels: String {
        var line = String(repeating: " ", count: margin)
        for (index, hour) in hours.enumerated() where hour.hour % (pitch > 1 ? 3 : 6) == 0 {
            let column = margin + index * pitch
            guard line.count <= column else { continue }
            line += String(repeating: " ", count: column - line.count) + "\(hour.hour)"
        }
        return line
    }
}
