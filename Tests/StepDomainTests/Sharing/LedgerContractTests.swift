import TestSupport
import Testing

/// What other tests here stand on is a ledger as the database's is one.
@Suite struct LedgerContractTests {
    @Test(arguments: LedgerContract.all)
    func theLedgerInMemoryKeeps(_ rule: LedgerContract) throws { try rule.check(InMemoryHistory()) }
}
