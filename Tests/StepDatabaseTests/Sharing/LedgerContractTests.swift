import StepDatabase
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct LedgerContractTests {
    @Test(arguments: LedgerContract.all)
    func `the database satisfies every rule of the ledger contract`(_ rule: LedgerContract) throws {
        try withDirectory { try rule.check(StepDatabase(path: $0 + "/history.sqlite")) }
    }
}
