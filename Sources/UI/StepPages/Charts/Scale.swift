internal import StepViews

/// The lines across a chart: at most four steps of 1, 2, 2.5 or 5 times a power of ten, up to the first that is not
/// below the greatest value.
struct Scale: Hashable, Sendable {
    let step: Int
    let count: Int
    var top: Int { step * count }

    init(_ greatest: Int) {
        var power = 1
        while true {
            // 2.5 only where it is a whole number.
            let steps = power >= 10 ? [power, 2 * power, 5 * power / 2, 5 * power] : [power, 2 * power, 5 * power]
            if let step = steps.first(where: { $0 * 4 >= greatest }) {
                self.step = step
                count = max(1, (greatest + step - 1) / step)
                return
            }
            power *= 10
        }
    }

    func y(_ value: Double, top: Double, base: Double) -> Double {
        base - (base - top) * min(1, max(0, value) / Double(self.top))
    }

    /// With the numbers left of the drawing.
    func grid(top: Double, base: Double) -> Markup {
        .joined(
            (0...count).map { index in
                let value = step * index, y = y(Double(value), top: top, base: base)
                let line =
                    index == 0
                    ? Markup.nothing
                    : Element.line(
                        .stroke(.line), Attribute(.x1, 0), Attribute(.x2, percent: 100), Attribute(.y1, y),
                        Attribute(.y2, y))
                return line
                    + Element.text(
                        .fill(.muted), Attribute(.fontSize, 12), Attribute(.x, -8), Attribute(.y, y + 4),
                        Attribute(.textAnchor, "end")
                    ) { name(value) }
            })
    }

    /// All numbers of a scale have the same unit: `2,000`, or from 10,000 on `2.5k`, `10k`.
    func name(_ value: Int) -> String {
        switch top {
        case _ where value == 0: "0"
        case ..<10_000: Words.grouped(value)
        case ..<1_000_000: Words.short(Double(value) / 1000) + "k"
        default: Words.short(Double(value) / 1_000_000) + "M"
        }
    }
}
