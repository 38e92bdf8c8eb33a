import Foundation
import GRDB
import StepDomain
import Testing

@testable import StepDatabase

/// What a restore would lose, as it is shown before.
@Suite(.timeLimit(.minutes(5))) struct RestoreLossesTests {
    @Test func `what a backup does not have is listed by names and days, and what only the backup has is not`() throws {
        try withFixture { history in
            let backup = history.path + ".copy", database = history.database, user = history.user.id
            func losses() throws -> HistoryLosses { try StepDatabase.losses(of: history.path, restoring: backup) }
            let entered = day.advanced(by: -9)
            try history.merge(slot(0, 10), slot(-1440, 10))
            for (day, steps) in [(entered, 100), (day.advanced(by: -20), 7)] {
                try database.setCorrection(StepCorrection(steps: steps), of: user, on: day, at: noon)
            }
            try database.setPlan(SportPlan(validFrom: day, everyDay: 8000), of: user)
            _ = try StepDatabase.backUp(history.path, to: backup)
            #expect(try losses() == HistoryLosses())

            // A restore would take the new name back.
            try database.renamePedometer(history.pedometer.id, to: "bed")
            #expect(try losses() == HistoryLosses(pedometers: ["bed"]))
            try database.renamePedometer(history.pedometer.id, to: history.pedometer.name)

            // More slots of a day that the backup has in part, and a day that it does not have.
            try history.merge(slot(15, 20), slot(-3 * 1440, 5))
            let ben = try database.addUser(named: "Ben")
            _ = try database.addPedometer(.ring(of: ben, address: "30:34:42:00:00:02", name: "watch"))
            try database.setCorrection(StepCorrection(steps: 200), of: user, on: entered, at: noon)
            try database.setCorrection(StepCorrection(steps: 300), of: user, on: day.advanced(by: -8), at: noon)
            try database.setCorrection(nil, of: user, on: day.advanced(by: -20), at: noon)
            try database.setPlan(SportPlan(validFrom: day, everyDay: 9000), of: user)
            try database.setProfile(Profile(validFrom: day, height: 1.8), of: ben.id)
            #expect(
                try losses()
                    == HistoryLosses(
                        people: ["Ben"], pedometers: ["watch"], days: [day.advanced(by: -3), day],
                        corrections: [entered, day.advanced(by: -8)],
                        plans: 1, profiles: 1))
        }
    }

    @Test func `time that was excluded since the backup is listed as a correction of its day`() throws {
        try withFixture { history in
            let backup = history.path + ".copy", user = history.user.id
            func exclude(_ from: Int, _ to: Int) throws {
                let span = TimeSpan(midnight + from * 60, midnight + to * 60)
                try history.database.exclude(Exclusion(span, utcOffset: 0), of: user, at: noon)
            }
            try exclude(0, 30)
            _ = try StepDatabase.backUp(history.path, to: backup)
            #expect(try StepDatabase.losses(of: history.path, restoring: backup) == HistoryLosses())
            try exclude(1440, 1450)
            #expect(
                try StepDatabase.losses(of: history.path, restoring: backup)
                    == HistoryLosses(corrections: [day.advanced(by: 1)]))
        }
    }

    @Test func `a backup of the first version is compared`() throws {
        try withFixture { history in
            let backup = history.path + ".old"
            let old = Schema(migrations: Array(Schema.current.migrations.prefix(1)))
            try StepDatabase(path: backup, for: .writing, busyTimeout: 1, schema: old).close()
            try history.merge(slot(0, 10))
            let losses = try StepDatabase.losses(of: history.path, restoring: backup)
            #expect(losses == HistoryLosses(people: ["Ada"], pedometers: ["ring"], days: [day]))
        }
    }

    @Test func `a damaged history is not compared`() throws {
        try withFixture { history in
            let backup = history.path + ".copy"
            _ = try StepDatabase.backUp(history.path, to: backup)
            try history.database.close()
            try Data(repeating: 65, count: 5000).write(to: URL(fileURLWithPath: history.path))
            guard case .damaged = historyError({ try StepDatabase.losses(of: history.path, restoring: backup) }) else {
                Issue.record("compared")
                return
            }
        }
    }
}
