import Foundation
import GRDB
import StepDomain
import Testing

@testable import StepDatabase

/// What columns must hold beyond what their constraints say.
@Suite(.timeLimit(.minutes(5))) struct ColumnRuleTests {
    @Test func `paths that cannot be decoded are found by the check`() throws {
        try withFixture { history in
            let state = ScheduledImportState(name: "phone", triedAt: noon, damaged: ["/S/a"])
            try history.database.store(state)
            let rule = try #require(ColumnRule.all.first { $0.table == "scheduled_import" && $0.column == "damaged" })
            func isViolated() throws -> Bool { try history.database.queue.read { try rule.isViolated(in: $0) } }
            #expect(try !isViolated())
            try history.database.queue.write { try $0.execute(sql: "UPDATE scheduled_import SET damaged = '[\"/S'") }
            #expect(try isViolated())
            #expect(rule.accepts(.null) && rule.accepts("[]".databaseValue))
        }
    }

    /// Damage makes a number of a text, and storing it makes a text of the number, which is valid JSON.
    @Test func `a number is no list, no options, no clock and no cursor`() {
        let rules = ColumnRule.all.filter { ["damaged", "options", "clock", "cursor"].contains($0.column) }
        #expect(rules.count == 4)
        for rule in rules {
            #expect(!rule.accepts(5.databaseValue) && !rule.accepts(Data([0x5b]).databaseValue), "\(rule.column)")
        }
    }
}
