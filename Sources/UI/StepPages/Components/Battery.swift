internal import StepDomain

/// The charge of a pedometer.
enum Battery {
    static func markup(_ percent: Int) -> Markup {
        let share = Double(min(max(percent, 0), 100)) / 100
        let tone: Tone = percent < BatteryLevel.low ? .run : .walk
        return Element.span(.css("battery")) {
            Element.svg(Attribute(.viewBox, "0 0 32 16"), Attribute(.ariaHidden, "true")) {
                Element.rect(
                    .stroke(.border), Attribute(.fill, "none"), Attribute(.strokeWidth, 1.6), Attribute(.x, 1),
                    Attribute(.y, 1),
                    Attribute(.width, 26), Attribute(.height, 14), Attribute(.rx, 4))
                Element.rect(
                    .fill(tone), Attribute(.x, 3.5), Attribute(.y, 3.5), Attribute(.width, max(1, 21 * share)),
                    Attribute(.height, 9),
                    Attribute(.rx, 2))
                Element.rect(
                    .fill(.border), Attribute(.x, 28.5), Attribute(.y, 5.5), Attribute(.width, 2),
                    Attribute(.height, 5), Attribute(.rx, 1))
            }
            Element.span(.css("vh")) { "battery " }
            "\(percent) %"
        }
    }
}
