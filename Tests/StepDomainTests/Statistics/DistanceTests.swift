import StepDomain
import Testing

@Suite(.timeLimit(.minutes(5))) struct DistanceTests {
    private let day = Day(daysSince1970: 16_000)

    /// Samples of one minute each.
    private func samples(_ steps: Int..., metres: Double? = nil, kilocalories: Double? = nil) -> [StepSample] {
        steps.enumerated().map {
            StepSample(
                start: Timestamp($0 * 60), length: 60, steps: $1, distance: metres, energy: kilocalories, utcOffset: 0)
        }
    }

    private func profile(
        height: Double? = nil, weight: Double? = nil, sex: Sex = .unspecified, step: Double? = nil,
        running: Double? = nil
    ) -> Profile {
        Profile(
            validFrom: day, height: height, weight: weight, sex: sex, stepLength: step, runningStepLength: running)
    }

    private func near(_ a: Double?, _ b: Double) -> Bool { a.map { abs($0 - b) < 1e-9 } ?? false }

    // MARK: Distance

    @Test(arguments: [(Sex.male, 0.415), (.female, 0.413), (.unspecified, 0.414)])
    func `the distance is calculated from the height and sex`(sex: Sex, share: Double) {
        let distance = DistanceEstimate(samples(100, 100), profile: profile(height: 1.80, sex: sex))
        #expect(near(distance?.metres, 200 * 1.80 * share))
        #expect(distance?.source == .height)
    }

    @Test func `a measured step length takes precedence over the height`() {
        let distance = DistanceEstimate(samples(100), profile: profile(height: 1.80, step: 0.7))
        #expect(near(distance?.metres, 70))
        #expect(distance?.source == .measuredStepLength)
    }

    @Test func `more than 130 steps a minute count as running`() {
        let distance = DistanceEstimate(samples(130, 131), profile: profile(height: 2, sex: .male))
        #expect(near(distance?.walking, 130 * 2 * 0.415))
        #expect(near(distance?.running, 131 * 2 * 0.65))
    }

    @Test(arguments: [nil, 1.6, 2.0]) func `a measured walking step scales the running step, whatever the height is`(
        height: Double?
    ) {
        let distance = DistanceEstimate(samples(100, 150), profile: profile(height: height, sex: .male, step: 0.83))
        #expect(near(distance?.walking, 83) && near(distance?.running, 150 * 0.83 * 0.65 / 0.415))
        // Of a measured step that is the estimated one, the running step is that of the height.
        let estimated = StepLength(profile(height: 2, sex: .male))
        #expect(near(StepLength(profile(sex: .male, step: 0.83))?.running, estimated?.running ?? 0))
    }

    @Test func `a measured running step is used for running, and for walking where nothing else is known`() {
        let both = DistanceEstimate(samples(100, 150), profile: profile(height: 1.8, step: 0.8, running: 1.2))
        #expect(near(both?.walking, 80) && near(both?.running, 180))
        let byHeight = DistanceEstimate(samples(100, 150), profile: profile(height: 2, sex: .male, running: 1.2))
        #expect(near(byHeight?.walking, 83) && near(byHeight?.running, 180))
        let alone = DistanceEstimate(samples(100, 150), profile: profile(sex: .male, running: 1.3))
        #expect(near(alone?.walking, 83) && near(alone?.running, 195))
        #expect(StepLength(profile(running: 9)) == nil && StepLength(profile(running: .nan)) == nil)
        #expect(near(StepLength(profile(height: 2, running: 9))?.running, 1.3))
    }

    @Test func `both parts of a distance name their source`() {
        func sources(_ samples: [StepSample], _ profile: Profile?) -> [DaySummary.DistanceSource?] {
            let distance = DistanceEstimate(samples, profile: profile)
            return [distance?.source, distance?.runningSource]
        }
        let both = samples(100, 150)
        #expect(sources(both, profile(height: 1.8)) == [.height, .height])
        #expect(sources(both, profile(height: 1.8, step: 0.7)) == [.measuredStepLength, .scaledStepLength])
        #expect(sources(both, profile(step: 0.7, running: 1)) == [.measuredStepLength, .measuredStepLength])
        #expect(sources(both, profile(height: 1.8, running: 1)) == [.height, .measuredStepLength])
        #expect(sources(both, profile(running: 1)) == [.scaledStepLength, .measuredStepLength])
        #expect(sources(samples(100, 150, metres: 60), nil) == [.pedometer, .pedometer])
        // Nothing was run.
        #expect(sources(samples(100), profile(running: 1)) == [.scaledStepLength, nil])
        #expect(sources(samples(100, metres: 60), nil) == [.pedometer, nil])
    }

    @Test func `the distance of the pedometer is used as the last resort`() {
        #expect(DistanceEstimate(samples(100, 50, metres: 60), profile: nil)?.metres == 120)
        #expect(DistanceEstimate(samples(100, 50, metres: 60), profile: profile(weight: 70))?.source == .pedometer)
    }

    @Test func `a sample without a valid distance leaves the sum unknown`() {
        #expect(DistanceEstimate(samples(100, metres: 60) + samples(50), profile: nil) == nil)
        #expect(DistanceEstimate(samples(100, metres: .nan), profile: nil) == nil)
        #expect(DistanceEstimate(samples(100, metres: -1), profile: nil) == nil)
        #expect(DistanceEstimate(samples(100, metres: 60) + samples(0), profile: nil)?.metres == 60)
    }

    @Test(arguments: [0, -1, 3, .nan, .infinity])
    func `an impossible height or step length is not used`(height: Double) {
        #expect(DistanceEstimate(samples(100), profile: profile(height: height)) == nil)
        #expect(StepLength(profile(height: 1.8, step: height))?.source == .height)
    }

    @Test func `zero steps give a distance of zero`() {
        #expect(DistanceEstimate([], profile: nil)?.metres == 0)
        #expect(DistanceEstimate([], profile: profile(height: 1.8))?.metres == 0)
    }

    // MARK: Energy

    @Test func `the energy of walking and running depends on the weight`() {
        // 0.5 and 1 kcal per kilogram and kilometre.
        let distance = DistanceEstimate(walkedSteps: 10_000, profile: profile(step: 0.7))
        let walked = EnergyEstimate(distance: distance, profile: profile(weight: 80))
        #expect(near(walked?.kilocalories, 280))
        #expect(walked?.source == .weight)

        let both = DistanceEstimate(samples(100, 150), profile: profile(step: 1, running: 1))
        #expect(near(EnergyEstimate(distance: both, profile: profile(weight: 100))?.kilocalories, 5 + 15))
    }

    /// Hall 2004 measured, for 1600 m, 481 kJ running against 340 kJ walking, gross. With rest
    /// added (1 kcal per kilogram and hour) the formulas come near that for a person of 70 kg.
    @Test func `the energy formulas agree with measurements within 10 %`() {
        let kilojoules = 4.184
        let walking = EnergyEstimate.walkingCost * 70 * 1.6 + 70.0 / 3600 * (1600 / 1.41)
        let running = EnergyEstimate.runningCost * 70 * 1.6 + 70.0 / 3600 * (1600 / 2.82)
        #expect(abs(walking * kilojoules / 340 - 1) < 0.1)
        #expect(abs(running * kilojoules / 481 - 1) < 0.1)
    }

    @Test func `the energy of the pedometer is used without a weight`() {
        let reported = samples(100, 100, kilocalories: 4)
        let distance = DistanceEstimate(reported, profile: profile(height: 1.8))
        let energy = EnergyEstimate(reported, distance: distance, profile: profile(height: 1.8))
        #expect(energy?.kilocalories == 8)
        #expect(energy?.source == .pedometer)
        #expect(EnergyEstimate(samples(100), distance: distance, profile: nil) == nil)
        #expect(EnergyEstimate(reported, distance: nil, profile: profile(weight: 70))?.source == .pedometer)
        #expect(EnergyEstimate(samples(1, kilocalories: .infinity), distance: nil, profile: nil) == nil)
    }
}

extension DistanceEstimate {
    fileprivate init?(_ samples: [StepSample], profile: Profile?) { self.init(GaitSums(samples), profile: profile) }
}

extension EnergyEstimate {
    fileprivate init?(_ samples: [StepSample], distance: DistanceEstimate?, profile: Profile?) {
        self.init(GaitSums(samples), distance: distance, profile: profile)
    }
}
