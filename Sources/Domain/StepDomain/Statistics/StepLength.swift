/// Metres from one foot to the next.
public struct StepLength: Hashable, Sendable {
    public var walking: Double
    public var running: Double
    public var source: DaySummary.DistanceSource

    /// Share of the height that a walking step measures: 0.415 for men, 0.413 for women, their mean where the sex is not
    /// told. The numbers are popular ones (pedometer manuals); no primary source is known, so a measured length is better.
    public static func walkingShare(_ sex: Sex) -> Double {
        switch sex {
        case .male: 0.415
        case .female: 0.413
        case .unspecified: 0.414
        }
    }

    /// Share of the height that a running step measures: a rule of thumb without a primary source.
    public static let runningShare = 0.65

    /// Measured, else by height, else nil. Values outside the ranges of `Profile` count as not told.
    ///
    /// Who measured their walking step and did not tell their height runs with the walking step, too.
    public init?(_ profile: Profile?) {
        guard let profile else { return nil }
        let height = profile.height.flatMap { Profile.heights.contains($0) ? $0 : nil }
        if let measured = profile.stepLength, Profile.stepLengths.contains(measured) {
            walking = measured
            // A run's step is not below the walk's, however long the legs.
            running = max(measured, height.map { $0 * Self.runningShare } ?? measured)
            source = .measuredStepLength
        } else if let height {
            walking = height * Self.walkingShare(profile.sex)
            running = height * Self.runningShare
            source = .height
        } else {
            return nil
        }
    }
}
