/// What some steps cost above rest, in kilocalories.
public struct EnergyEstimate: Hashable, Sendable {
    /// Net kilocalories: what the body would have used at rest is not in them, so that they can be added to a basal rate.
    public var kilocalories: Double
    public var source: DaySummary.EnergySource

    /// Net cost of walking on the level, kilocalories per kilogram and kilometre.
    ///
    /// From the ACSM's metabolic equation VO₂ = 3.5 + 0.1·S (mL/kg/min, S in m/min) by dropping the 3.5 at rest: 0.1 mL
    /// a metre is 100 mL a kilometre, at 5 kcal a litre 0.5 kcal (ACSM's Guidelines for Exercise Testing and Prescription,
    /// 10th ed., via doi 10.1249/FIT.0000000000000577).
    public static let walkingCost = 0.5
    /// Net cost of running on the level; likewise from VO₂ = 3.5 + 0.2·S.
    public static let runningCost = 1.0

    /// By weight and distance; without a weight in the range of `Profile` or without a distance the pedometer's own
    /// kilocalories, if it told them for every sample; else nil.
    public init?(_ samples: [StepSample], distance: DistanceEstimate?, profile: Profile?) {
        if let byWeight = EnergyEstimate(distance: distance, profile: profile) {
            self = byWeight
            return
        }
        kilocalories = 0
        source = .pedometer
        for sample in samples where sample.steps > 0 {
            guard let told = sample.energy, told.isFinite, told >= 0 else { return nil }
            kilocalories += told
        }
    }

    /// By weight and distance only.
    public init?(distance: DistanceEstimate?, profile: Profile?) {
        guard let distance, let weight = profile?.weight, Profile.weights.contains(weight) else { return nil }
        kilocalories = weight * (distance.walking * Self.walkingCost + distance.running * Self.runningCost) / 1000
        source = .weight
    }

    public func scaled(by factor: Double) -> EnergyEstimate {
        var scaled = self
        scaled.kilocalories *= factor
        return scaled
    }
}
