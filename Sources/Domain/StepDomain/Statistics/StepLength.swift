/// Metres from one foot to the next.
public struct StepLength: Hashable, Sendable {
    public var walking: Double
    public var running: Double
    /// Of the walking step.
    public var source: DaySummary.DistanceSource
    public var runningSource: DaySummary.DistanceSource

    /// Length of a walking step as a share of the height: 0.415 for men, 0.413 for women, their mean if the sex is not
    /// known. The numbers are in common use (pedometer manuals); no primary source is known, so a measured length is
    /// better.
    public static func walkingShare(_ sex: Sex) -> Double {
        switch sex {
        case .male: 0.415
        case .female: 0.413
        case .unspecified: 0.414
        }
    }

    /// Length of a running step as a share of the height: a rule of thumb without a primary source.
    public static let runningShare = 0.65

    /// The measured length, else the one estimated from the height, else nil. Values outside the ranges of `Profile`
    /// count as missing.
    ///
    /// A measured walking step scales the running step by the same factor as it differs from the estimated one: whose
    /// walking steps are long for the height also runs with long steps. A measured running step scales the walking step
    /// only where the height is not known: it depends on the speed as well, so the height says more about walking.
    public init?(_ profile: Profile?) {
        guard let profile else { return nil }
        func valid(_ value: Double?, _ range: ClosedRange<Double>) -> Double? {
            value.flatMap { range.contains($0) ? $0 : nil }
        }
        let height = valid(profile.height, Profile.heights)
        let measured = valid(profile.stepLength, Profile.stepLengths)
        let measuredRunning = valid(profile.runningStepLength, Profile.runningStepLengths)
        let share = Self.walkingShare(profile.sex)
        if let measured {
            (walking, source) = (measured, .measuredStepLength)
            (running, runningSource) = (measured * Self.runningShare / share, .scaledStepLength)
        } else if let height {
            (walking, source) = (height * share, .height)
            (running, runningSource) = (height * Self.runningShare, .height)
        } else if let measuredRunning {
            (walking, source) = (measuredRunning * share / Self.runningShare, .scaledStepLength)
            (running, runningSource) = (measuredRunning, .measuredStepLength)
        } else {
            return nil
        }
        if let measuredRunning { (running, runningSource) = (measuredRunning, .measuredStepLength) }
    }
}
