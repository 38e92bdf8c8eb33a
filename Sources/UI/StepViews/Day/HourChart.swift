internal import StepDomain

/// The hours of a day as bars, each some columns wide, over a line of hours.
struct HourChart {
    let hours: [DaySummary.Hour]
    let width: Int
    let unicode: Bool

    /// Lines of the bars; the labels are one more.
    static let height = 5

    private var most: Int { hours.map(\.steps).max() ?? 0 }
    /// Columns for the scale at the left.
    private var margin: Int { max(6, Words.grouped(most).count) + 2 }
    /// Columns of an hour, the gap to the next counted.
    private var pitch: Int { max(1, min(3, (width - margin) / max(hours.count, 1))) }

    /// Nothing where there is nothing to draw.
    var lines: [String] {
        guard most > 0 else { return [] }
        return (0..<Self.height).map { row(Self.height - 1 - $0) } + [labels]
    }

    /// - Parameter level: 0 is the lowest.
    private func row(_ level: Int) -> String {
        let scale = level == Self.height - 1 ? Words.grouped(most) : level == 0 ? "0" : ""
        let cells = hours.map { hour -> String in
            let cell = self.cell(hour.steps, level)
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
        // Any step at all shows: an hour with few must not look like one with none.
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
