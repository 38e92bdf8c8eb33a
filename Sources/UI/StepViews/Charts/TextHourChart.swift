internal import StepDomain

/// The hours of a day as bars, each some columns wide, over a line of hours. An hour that is not known has a question
/// mark, and one that is not over nothing.
struct TextHourChart {
    let hours: [DaySummary.Hour]
    let now: Timestamp
    let width: Int
    let unicode: Bool

    /// Lines of the bars; the labels are one more.
    static let height = 5

    private var most: Int { hours.compactMap(\.steps).max() ?? 0 }
    /// Whether any hour has a question mark.
    var hasUnknown: Bool { hours.contains { $0.isUnknown(at: now) } }
    /// Columns for the scale at the left.
    private var margin: Int { max(6, Words.grouped(most).count) + 2 }
    /// Columns of an hour, the gap to the next counted.
    private var pitch: Int { max(1, min(3, (width - margin) / max(hours.count, 1))) }

    /// Whether most of the steps of any hour were run.
    var hasRunning: Bool { hours.contains(where: isRun) }
    private func isRun(_ hour: DaySummary.Hour) -> Bool { 2 * hour.running > hour.steps ?? 0 }
    /// The bar of an hour of which most steps were run: the same without colour.
    static let runningSign: Character = "▓"

    /// Empty if there is nothing to draw.
    var lines: [StyledText] {
        guard most > 0 else { return [] }
        return (0..<Self.height).map { row(Self.height - 1 - $0) } + [StyledText(labels)]
    }

    /// - Parameter level: 0 is the lowest.
    private func row(_ level: Int) -> StyledText {
        let scale = level == Self.height - 1 ? Words.grouped(most) : level == 0 ? "0" : ""
        return hours.reduce(StyledText(Columns.padLeft(scale, margin - 2) + "  ")) { line, hour in
            let cell = hour.isUnknown(at: now) ? level == 0 ? "?" : " " : self.cell(hour.steps ?? 0, level)
            // The sign stands for full cells, and in the lowest line, where even a low bar has one.
            let isSigned = isRun(hour) && (level == 0 || cell == "█" || cell == "#")
            let text = String(repeating: isSigned ? Self.runningSign : cell, count: pitch > 1 ? pitch - 1 : 1)
            return line + StyledText(text, isRun(hour) && cell != " " ? .running : nil)
                + StyledText(pitch > 1 ? " " : "")
        }
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
