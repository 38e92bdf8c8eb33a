internal import StepViews

/// Bars of hours, days, weeks, months or years. What is unknown or incomplete is drawn in its own way: never as 0.
///
/// Across, all is in per cent of the width, and down in pixels: words keep their size at every width, and nothing is
/// cut. The numbers of the axis lie left of the drawing, which needs room there (`.chart`).
struct BarChart: Sendable {
    struct Bar: Sendable {
        /// Below the bar; may be empty.
        var label: String
        /// Left out on a phone, where it would touch its neighbours.
        var isMinor = false
        /// Nil if nothing is known.
        var steps: Int?
        /// How many of the steps were run.
        var running = 0
        /// Nil without a goal.
        var goal: Int?
        /// Whether it has the full colour: the goal is reached, or there is none to reach.
        var isReached = true
        /// Whether steps may be missing.
        var isPartial = false
        /// False for a time in the future: nothing is drawn there, as nothing can be known of it.
        var hasBegun = true
        /// The hour or day that it is.
        var isNow = false
        /// What is usual at this place, behind the bar.
        var usual: Int?
        /// Where a click leads to.
        var link: Link?
        /// All of it in words: `Mon 3 Nov: 8,123 steps`.
        var title: String
    }

    var bars: [Bar]
    /// What a screen reader says in place of the chart.
    var summary: String
    /// Pixels of the plot.
    var height = 210.0
    /// A picture of its own: nothing in it can be pointed at.
    var isPicture = false
    /// The first slots of months, with their names, for a chart of days that are too many for labels of their own.
    var months: [(slot: Int, name: String)] = []

    /// A strip above the plot for the words of a column that is pointed at.
    private static let top = 26.0
    private static let labels = 24.0
    /// With more bars, a number above each would touch the next.
    private static let maximumValues = 7
    /// Charts with more links are one stop of the tab key; their tables have the links.
    static let maximumStops = 12

    private var base: Double { Self.top + height }
    private var slot: Double { 100 / Double(max(1, bars.count)) }
    private var share: Double {
        switch bars.count {
        case ...7: 0.5
        case ...12: 0.56
        case ...31: 0.68
        default: 0.76
        }
    }

    var scale: Scale { Scale(bars.reduce(0) { max($0, $1.steps ?? 0, $1.goal ?? 0, $1.usual ?? 0) }) }

    var markup: Markup { Element.div(.css("chart")) { svg } }

    /// In per cent of the width of what it stands in.
    var svg: Markup {
        let scale = scale
        let hasStops = bars.count <= Self.maximumStops && bars.contains { $0.link != nil }
        return Element.svg(
            Attribute(.width, percent: 100), Attribute(.height, base + Self.labels),
            Attribute(.role, hasStops ? "group" : "img"),
            Attribute(.ariaLabel, summary), isPicture ? Attribute(.overflow, "visible") : nil
        ) {
            if !isPicture { scale.grid(top: Self.top, base: base) }
            months.map { month in
                Element.line(
                    .stroke(.line), Attribute(.x1, percent: Double(month.slot) * slot),
                    Attribute(.x2, percent: Double(month.slot) * slot),
                    Attribute(.y1, Self.top), Attribute(.y2, base + 8))
            }
            // Bars go on below the base line, which cuts their lower round corners off.
            Element.svg(Attribute(.width, percent: 100), Attribute(.height, base)) {
                bars.enumerated().map { column($1, at: $0, scale, isStop: hasStops) }
            }
            baseLines
            goalLines(scale)
            bars.enumerated().map { value($1, at: $0, scale) }
            axis
        }
    }

    private func y(_ steps: Int, _ scale: Scale) -> Double { scale.y(Double(steps), top: Self.top, base: base) }
    private func centre(_ index: Int) -> Double { (Double(index) + 0.5) * slot }

    // MARK: A column

    private func column(_ bar: Bar, at index: Int, _ scale: Scale, isStop: Bool) -> Markup {
        let drawing = usual(bar, at: index, scale) + shape(bar, at: index, scale)
        if isPicture { return Element.g { Element.title { bar.title } + drawing } }
        // The whole column can be pointed at, not only the bar.
        let area = Element.rect(
            .css("hit"), Attribute(.fill, "none"), Attribute(.pointerEvents, "all"),
            Attribute(.x, percent: Double(index) * slot),
            Attribute(.width, percent: slot), Attribute(.y, Self.top), Attribute(.height, height))
        let content = area + drawing + tip(bar, at: index, scale)
        guard let link = bar.link else { return Element.g(.css("col")) { content } }
        return Element.a(
            .css("col"), .href(link), isStop ? nil : Attribute(.tabindex, -1), Attribute(.ariaLabel, bar.title)
        ) { content }
    }

    private func rect(
        _ colour: Attribute, at index: Int, _ share: Double, _ y: Double, _ height: Double, _ more: Attribute?...
    ) -> Markup {
        let x = (Double(index) + (1 - share) / 2) * slot
        return Element.rect(
            [
                colour, Attribute(.x, percent: x), Attribute(.width, percent: share * slot), Attribute(.y, y),
                Attribute(.height, height),
            ] + more)
    }

    private func usual(_ bar: Bar, at index: Int, _ scale: Scale) -> Markup {
        guard let usual = bar.usual, usual > 0 else { return .nothing }
        let top = min(y(usual, scale), base - 2)
        return rect(.fill(.usual), at: index, min(0.88, share + 0.2), top, base + 6 - top, Attribute(.rx, 3))
    }

    private func shape(_ bar: Bar, at index: Int, _ scale: Scale) -> Markup {
        guard let steps = bar.steps else {
            return bar.hasBegun ? rect(.fill(.unknown), at: index, share, base - 8, 8, Attribute(.rx, 2)) : .nothing
        }
        // None were made: the base line alone.
        guard steps > 0 || bar.isPartial else { return .nothing }
        // Even few steps differ from none, and time that is not known from none.
        let top = min(y(steps, scale), base - (bar.isPartial ? 5 : 2)), below = base + 6 - top
        let tone = Tone.steps(isReached: bar.isReached)
        var parts: [Markup] = []
        if bar.isPartial {
            parts.append(rect(.fill(tone), at: index, share, top, below, Attribute(.rx, 3), Attribute(.opacity, 0.3)))
            parts.append(
                rect(
                    .stroke(tone), at: index, share, top, below, Attribute(.rx, 3), Attribute(.fill, "none"),
                    Attribute(.strokeWidth, bars.count > 60 ? 0.6 : 1.5)))
        } else if bar.running >= steps {
            return rect(.fill(.run), at: index, share, top, below, Attribute(.rx, 3))
        } else {
            parts.append(rect(.fill(tone), at: index, share, top, below, Attribute(.rx, 3)))
        }
        if bar.running > 0 {
            // A gap between the two, which differ little in lightness.
            let border = max(top, min(y(min(bar.running, steps), scale), base - 2))
            parts.append(rect(.fill(.run), at: index, share, border, base + 6 - border))
            if border - top > 2 { parts.append(rect(.fill(.card), at: index, share, border - 1.5, 1.5)) }
        }
        return .joined(parts)
    }

    /// The words of a column, at its top while it is pointed at.
    private func tip(_ bar: Bar, at index: Int, _ scale: Scale) -> Markup {
        if bars.count <= Self.maximumValues || bar.title.isEmpty { return .nothing }
        let centre = centre(index)
        // At the left, the labels of the axis leave room: `Week 42 of 2025: 20,408 a day` fits at 320 px.
        let anchor = centre < 19 ? "start" : centre > 64 ? "end" : "middle"
        // On a phone there is room for the name of an unknown day, for the steps of others, and for a mean without
        // their word.
        let title = bar.title
        let minor: Range<String.Index>? =
            if bar.steps == nil {
                title.firstRange(of: ": ").map { $0.lowerBound..<title.endIndex }
            } else if let mean = title.firstRange(of: " steps a day") {
                mean.lowerBound..<title.index(mean.lowerBound, offsetBy: 6)
            } else {
                title.firstRange(of: ", ").map { $0.lowerBound..<title.endIndex }
            }
        let bottom = max(20, min(bar.steps.map { y($0, scale) } ?? base, base) - 2)
        return Element.g(.css("tip"), Attribute(.opacity, 0)) {
            Element.line(
                .stroke(.border), Attribute(.strokeDasharray, "2 3"), Attribute(.x1, percent: centre),
                Attribute(.x2, percent: centre),
                Attribute(.y1, 18), Attribute(.y2, bottom))
            Element.text(
                .fill(.text, "halo"), Attribute(.fontSize, 12), Attribute(.fontWeight, 600),
                Attribute(.x, percent: centre), Attribute(.y, 13),
                Attribute(.textAnchor, anchor)
            ) {
                String(title[..<(minor?.lowerBound ?? title.endIndex)])
                if let minor {
                    Element.tspan(.css("minor")) { String(title[minor]) }
                    String(title[minor.upperBound...])
                }
            }
        }
    }

    private func value(_ bar: Bar, at index: Int, _ scale: Scale) -> Markup {
        guard bars.count <= Self.maximumValues, bar.hasBegun || bar.steps != nil else { return .nothing }
        let top = bar.steps.map { y($0, scale) } ?? base - 8
        return Element.text(
            .fill(bar.steps == nil ? .muted : .text, "halo count"), Attribute(.fontSize, 12),
            Attribute(.fontWeight, 600), Attribute(.x, percent: centre(index)), Attribute(.y, min(top, base - 2) - 7),
            Attribute(.textAnchor, "middle")
        ) {
            if let steps = bar.steps, steps >= Words.smallestInThousands {
                // The style shows the one that has room.
                Element.tspan(.css("long")) { Words.grouped(steps) }
                Element.tspan(.css("short")) { Words.thousands(steps) }
            } else {
                bar.steps.map(Words.grouped) ?? "?"
            }
        }
    }

    // MARK: Lines and labels

    /// Consecutive slots for which a value is the same and not nil.
    private func runs<Value: Equatable>(_ value: (Bar) -> Value?) -> [(slots: Range<Int>, value: Value)] {
        var runs: [(slots: Range<Int>, value: Value)] = []
        for (index, bar) in bars.enumerated() {
            guard let value = value(bar) else { continue }
            if let last = runs.last, last.slots.upperBound == index, last.value == value {
                runs[runs.count - 1].slots = last.slots.lowerBound..<index + 1
            } else {
                runs.append((index..<index + 1, value))
            }
        }
        return runs
    }

    private func line(_ slots: Range<Int>, _ y: Double, _ attributes: Attribute?...) -> Markup {
        Element.line(
            attributes + [
                Attribute(.x1, percent: Double(slots.lowerBound) * slot),
                Attribute(.x2, percent: Double(slots.upperBound) * slot),
                Attribute(.y1, y), Attribute(.y2, y),
            ])
    }

    /// Only below slots that are known.
    private var baseLines: Markup {
        .joined(runs { $0.steps == nil ? nil : true }.map { line($0.slots, base, .stroke(.border)) })
    }

    /// One dashed line through all neighbours with the same goal, with a cut in the bars below it.
    private func goalLines(_ scale: Scale) -> Markup {
        .joined(
            runs(\.goal).map { run in
                let y = y(run.value, scale)
                return line(run.slots, y, .stroke(.card), Attribute(.strokeWidth, 3.5))
                    + line(
                        run.slots, y, .stroke(.text), Attribute(.strokeWidth, 1.5), Attribute(.strokeDasharray, "5 4"))
            })
    }

    /// Whether the name of a month, or the number of a day, is left out on a narrow screen: every second of many, and
    /// one that would lie on the name of the first day, which takes up to a quarter of such a screen.
    ///
    /// - Parameter limit: so many names have room.
    static func isMinor(_ index: Int, of months: [(slot: Int, name: String)], slots: Int, limit: Int) -> Bool {
        if index % 2 == 1, months.count > limit { return true }
        guard index == 1, months[0].name.contains(" ") else { return false }
        return 4 * (months[1].slot - months[0].slot) < slots
    }

    private var axis: Markup {
        let days = bars.enumerated().map { index, bar -> Markup in
            if bar.label.isEmpty { return .nothing }
            let isNow = bar.isNow
            return Element.text(
                .fill(isNow ? .text : .muted, bar.isMinor && !isNow ? "minor" : ""), Attribute(.fontSize, 12),
                isNow ? Attribute(.fontWeight, 700) : nil, Attribute(.x, percent: centre(index)),
                Attribute(.y, base + 19),
                Attribute(.textAnchor, "middle")
            ) { bar.label }
        }
        // At the right edge there is no room for a name.
        let names = months.enumerated().filter { 25 * $1.slot <= 24 * bars.count }.map { index, month in
            Element.text(
                .fill(.muted, Self.isMinor(index, of: months, slots: bars.count, limit: 4) ? "minor" : ""),
                Attribute(.fontSize, 12),
                Attribute(.x, percent: Double(month.slot) * slot), Attribute(.y, base + 19)
            ) { month.name }
        }
        return .joined(days + names)
    }
}
