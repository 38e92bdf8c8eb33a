import GRDB
import StepDomain
import Testing

@testable import StepDatabase

/// The query plans of SQLite: the ledger grows by a row per day, person and destination for years.
@Suite(.timeLimit(.minutes(5))) struct LedgerPlanTests {
    private func plan(_ sql: String) throws -> [String] {
        try withFixture { history in
            try history.database.queue.read { database in
                let statement = try database.makeStatement(sql: "EXPLAIN QUERY PLAN " + sql)
                statement.setUncheckedArguments([])  // a plan does not depend on them
                return try Row.fetchAll(statement).map { $0["detail"] as String }
            }
        }
    }

    @Test func `due entries are read from the index in order`() throws {
        let plan = try plan(ShareEntry.due)
        #expect(plan.first == "SEARCH share USING INDEX share_open (destination=?)")
        #expect(!plan.contains { $0.contains("TEMP B-TREE") })
    }

    @Test(arguments: ["garden", nil])
    func `unsent entries are listed from the index`(destination: String?) throws {
        let plan = try plan(ShareEntry.listing(of: destination, in: [.sending, .unknown]))
        let scan = "SCAN share USING INDEX share_open"
        #expect(plan == [destination == nil ? scan : "SEARCH share USING INDEX share_open (destination=?)"])
    }

    @Test func `changed days are found by the index of revisions`() throws {
        let changed = "SEARCH changed_day USING COVERING INDEX changed_day_by_revision (person=? AND revision>?)"
        #expect(try plan(EnqueueStatements.requeue).contains(changed))
        #expect(
            try plan(EnqueueStatements.requeue).first
                == "SEARCH share USING PRIMARY KEY (destination=? AND person=? AND day=?)")
        let add = try plan(EnqueueStatements.add)
        #expect(add.contains { $0.hasSuffix("INDEX changed_day_by_revision (person=? AND revision>?)") })
        #expect(!add.contains { $0.hasPrefix("SCAN") })
    }

    @Test(arguments: [ShareEntry.changed, ShareEntry.unconsidered])
    func `what has changed since it was sent is found without a scan of all days`(query: String) throws {
        let plan = try plan(query)
        #expect(plan.contains { $0.contains("INDEX changed_day_by_revision (person=? AND revision>?)") })
        // The index has only the entries that are not done.
        let scans = plan.filter { $0.hasPrefix("SCAN") }.filter { !$0.contains("USING INDEX share_open") }
        #expect(
            scans.allSatisfy { scan in
                ["share_watermark", "destination", "person", "("].contains { scan.hasPrefix("SCAN \($0)") }
            }, "\(plan)")
    }
}
