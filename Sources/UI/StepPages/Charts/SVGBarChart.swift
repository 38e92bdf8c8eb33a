internal import StepDomain
internal import StepViews

/// Bars of days, months or hours, with the goal that was in force as a mark. A value that is unknown or incomplete is drawn in its own way:
/// never as 0.
struct SVGBarChart: Sendable {
    struct Bar: Sendable {
        /// Below the bar; may be empty.
        var label: String
        /// Nil if nothing is known.
        var steps: Int?
        /// How many of the steps were run.
        var running: Int = 0
        /// Nil without a goal, and where goals of several days come together.
        var goal: Int?
        /// Whether steps may be missing.
        var isPartial = false
        /// False for a time in the future: nothing is drawn there, as nothing can be known of it.
        var hasBegun = true
        /// Where a click leads to.
        var link: Link?
        /// All of it in words: `Monday 3 November: 8,123 steps`.
        var title: String
    }

    var bars: [Bar]
    /// What a screen reader says in place of the chart.
    var summary: String
    var height = 220.0

    private static let width = 720.0, left = 52.0, right = 8.0, top = 12.0, bottom = 24.0

    private var plotHeight: Double { height - Self.top - Self.bottom }

    /// The lines across the chart: at most five steps of 1, 2, 2.5 or 5 times a power of ten, up to the first that is not below the greatest
    /// value.
    struct Scale: Hashable {
        let step: Int
        let count: Int
        var top: Int { step * count }

        init(_ greatest: Int) {
            var power = 1
            while true {
                // 2.5 only where it is a whole number.
                let steps = power >= 10 ? [power, 2 * power, 5 * power / 2, 5 * power] : [power, 2 * power, 5 * power]
                if let step = steps.first(where: { $0 * 5 >= greatest }) {
                    self.step = step
                    count = max(1, (greatest + step - 1) / step)
                    return
                }
                power *= 10
            }
        }
    }

    var scale: Scale { Scale(bars.reduce(0) { max($0, $1.steps ?? 0, $1.goal ?? 0) }) }

    var svg: Markup {
        let scale = scale
        return Element.svg(
            Attribute(.viewBox, "0 0 \(Int(Self.width)) \(Int(height))"), Attribute(.role, "img"), Attribute(.ariaLabel, summary)
        ) {
            grid(scale)
            bars.enumerated().map { draw($1, at: $0, scale) }
        }
    }

    private func y(_ steps: Int, _ scale: Scale) -> Double { Self.top + plotHeight * (1 - min(1, Double(max(0, steps)) / Double(scale.top))) }

    private func grid(_ scale: Scale) -> Markup {
        .joined(
            (0...scale.count).map { index in
                let value = scale.step * index, y = y(value, scale)
                return Element.line(
                    .css("grid"), Attribute(.x1, Self.left), Attribute(.x2, Self.width - Self.right), Attribute(.y1, y), Attribute(.y2, y))
                    + Element.text(.css("axis"), Attribute(.x, Self.left - 6), Attribute(.y, y + 4), Attribute(.textAnchor, "end")) {
                        Numbers.short(value)
                    }
            })
    }

    /// Every so many bars have a label, so that labels do not touch.
    private var labelled: Int {
        let pitch = (Self.width - Self.left - Self.right) / Double(max(1, bars.count))
        let widest = Double(bars.map(\.label.count).max() ?? 0) * 7.5 + 4
        return max(1, Int((widest / pitch).rounded(.up)))
    }

    private func draw(_ bar: Bar, at index: Int, _ scale: Scale) -> Markup {
        let pitch = (Self.width - Self.left - Self.right) / Double(max(1, bars.count))
        let x = Self.left + pitch * Double(index)
        let width = max(1, min(pitch * 0.76, 44))
        let start = x + (pitch - width) / 2
        var parts: [Markup] = [shape(bar, start, width, scale)]
        if let goal = bar.goal {
            let y = y(goal, scale), overhang = min(3, (pitch - width) / 2)
            parts.append(
                Element.line(
                    .css("goal"), Attribute(.x1, start - overhang), Attribute(.x2, start + width + overhang), Attribute(.y1, y),
                    Attribute(.y2, y)))
        }
        // The whole column can be pointed at, not only the bar.
        let area = Element.rect(
            Attribute(.x, x), Attribute(.y, Self.top), Attribute(.width, pitch), Attribute(.height, plotHeight), Attribute(.opacity, 0)
        ) { Element.title { bar.title } }
        let column = Markup.joined(parts + [area])
        let label = Element.text(.css("axis"), Attribute(.x, x + pitch / 2), Attribute(.y, height - 7), Attribute(.textAnchor, "middle")) {
            bar.label
        }
        return (bar.link.map { link in Element.a(.href(link), Attribute(.tabindex, -1), Attribute(.ariaLabel, bar.title)) { column } } ?? column)
            + (bar.label.isEmpty || index % labelled != 0 ? .nothing : label)
    }

    private func shape(_ bar: Bar, _ x: Double, _ width: Double, _ scale: Scale) -> Markup {
        let floor = Self.top + plotHeight
        guard let steps = bar.steps else {
            guard bar.hasBegun else { return .nothing }
            return Element.rect(
                .css("unknown"), .fill(pattern: "unknown"), Attribute(.x, x), Attribute(.y, Self.top), Attribute(.width, width),
                Attribute(.height, plotHeight))
        }
        // None were made: a line on the floor, so that it does not look as if the bar were missing.
        guard steps > 0 else {
            return Element.rect(.css("zero"), Attribute(.x, x), Attribute(.y, floor - 2), Attribute(.width, width), Attribute(.height, 2))
        }
        let top = y(steps, scale), border = y(min(bar.running, steps), scale)
        let walking = Element.rect(
            bar.isPartial ? .css("partial") : .css("walking"), bar.isPartial ? .fill(pattern: "partial") : nil, Attribute(.x, x),
            Attribute(.y, top), Attribute(.width, width), Attribute(.height, max(1, border - top)))
        guard bar.running > 0 else { return walking }
        return walking
            + Element.rect(
                .css("running"), Attribute(.x, x), Attribute(.y, border), Attribute(.width, width), Attribute(.height, floor - border))
    }
}

/// Patterns that mark values which are unknown or incomplete. They are defined once in a document.
enum ChartPatterns {
    /// For a page with charts: drawn nowhere.
    static var hidden: Markup {
        Element.svg(.css("definitions"), Attribute(.width, 0), Attribute(.height, 0), Attribute(.ariaHidden, "true")) { definitions }
    }

    static var definitions: Markup {
        Element.defs {
            pattern("partial", "hatch-walking")
            pattern("unknown", "hatch-unknown")
        }
    }

    private static func pattern(_ id: String, _ style: String) -> Markup {
        Element.pattern(
            Attribute(.id, id), Attribute(.width, 6), Attribute(.height, 6), Attribute(.patternUnits, "userSpaceOnUse"),
            Attribute(.patternTransform, "rotate(45)")
        ) {
            Element.rect(.css("hatch-back"), Attribute(.width, 6), Attribute(.height, 6))
            Element.line(.css(style), Attribute(.x1, 0), Attribute(.x2, 0), Attribute(.y1, 0), Attribute(.y2, 6))
        }
    }

    /// For a chart in which only what is not known needs words.
    static var unknownLegend: Markup { Element.ul(.css("legend")) { unknown } }

    /// An entry of a legend: a box of a tone, and what it means.
    static func entry(_ words: String, _ tone: Attribute...) -> Markup {
        entry(words) { Element.rect(tone + [Attribute(.x, 1), Attribute(.y, 1), Attribute(.width, 18), Attribute(.height, 14)]) }
    }

    private static func entry(_ words: String, @MarkupBuilder _ shape: () -> Markup) -> Markup {
        Element.li {
            Element.svg(Attribute(.viewBox, "0 0 20 16"), Attribute(.ariaHidden, "true"), content: shape)
            words
        }
    }

    static var unknown: Markup { entry("nothing known", .css("unknown"), .fill(pattern: "unknown")) }

    /// What the tones of a chart mean.
    static func legend(
        hasRunning: Bool, hasGoal: Bool, hasPartial: Bool, hasUnknown: Bool, partial: String = DaySummary.Completeness.partial.words
    ) -> Markup {
        Element.ul(.css("legend")) {
            entry("walking", .css("walking"))
            if hasRunning { entry("running (more than 130 steps a minute)", .css("running")) }
            if hasGoal {
                entry("goal in force") {
                    Element.line(.css("goal"), Attribute(.x1, 0), Attribute(.x2, 20), Attribute(.y1, 8), Attribute(.y2, 8))
                }
            }
            if hasPartial { entry(partial, .css("partial"), .fill(pattern: "partial")) }
            if hasUnknown { unknown }
        }
    }
}

/// Numbers in charts.
enum Numbers {
    /// `500`, `2,500`, `20k`, `1.2M`: at most six characters.
    static func short(_ value: Int) -> String {
        switch value {
        case ..<10_000: Words.grouped(value)
        case ..<1_000_000: Words.short(Double(value) / 1000) + "k"
        default: Words.short(Double(value) / 1_000_000) + "M"
        }
    }
}
