package import StepDomain

extension StepLength {
    /// `step 74 cm, measured, running step 116.2 cm, scaled by it`, in a profile.
    package var words: String {
        let isMeasured = source == .measuredStepLength
        let running = isRunningMeasured ? "measured" : isMeasured ? "scaled by it" : "by height"
        return "step \(centimetres(walking)), \(isMeasured ? "measured" : "by height"), "
            + "running step \(centimetres(self.running)), \(running)"
    }

    /// How a distance is calculated, in a sentence.
    package var explanation: String {
        let isMeasured = source == .measuredStepLength
        let walking =
            (isMeasured ? "the measured step length" : "a step length estimated from the height")
            + ", \(centimetres(self.walking))"
        let running = "\(centimetres(self.running))"
        let why =
            isRunningMeasured
            ? " as measured"
            : isMeasured ? ", scaled by the measured walking step" : ", estimated from the height"
        return "Distance: walking steps times \(walking); running steps times \(running)\(why)."
    }

    private func centimetres(_ metres: Double) -> String { "\(Words.short(metres * 100)) cm" }
}
