/// The distance that some steps covered, separately for walking and running, because they cost different energy.
public struct DistanceEstimate: Hashable, Sendable {
    /// Metres.
    public var walking: Double
    /// Metres.
    public var running: Double
    /// Of the walked part.
    public var source: DaySummary.DistanceSource
    /// Of the part that was run; nil if there is none.
    public var runningSource: DaySummary.DistanceSource?

    public var metres: Double { walking + running }

    /// Steps times step length (`StepLength`); without one, the pedometer's own metres, if it reported them for every
    /// sample: a sum with gaps would look complete.
    public init?(_ sums: GaitSums, profile: Profile?) {
        if let length = StepLength(profile) {
            walking = Double(sums.walkingSteps) * length.walking
            running = Double(sums.runningSteps) * length.running
            source = length.source
            if sums.runningSteps > 0 { runningSource = length.runningSource }
        } else if let metres = sums.metres {
            walking = metres.walking
            running = metres.running
            source = .pedometer
            if sums.runningSteps > 0 { runningSource = .pedometer }
        } else {
            return nil
        }
    }

    /// The distance of steps of which only the number is known: they count as walked. Nil without a step length.
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

/// The energy that some steps cost above rest, in kilocalories.
public struct EnergyEstimate: Hashable, Sendable {
    /// Net kilocalories: what the body would have used at rest is not in them, so that they can be added to a basal
    /// rate.
    public var kilocalories: Double
    public var source: DaySummary.EnergySource

    /// Net cost of walking on the level, kilocalories per kilogram and kilometre.
    ///
    /// From the ACSM's metabolic equation VO₂ = 3.5 + 0.1·S (mL/kg/min, S in m/min) by dropping the 3.5 at rest: 0.1 mL
    /// a metre is 100 mL a kilometre, at 5 kcal a litre 0.5 kcal (ACSM's Guidelines for Exercise Testing and
    /// Prescription, 10th ed., via doi 10.1249/FIT.0000000000000577).
    public static let walkingCost = 0.5
    /// Net cost of running on the level; likewise from VO₂ = 3.5 + 0.2·S.
    public static let runningCost = 1.0

    /// Calculated from weight and distance. Without a weight in the range of `Profile` or without a distance, the
    /// pedometer's own kilocalories, if it reported them for every sample; else nil.
    public init?(_ sums: GaitSums, distance: DistanceEstimate?, profile: Profile?) {
        if let byWeight = EnergyEstimate(distance: distance, profile: profile) {
            self = byWeight
        } else if let reported = sums.energy {
            kilocalories = reported
            source = .pedometer
        } else {
            return nil
        }
    }

    /// Calculated from weight and distance only.
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
