package import StepDomain

extension StepLength {
    /// `step 74 cm, measured, running step 116.2 cm, scaled by it`, in a profile.
    package var words: String {
        "step \(centimetres(walking)), \(Self.words(source, "scaled by the running step")), "
            + "running step \(centimetres(running)), \(Self.words(runningSource, "scaled by it"))"
    }

    private static func words(_ source: DaySummary.DistanceSource, _ scaled: String) -> String {
        switch source {
        case .measuredStepLength: "measured"
        case .scaledStepLength: scaled
        case .height, .pedometer: "by height"
        }
    }

    /// How a distance is calculated, in a sentence.
    package var explanation: String {
        let walking =
            switch source {
            case .measuredStepLength: "the measured step length, \(centimetres(walking))"
            case .scaledStepLength: "\(centimetres(walking)), scaled by the measured running step"
            case .height, .pedometer: "a step length estimated from the height, \(centimetres(walking))"
            }
        let running =
            switch runningSource {
            case .measuredStepLength: " as measured"
            case .scaledStepLength: ", scaled by the measured walking step"
            case .height, .pedometer: ", estimated from the height"
            }
        return "Distance: walking steps times \(walking); running steps times \(centimetres(self.running))\(running)."
    }

    private func centimetres(_ metres: Double) -> String { "\(Words.short(metres * 100)) cm" }
}
