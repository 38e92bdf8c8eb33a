package import StepDomain

extension StepLength {
    /// `step 74 cm, measured, running step 116.2 cm, scaled by it`, in a profile.
    package func words(_ units: UnitSystem) -> String {
        "step \(units.words(length: walking)), \(Self.words(source, "scaled by the running step")), "
            + "running step \(units.words(length: running)), \(Self.words(runningSource, "scaled by it"))"
    }

    private static func words(_ source: DaySummary.DistanceSource, _ scaled: String) -> String {
        switch source {
        case .measuredStepLength: "measured"
        case .scaledStepLength: scaled
        case .height, .pedometer: "by height"
        }
    }

    /// How a distance is calculated, in a sentence.
    package func explanation(_ units: UnitSystem) -> String {
        let walking =
            switch source {
            case .measuredStepLength: "the measured step length, \(units.words(length: walking))"
            case .scaledStepLength: "\(units.words(length: walking)), scaled by the measured running step"
            case .height, .pedometer: "a step length estimated from the height, \(units.words(length: walking))"
            }
        let running =
            switch runningSource {
            case .measuredStepLength: " as measured"
            case .scaledStepLength: ", scaled by the measured walking step"
            case .height, .pedometer: ", estimated from the height"
            }
        return "Distance: walking steps times \(walking); running steps times "
            + "\(units.words(length: self.running))\(running)."
    }
}
