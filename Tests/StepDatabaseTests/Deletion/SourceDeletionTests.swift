import StepDomain
import Testing

@testable import StepDatabase

/// Pedometers, sources of imports and users that are deleted.
@Suite(.timeLimit(.minutes(5))) struct SourceDeletionTests {
    private func source(_ name: String, in history: Fixture) throws -> Deletion {
        let all = try history.database.heldSources()
        return .source(try #require(all.first { $0.pedometer.name == name }), of: history.user)
    }

    private func delete(_ deletion: Deletion, in history: Fixture) throws -> DeletionLosses {
        try history.database.delete(deletion, at: noon, isPreview: false)
    }

    @Test func `a source goes with its imports, and the others count`() throws {
        try withFixture { history in
            try history.merge(slot(600, 900))
            let database = history.database
            _ = try database.store(ImportTests.file([slot(605, 1200), slot(1500, 40)]), of: history.user, at: noon)
            _ = try database.store(ImportTests.file([slot(605, 1300)]), of: history.user, at: noon)
            let losses = try delete(source("phone", in: history), in: history)
            #expect(losses.imports == 2 && losses.pedometers == ["phone"])
            #expect(losses.days.map(\.after) == [900, nil])
            #expect(try history.samples().map(\.steps) == [900])
            #expect(try database.imports().isEmpty && database.importSources().isEmpty && database.complaints().isEmpty)
            #expect(try database.knownDays(of: history.user.id, from: day, through: day.advanced(by: 9)) == [day])
            // It is a source that was deleted, not a day: a new import may bring it again.
            _ = try database.store(ImportTests.file([slot(1500, 41)]), of: history.user, at: noon)
            #expect(try history.samples(on: day.advanced(by: 1)).map(\.steps) == [41])
        }
    }

    @Test func `a pedometer goes with its syncs and frames, also one that is out of use`() throws {
        for isForgotten in [false, true] {
            try withFixture { history in
                try history.merge(slot(600, 900))
                if isForgotten { try history.database.forgetPedometer(history.pedometer.id) }
                let losses = try delete(source("ring", in: history), in: history)
                #expect(losses.days == [DayChange(day: day, before: 900, after: nil)])
                for table in ["pedometer", "sync", "sample", "coverage", "frame"] {
                    #expect(try history.strings("SELECT count(*) FROM \(table)") == ["0"], "\(table)")
                }
                #expect(try history.database.complaints().isEmpty && history.data().deletion?.isClosed == false)
            }
        }
    }

    @Test func `what a pedometer counted for a deleted user is not given to the next one`() throws {
        for isWholeUser in [false, true] {
            try withFixture { history in
                let database = history.database
                _ = try database.merge(
                    SampleBatch(samples: [slot(600, 900)], coverage: [TimeSpan(midnight, midnight + 615 * 60)]),
                    sync: history.sync)
                try database.endSync(
                    history.sync, at: noon, outcome: .complete, battery: nil, failure: nil, cause: nil)
                try database.forgetPedometer(history.pedometer.id)
                let bob = try database.addUser(named: "Bob")
                let ring = try database.addPedometer(.ring(of: bob))
                let deletion: Deletion = isWholeUser ? .user(history.user) : try source("ring", in: history)
                if !isWholeUser {
                    // The one in use has the same name.
                    let own = try #require(try database.heldSources().first { $0.pedometer.user == history.user.id })
                    _ = try delete(.source(own, of: history.user), in: history)
                } else {
                    _ = try delete(deletion, in: history)
                }
                let sync = try database.beginSync(of: ring.id, at: noon + 60)
                _ = try database.merge(
                    SampleBatch(samples: [slot(600, 900), slot(615, 7)], coverage: [TimeSpan(midnight, noon)]),
                    sync: sync)
                let data = try database.dayData(of: bob, on: day)
                #expect(data.tracks.flatMap(\.samples).map(\.steps) == [7])
                #expect(data.tracks.flatMap(\.coverage).map(\.span.start) == [midnight + 615 * 60])
            }
        }
    }

    @Test func `a user goes with everything, and the other user keeps everything`() throws {
        try withFixture { history in
            let database = history.database
            let bob = try database.addUser(named: "Bob")
            let watch = try database.addPedometer(.ring(of: bob, address: "30:34:42:00:00:02", name: "watch"))
            func fill(_ user: User, _ sync: SyncRecord.ID) throws {
                _ = try database.merge(SampleBatch(samples: [slot(600, 900)]), sync: sync)
                try database.setPlan(SportPlan(validFrom: day, everyDay: 8000), of: user.id)
                try database.setProfile(Profile(validFrom: day, height: 1.7), of: user.id)
                try database.setCorrection(StepCorrection(steps: 10), of: user.id, on: day, at: noon)
                try database.exclude(Exclusion(TimeSpan(midnight, noon), utcOffset: 0), of: user.id, at: noon)
                _ = try database.store(ImportTests.file([slot(1500, 40)]), of: user, at: noon)
                try database.enqueueChanges(of: user.id, for: "diary", since: day, at: noon)
                try database.record([try #require(try database.entry(for: "diary", of: user.id, on: day)).sent("x")])
                _ = try database.delete(
                    .days(day.advanced(by: 9)...day.advanced(by: 9), of: user), at: noon, isPreview: false)
                let notice = Notice(.user(user.id), name: user.name, since: noon, .destinationStopped(reason: "x"))
                _ = try database.update(active: [notice], withdrawn: [], at: noon)
            }
            try fill(bob, try database.beginSync(of: watch.id, at: noon))
            let before = try database.dump()
            try fill(history.user, history.sync)
            let losses = try delete(.user(history.user), in: history)
            #expect(losses.days.map(\.day) == [day, day.advanced(by: 1)] && losses.days.map(\.before) == [10, 40])
            #expect(Set(losses.pedometers) == ["ring", "phone (CSV)"] && losses.imports == 1)
            #expect((losses.corrections, losses.exclusions, losses.plans, losses.profiles) == (1, 1, 1, 1))
            #expect(losses.shared == [.init(destination: "diary", days: 1)])
            #expect(try database.complaints().isEmpty)
            var expected = before
            expected["person"] = expected["person"]?.filter { $0.contains("Bob") }
            expected["pedometer"] = expected["pedometer"]?.filter { !$0.contains("ring") }
            expected["sync"] = expected["sync"]?.filter { !$0.hasPrefix("\(history.sync)|") }
            // Bob's notice ended when Ada's began, and the number of Ada's import is not used again.
            for (table, rows) in try database.dump(except: ["notice", "import_number"]) {
                #expect(rows == expected[table], "\(table)")
            }
            #expect(try history.strings("SELECT subject FROM notice") == ["user:\(bob.id)"])
            #expect(try database.users().map(\.name) == ["Bob"])
        }
    }

    @Test func `a user is renamed with the standing notices`() throws {
        try withFixture { history in
            let database = history.database
            let notice = Notice(.user(history.user.id), name: "Ada", since: noon, .destinationStopped(reason: "x"))
            _ = try database.update(active: [notice], withdrawn: [], at: noon)
            try database.renameUser(history.user.id, to: "Ada Byron")
            #expect(try database.users() == [User(id: history.user.id, name: "Ada Byron")])
            #expect(try database.standingNotices().map(\.notice.name) == ["Ada Byron"])
            _ = try database.addUser(named: "Bob")
            #expect(throws: HistoryError.self) { try database.renameUser(history.user.id, to: "bob") }
            #expect(throws: HistoryError.self) { try database.renameUser(history.user.id, to: "a\u{1b}b") }
            #expect(try database.complaints().isEmpty)
        }
    }
}
