import StepDomain
import TestSupport

/// The simulated days: ten weeks with a journey and three changes of clocks; with `ISTEP_ENDURANCE=year`, as in
/// `.ci/full`, a year.
enum SimulatedDays {
    static let first = Endurance.isYear ? Day("2026-01-01")! : Day("2026-02-15")!
    static let last = Endurance.isYear ? Day("2026-12-31")! : Day("2026-04-25")!
    static let numbers = first.daysSince1970...last.daysSince1970
}
