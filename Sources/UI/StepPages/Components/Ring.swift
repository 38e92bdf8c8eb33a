/// Steps of a day as a ring around their number: full when the goal is reached, then a second lap.
struct Ring: Sendable {
    /// Nil if they are unknown; then `word` stands in the middle.
    var steps: Int?
    var word: String
    /// Above the number: `steps so far`.
    var name: String
    /// Below it: `43 % of 8,000`, `rest day`.
    var remark: String
    /// Of the goal; nil without one.
    var percentage: Double?
    var summary: String

    private static let radius = 84.0, width = 17.0
    /// The rounded head of the arc reaches beyond its end.
    private static let around = 2 * Double.pi * radius

    var markup: Markup {
        Element.svg(
            .css("ring"), Attribute(.viewBox, "0 0 200 200"), Attribute(.role, "img"), Attribute(.ariaLabel, summary)
        ) {
            drawing
            Element.text(
                .fill(.muted), Attribute(.x, 100), Attribute(.y, 62), Attribute(.fontSize, 15),
                Attribute(.textAnchor, "middle")
            ) {
                name
            }
            Element.text(
                .fill(.text, "big"), Attribute(.x, 100), Attribute(.y, 111),
                Attribute(.fontSize, steps == nil ? 28 : word.count > 7 ? 32 : 41),
                Attribute(.fontWeight, 700), Attribute(.textAnchor, "middle")
            ) { word }
            Element.text(
                .fill(isReached ? .accent : .muted), Attribute(.x, 100), Attribute(.y, 141), Attribute(.fontSize, 15),
                isReached ? Attribute(.fontWeight, 700) : nil, Attribute(.textAnchor, "middle")
            ) { remark }
        }
    }

    private var isReached: Bool { percentage ?? 0 >= 100 }

    /// The ring without words, on a square of 200.
    @MarkupBuilder var drawing: Markup {
        let share = max(0, percentage ?? 0) / 100
        Element.g(
            Attribute(.fill, "none"), Attribute(.strokeWidth, Self.width), Attribute(.transform, "rotate(-90 100 100)")
        ) {
            circle(.sunk, nil)
            if share >= 1 { circle(.below, 1) }
            if share >= 2 {
                circle(.walk, 1)
            } else if share > 1 {
                gap(at: share - 1)
                circle(.walk, share - 1)
            } else if share == 1 {
                circle(.walk, 1)
            } else if share > 0 {
                circle(.walk, share)
            }
        }
    }

    /// - Parameter share: of the circle; nil for all of it without a head.
    private func circle(_ tone: Tone, _ share: Double?) -> Markup {
        let length = share.map { max(0.1, $0 * Self.around) }
        return Element.circle(
            .stroke(tone), Attribute(.cx, 100), Attribute(.cy, 100), Attribute(.r, Self.radius),
            length.map { Attribute(.strokeDasharray, "\(Geometry.tenths($0)) \(Geometry.tenths(Self.around))") },
            length == nil ? nil : Attribute(.strokeLinecap, "round"))
    }

    /// Separates the head of the second lap from the first.
    private func gap(at share: Double) -> Markup {
        let (cosine, sine) = Geometry.onCircle(share)
        return Element.circle(
            .stroke(.card), Attribute(.strokeWidth, 3), Attribute(.cx, 100 + Self.radius * cosine),
            Attribute(.cy, 100 + Self.radius * sine), Attribute(.r, 10))
    }
}

/// Numbers of drawings.
enum Geometry {
    /// To a tenth, without a library for it: `52.4`.
    static func tenths(_ value: Double) -> String {
        guard value.isFinite else { return "0" }
        let tenths = Int((min(max(value, -1e7), 1e7) * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
    }

    /// Cosine and sine of a part of a whole turn, by their series: a drawing needs five digits.
    static func onCircle(_ share: Double) -> (cosine: Double, sine: Double) {
        // The series is short near zero: a quarter of the angle, and twice the formulas of the double angle.
        let angle = 2 * Double.pi * (share - share.rounded(.down)) / 4
        var (cosine, sine) = (1.0, angle), (term, square) = (angle, angle * angle)
        var even = 1.0
        for index in 1...8 {
            let n = Double(2 * index)
            even *= -square / ((n - 1) * n)
            cosine += even
            term *= -square / (n * (n + 1))
            sine += term
        }
        for _ in 0..<2 { (cosine, sine) = (cosine * cosine - sine * sine, 2 * sine * cosine) }
        return (cosine, sine)
    }
}
