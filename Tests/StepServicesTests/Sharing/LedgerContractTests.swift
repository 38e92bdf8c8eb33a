import TestSupport
import Testing

/// Other tests here depend on the ledger in memory: it must follow the same rules as that of the database.
@Suite(.timeLimit(.minutes(5))) struct LedgerContractTests {
    @Test(arguments: LedgerContract.all)
    func `the ledger in memory follows each rule of the contract`(_ rule: LedgerContract) throws {
        try rule.check(InMemoryHistory())
    }
}
