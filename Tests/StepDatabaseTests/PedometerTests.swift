import StepDatabase
import StepDomain
import Testing

@Suite(.timeLimit(.minutes(5))) struct PedometerTests {
    @Test func `an added pedometer is stored with its properties`() throws {
        try withFixture { history in
            var clock = ClockState()
            clock.record(.init(at: noon, utcOffset: 7200), memory: 0)
            let added = try history.database.addPedometer(
                Pedometer(
                    id: 7, user: history.user.id, model: "generic", address: "aa:bb:cc:dd:ee:ff", addressType: "random",
                    name: "Kitchen \u{201C}clip\u{201D}", options: ["format": "u32", "service": "0x183e\"'"],
                    clock: clock,
                    cursor: PedometerCursor(readThrough: noon)))
            #expect(added.address == "AA:BB:CC:DD:EE:FF")
            #expect(try history.database.pedometers() == [added, history.pedometer], "sorted by name")
        }
    }

    @Test func `a name or address in use is rejected`() throws {
        try withFixture { history in
            let ben = try history.database.addUser(named: "Ben")
            expect(.addressTaken("30:34:42:00:00:01", name: "ring")) {
                try history.database.addPedometer(.ring(of: ben, name: "other"))
            }
            expect(.nameTaken("RING")) {
                try history.database.addPedometer(.ring(of: ben, address: "30:34:42:00:00:02", name: "RING"))
            }
            #expect(try history.database.pedometers() == [history.pedometer])
        }
    }

    @Test(arguments: ["\u{9B}31mring", "", "a\u{2028}b"])
    func `an empty name or one with control characters is rejected`(name: String) throws {
        try withFixture { history in
            let error = historyError {
                try history.database.addPedometer(.ring(of: history.user, address: "30:34:42:00:00:02", name: name))
            }
            guard case .invalidName = error else {
                Issue.record("taken")
                return
            }
        }
    }

    @Test(arguments: ["30:34:42:00:00", "", "30:34:42:00:00:01:02"])
    func `an invalid address is rejected`(address: String) throws {
        try withFixture { history in
            guard
                case .invalidValue = historyError({
                    try history.database.addPedometer(.ring(of: history.user, address: address, name: "other"))
                })
            else {
                Issue.record("taken")
                return
            }
        }
    }

    @Test func `a pedometer that is added again keeps its samples, clock and cursor`() throws {
        try withFixture { history in
            let clock = ClockState(settings: [.init(at: noon, utcOffset: 3600)])
            let cursor = PedometerCursor(readThrough: noon)
            try history.database.setClock(clock, of: history.pedometer.id)
            _ = try history.database.merge(SampleBatch(samples: [slot(0, 10)], cursor: cursor), sync: history.sync)
            try history.database.forgetPedometer(history.pedometer.id)
            #expect(try history.database.pedometers().isEmpty)
            #expect(try history.samples() == [slot(0, 10)], "its samples still count")

            let back = try history.database.addPedometer(.ring(of: history.user, name: "new name"))
            #expect(back.id == history.pedometer.id)
            #expect(back.name == "new name")
            #expect(back.clock == clock)
            #expect(back.cursor == cursor)
            #expect(try history.database.pedometers() == [back])
        }
    }

    @Test func `a renamed pedometer keeps everything else, and is the same one for samples and a restore`() throws {
        try withFixture { history in
            let database = history.database
            try database.setClock(ClockState(settings: [.init(at: noon, utcOffset: 3600)]), of: history.pedometer.id)
            _ = try database.merge(
                SampleBatch(samples: [slot(0, 10)], cursor: PedometerCursor(readThrough: noon)), sync: history.sync)
            var renamed = try #require(try database.pedometers().first)
            renamed.name = "Schlafzimmer"
            try database.renamePedometer(renamed.id, to: renamed.name)
            #expect(try database.pedometers() == [renamed])
            #expect(try history.samples() == [slot(0, 10)] && history.data().tracks.map(\.name) == ["Schlafzimmer"])
            #expect(try database.syncs(of: renamed.id, limit: 9).map(\.id) == [history.sync])
            // A pedometer can be renamed to its own name in another case.
            try database.renamePedometer(renamed.id, to: "SCHLAFZIMMER")
            #expect(try database.pedometers().map(\.name) == ["SCHLAFZIMMER"])
            try database.forgetPedometer(renamed.id)
            #expect(try database.addPedometer(.ring(of: history.user, name: "ring")).id == renamed.id)
        }
    }

    @Test func `a name that another pedometer has, or that is not valid, is refused for a rename`() throws {
        try withFixture { history in
            let database = history.database
            let band = try database.addPedometer(.ring(of: history.user, address: "30:34:42:00:00:02", name: "band"))
            expect(.nameTaken("RING")) { try database.renamePedometer(band.id, to: "RING") }
            guard case .invalidName = historyError({ try database.renamePedometer(band.id, to: "a\u{2028}b") }) else {
                Issue.record("taken")
                return
            }
            // The name of a forgotten pedometer is free.
            try database.forgetPedometer(history.pedometer.id)
            try database.renamePedometer(band.id, to: "RING")
            expect(.notFound(.pedometer, id: history.pedometer.id)) {
                try database.renamePedometer(history.pedometer.id, to: "other")
            }
            #expect(try database.pedometers().map(\.name) == ["RING"])
        }
    }

    @Test func `a changed model resets the cursor`() throws {
        try withFixture { history in
            let clock = ClockState(settings: [.init(at: noon, utcOffset: 3600)])
            try history.database.setClock(clock, of: history.pedometer.id)
            _ = try history.database.merge(
                SampleBatch(samples: [slot(0, 10)], cursor: PedometerCursor(readThrough: noon)), sync: history.sync)
            try history.database.forgetPedometer(history.pedometer.id)
            var other = Pedometer.ring(of: history.user)
            other.model = "generic"
            let back = try history.database.addPedometer(other)
            #expect(back.id == history.pedometer.id)
            #expect(back.cursor == PedometerCursor())
            #expect(back.clock == clock)
        }
    }

    @Test func `a pedometer added for another user starts without samples, where the reading before it ended`() throws {
        try withFixture { history in
            let clock = ClockState(settings: [.init(at: noon, utcOffset: 3600)])
            let cursor = PedometerCursor(
                readThrough: noon, counter: CounterReading(at: noon, value: 4000, utcOffset: 0))
            try history.database.setClock(clock, of: history.pedometer.id)
            _ = try history.database.merge(SampleBatch(samples: [slot(0, 10)], cursor: cursor), sync: history.sync)
            try history.database.forgetPedometer(history.pedometer.id)
            let ben = try history.database.addUser(named: "Ben")
            let passedOn = try history.database.addPedometer(.ring(of: ben))
            #expect(passedOn.id != history.pedometer.id)
            #expect(passedOn.clock == clock)
            #expect(passedOn.cursor == cursor)
            #expect(try history.samples() == [slot(0, 10)])
            #expect(try history.database.dayData(of: ben, on: day).tracks.isEmpty)
            // Then back to the first user, who does not get the steps of the second.
            let later = PedometerCursor(readThrough: noon + 3600)
            let sync = try history.database.beginSync(of: passedOn.id, at: noon + 3600)
            _ = try history.database.merge(SampleBatch(cursor: later), sync: sync)
            try history.database.forgetPedometer(passedOn.id)
            let back = try history.database.addPedometer(.ring(of: history.user))
            #expect(back.id == history.pedometer.id && back.cursor == later)
        }
    }

    @Test func `steps that were counted for one user do not count for the next`() throws {
        try withFixture { history in
            let database = history.database
            // Until noon for the first, with a slot that has not ended, and one of a clock that was ahead.
            let slots = [slot(0, 10), slot(690, 20), slot(715, 30), slot(14_400, 5)]
            let covered = TimeSpan(midnight - 86_400, noon)
            _ = try database.merge(SampleBatch(samples: slots, coverage: [covered]), sync: history.sync)
            try database.endSync(
                history.sync, at: noon + 10, outcome: .complete, battery: nil, failure: nil, cause: nil)
            try database.forgetPedometer(history.pedometer.id)
            let ben = try database.addUser(named: "Ben")
            let passedOn = try database.addPedometer(.ring(of: ben))
            // The ring sends its whole memory again, and what has come since.
            let sync = try database.beginSync(of: passedOn.id, at: noon + 7200)
            let counts = try database.merge(
                SampleBatch(
                    samples: Array(slots.dropLast()) + [slot(735, 40)],
                    coverage: [TimeSpan(midnight - 86_400, noon + 7200)]), sync: sync
            )
            #expect(counts.steps == 40)
            let track = try #require(try database.dayData(of: ben, on: day).tracks.first)
            #expect(track.samples == [slot(735, 40)])
            #expect(track.coverage.map(\.span) == [TimeSpan(noon + 10, noon + 7200)])
            #expect(try database.dayData(of: ben, on: day.advanced(by: -1)).tracks.isEmpty)
            #expect(try history.samples().map(\.steps) == [10, 20, 30])
            #expect(try database.stepsOfOthers(by: passedOn.id, on: day) == 60)
            #expect(try database.stepsOfOthers(by: history.pedometer.id, on: day) == 40)
            #expect(try database.stepsOfOthers(by: passedOn.id, on: day.advanced(by: -1)) == 0)
        }
    }

    @Test func `where nothing was read for the first user, the next gets everything`() throws {
        try withFixture { history in
            try history.database.endSync(
                history.sync, at: noon, outcome: .failed, battery: nil, failure: "out of range", cause: .other)
            try history.database.forgetPedometer(history.pedometer.id)
            let ben = try history.database.addUser(named: "Ben")
            let sync = try history.database.beginSync(
                of: try history.database.addPedometer(.ring(of: ben)).id, at: noon)
            _ = try history.database.merge(SampleBatch(samples: [slot(0, 10), slot(15, 20)]), sync: sync)
            #expect(
                try history.database.dayData(of: ben, on: day).tracks.first?.samples == [slot(0, 10), slot(15, 20)])
        }
    }

    @Test func `an unknown pedometer cannot be forgotten or changed`() throws {
        try withFixture { history in
            expect(.notFound(.pedometer, id: 99)) { try history.database.forgetPedometer(99) }
            expect(.notFound(.pedometer, id: 99)) { try history.database.setClock(ClockState(), of: 99) }
            try history.database.forgetPedometer(history.pedometer.id)
            expect(.notFound(.pedometer, id: history.pedometer.id)) {
                try history.database.forgetPedometer(history.pedometer.id)
            }
        }
    }

    @Test func `syncs are listed from newest to oldest`() throws {
        try withFixture { history in
            let database = history.database
            let second = try database.beginSync(of: history.pedometer.id, at: noon + 60)
            try database.endSync(
                second, at: noon + 70, outcome: .failed, battery: 55, failure: "out of range", cause: .other)
            let third = try database.beginSync(of: history.pedometer.id, at: noon + 120)
            try database.endSync(third, at: noon + 130, outcome: .complete, battery: nil, failure: nil, cause: nil)
            let syncs = try database.syncs(of: history.pedometer.id, limit: 10)
            #expect(syncs.map(\.id) == [third, second, history.sync])
            #expect(syncs.map(\.outcome) == [.complete, .failed, .running])
            #expect(syncs[1].battery == 55)
            #expect(syncs[1].failure == "out of range")
            #expect(syncs[2].end == nil)
            #expect(try database.syncs(of: history.pedometer.id, limit: 1).map(\.id) == [third])
            #expect(try database.syncs(of: history.pedometer.id, limit: -1).isEmpty)
            #expect(try history.data().lastSync == noon + 130, "the last complete one")
            expect(.notFound(.pedometer, id: 99)) { try database.beginSync(of: 99, at: noon) }
            expect(.notFound(.sync, id: 99)) {
                try database.endSync(99, at: noon, outcome: .complete, battery: nil, failure: nil, cause: nil)
            }
        }
    }
}
