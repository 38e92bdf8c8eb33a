import StepDomain
import StepServices
import TestSupport
import Testing

/// `PedometerSelection.address`: which device a command means.
struct PedometerSelectionTests {
    private struct Failure: ReportableError {
        let category: FailureCategory
        var description: String { "no history" }
    }

    private let history = InMemoryHistory()
    private let address = "C0:DE:00:00:00:01"

    private func find(_ device: String) throws -> String {
        let user = history.addUser(named: "anna")
        _ = history.addPedometer(
            Pedometer(user: user.id, model: "colmi", address: address, addressType: "public", name: "ring"))
        return try PedometerSelection.address(of: device, ScriptedCatalog()) { history }
    }

    @Test func `a name stands for the address of its pedometer`() throws {
        #expect(try find("Ring") == address)
        #expect(throws: ServiceError.noSuchDevice("band")) { try find("band") }
    }

    @Test func `an address needs no history`() throws {
        let found = try PedometerSelection.address(of: "C0:DE:00:00:00:09", ScriptedCatalog()) {
            throw Failure(category: .unforeseen)
        }
        #expect(found == "C0:DE:00:00:00:09")
    }

    @Test func `without a history no name is known; one that cannot be read is reported`() {
        #expect(throws: ServiceError.noSuchDevice("ring")) {
            try PedometerSelection.address(of: "ring", ScriptedCatalog()) { throw Failure(category: .unavailable) }
        }
        #expect(throws: Failure.self) {
            try PedometerSelection.address(of: "ring", ScriptedCatalog()) { throw Failure(category: .permission) }
        }
    }
}
