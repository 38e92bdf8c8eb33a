import StepDomain
import Testing

@testable import StepDatabase

@Suite(.timeLimit(.minutes(5))) struct ReplayStoreTests {
    private func replay(_ history: Fixture, _ samples: StepSample..., coverage: [TimeSpan] = []) -> PedometerReplay {
        let batch = SampleBatch(samples: samples, coverage: coverage)
        return PedometerReplay(
            pedometer: history.pedometer,
            readings: [ReplayedReading(sync: history.sync, batches: [batch], localTime: .fixed(0))])
    }

    private func revisions(_ history: Fixture) throws -> [String] {
        try history.strings("SELECT day || ' ' || revision FROM changed_day ORDER BY day")
    }

    @Test func `samples of a sync are replaced by what its frames say, and all else stays`() throws {
        try withFixture { history in
            let database = history.database
            try history.merge(slot(0, 900), slot(60, 40), slot(1440, 7))
            let other = try database.beginSync(of: history.pedometer.id, at: noon)
            _ = try database.merge(SampleBatch(samples: [slot(120, 5)]), sync: other)
            try database.setCorrection(StepCorrection(steps: 9000), of: history.user.id, on: day, at: noon)
            let revisions = try revisions(history)

            let same = try database.replace(
                [replay(history, slot(0, 900), slot(60, 40), slot(1440, 7))], at: noon, isPreview: false)
            #expect(same.map(\.samples) == [0] && same[0].days.isEmpty)
            #expect(try self.revisions(history) == revisions, "nothing is shared again")

            // One is less, one is gone, one is new.
            let right = replay(history, slot(0, 450), slot(75, 30), slot(1440, 7))
            let preview = try database.replace([right], at: noon, isPreview: true)
            #expect(preview[0].samples == 3 && preview[0].days == [.init(day: day, before: 945, after: 485)])
            #expect(try history.samples() == [slot(0, 900), slot(60, 40), slot(120, 5)], "a preview changes nothing")

            let done = try database.replace([right], at: noon, isPreview: false)
            #expect(done[0].days == preview[0].days)
            #expect(try history.samples() == [slot(0, 450), slot(75, 30), slot(120, 5)])
            #expect(try history.data().correction?.steps == 9000)
            let changed = try self.revisions(history)
            #expect(changed[0] != revisions[0] && changed[1] == revisions[1], "only the day that differs")
            try database.close()
            #expect(try StepDatabase.check(history.path).isSound && StepDatabase.check(history.path).broken.isEmpty)
        }
    }

    @Test func `time that was not accounted for, and slots that cannot be right, are decoded again too`() throws {
        try withFixture { history in
            try history.merge(slot(0, 90_000))
            #expect(try history.strings("SELECT count(*) FROM implausible_sample") == ["1"])
            let done = try history.database.replace(
                [replay(history, slot(0, 900), coverage: [TimeSpan(midnight, noon)])], at: noon, isPreview: false)
            #expect(done[0].days == [.init(day: day, before: nil, after: 900)])
            #expect(try history.strings("SELECT count(*) FROM implausible_sample") == ["0"])
            #expect(try history.data().tracks.flatMap(\.coverage).map(\.span) == [TimeSpan(midnight, noon)])
        }
    }

    @Test func `a sample keeps the offset of its place, wherever this machine is now`() throws {
        try withFixture { history in
            try history.merge(slot(60, 200, offset: -7200), slot(90, 10))
            let moved = replay(history, slot(60, 200), slot(90, 11, offset: 3600))
            let done = try history.database.replace([moved], at: noon, isPreview: false)
            #expect(done[0].samples == 1 && done[0].days == [.init(day: day, before: 10, after: 11)])
            #expect(try history.samples() == [slot(90, 11)])
            #expect(try history.samples(on: day.advanced(by: -1)) == [slot(60, 200, offset: -7200)])
        }
    }

    @Test func `a pedometer that had another owner stays as it is`() throws {
        try withFixture { history in
            try history.merge(slot(0, 900))
            let bob = try history.database.addUser(named: "Bob")
            try history.database.forgetPedometer(history.pedometer.id)
            _ = try history.database.addPedometer(.ring(of: bob))
            let kept = try history.database.replace([replay(history, slot(0, 1))], at: noon, isPreview: false)
            #expect(kept[0].samples == 0 && kept[0].replay.kept == 1 && kept[0].replay.readings.isEmpty)
            #expect(try history.samples() == [slot(0, 900)])
        }
    }

    /// They came back, and those of a deleted user went to the next one.
    @Test func `what syncs have left out stays out`() throws {
        try withFixture { history in
            let database = history.database, next = day.advanced(by: 1)
            try history.merge(slot(600, 9), slot(1440 + 600, 7))
            try history.execute("UPDATE pedometer SET counts_from = \((midnight + 540 * 60).seconds)")
            _ = try database.delete(.days(next...next, of: history.user), at: noon, isPreview: false)
            let all = replay(
                history, slot(0, 900), slot(600, 10), slot(1440 + 600, 7),
                coverage: [TimeSpan(midnight, midnight + 2 * 86_400)])
            _ = try database.replace([all], at: noon, isPreview: false)
            #expect(try history.samples() == [slot(600, 10)] && history.samples(on: next).isEmpty)
            let covered = TimeSpan(midnight + 540 * 60, midnight + 86_400)
            #expect(try history.data().tracks.flatMap(\.coverage).map(\.span) == [covered])
            #expect(try history.data(on: next).tracks.flatMap(\.coverage).isEmpty)
        }
    }

    /// They were deleted, and did not come back.
    @Test func `samples of the user from before the time of others stay`() throws {
        try withFixture { history in
            try history.merge(slot(60, 200), slot(600, 9))
            try history.execute("UPDATE pedometer SET counts_from = \((midnight + 540 * 60).seconds)")
            let all = replay(history, slot(60, 210), slot(90, 5), slot(600, 10))
            _ = try history.database.replace([all], at: noon, isPreview: false)
            #expect(try history.samples() == [slot(60, 200), slot(600, 10)])
        }
    }

    @Test func `syncs come with their frames, the oldest first`() throws {
        try withFixture { history in
            let frames = [
                RawFrame(.sent, at: noon, bytes: [1]), RawFrame(.received, at: noon + 1, bytes: []),
            ]
            _ = try history.database.merge(SampleBatch(frames: frames), sync: history.sync)
            let earlier = try history.database.beginSync(of: history.pedometer.id, at: noon - 60)
            var found: [StoredReading] = []
            try history.database.readings(of: history.pedometer.id) { found.append($0) }
            #expect(found.map(\.sync.id) == [earlier, history.sync])
            #expect(found.map(\.frames) == [[], frames] && found[1].sync.counts.frames == 2)
        }
    }
}
