import Systemd
import Testing

struct UnitScopeTests {
    @Test func hasTwoManagers() { #expect(UnitScope.allCases.map(\.rawValue) == ["user", "system"]) }
}
