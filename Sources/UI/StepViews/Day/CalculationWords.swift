package import StepDomain
package import StepServices

extension DayProvenance {
    /// How the figures of the day follow from what its sources recorded, in sentences: for `istep show --explain` and
    /// the page of a day. Empty if one source recorded steps without distance and energy.
    package func calculation(_ summary: DaySummary, _ units: UnitSystem) -> [String] {
        var sentences: [String] = []
        if sources.count > 1 {
            sentences.append(
                """
                Where two sources recorded the same time, the one with more steps counts, and the others do not. If its samples are \
                long, shorter ones of the others show when its steps were made, and which were run.
                """)
        }
        switch summary.distanceSource {
        case .pedometer: sentences.append("Distance: as the pedometer reported it.")
        case .some: sentences += [stepLength?.explanation(units)].compactMap(\.self)
        case nil: break
        }
        switch summary.energySource {
        case .weight: sentences.append("Calories: by weight and distance, above rest.")
        case .pedometer: sentences.append("Calories: as the pedometer reported them.")
        case nil: break
        }
        return sentences
    }
}
