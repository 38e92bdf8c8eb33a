import StepDatabase
import TestSupport
import Testing

@Suite struct LedgerContractTests {
    @Test(arguments: LedgerContract.all)
    func theDatabaseKeeps(_ rule: LedgerContract) throws {
        try withDirectory { try rule.check(StepDatabase(path: $0 + "/history.sqlite")) }
    }
}
