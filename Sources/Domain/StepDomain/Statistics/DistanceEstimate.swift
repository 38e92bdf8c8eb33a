/// How far some steps went, walking and running apart because they cost different energy.
public struct DistanceEstimate: Hashable, Sendable {
    /// Metres.
    public var walking: Double
    /// Metres.
    public var running: Double
    public var source: DaySummary.DistanceSource

    public var metres: Double { walking + running }

    /// Steps times step length (`StepLength`); without one, the pedometer's own metres, if it told them for every sample:
    /// a sum with holes would pass for a whole.
    public init?(_ samples: [StepSample], profile: Profile?) {
        let length = StepLength(profile)
        walking = 0
        running = 0
        source = length?.source ?? .pedometer
        for sample in samples where sample.steps > 0 {
            let gait = Gait(sample)
            let metres: Double
            if let length {
                metres = Double(sample.steps) * (gait == .running ? length.running : length.walking)
            } else if let told = sample.distance, told.isFinite, told >= 0 {
                metres = told
            } else {
                return nil
            }
            if gait == .running { running += metres } else { walking += metres }
        }
    }

    /// Steps of which nothing but their number is known: walked. Nil where no step length is.
    public init?(walkedSteps steps: Int, profile: Profile?) {
        guard let length = StepLength(profile) else { return nil }
        walking = Double(steps) * length.walking
        running = 0
        source = length.source
    }

    public func scaled(by factor: Double) -> DistanceEstimate {
        var scaled = self
        scaled.walking *= factor
        scaled.running *= factor
        return scaled
    }
}
