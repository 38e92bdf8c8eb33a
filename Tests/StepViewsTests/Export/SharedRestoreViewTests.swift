import StepDomain
import StepServices
import Testing

@testable import StepViews

@Suite struct SharedRestoreViewTests {
    private func text(_ held: HeldHistory, others: [HeldHistory] = [], isDone: Bool = false) -> String {
        SharedRestoreView(
            .init(destination: SharedPlace(), held: held, others: others, repeating: others.map { _ in "toots" }),
            ExportCounts(), history: "/h", isDone: isDone
        ).lines(TextStyle(width: 80)).joined(separator: " ").split(separator: " ").joined(separator: " ")
    }

    @Test func `what comes in is shown, and what has to be set`() {
        let text = text(.example)
        for words in [
            "Machine old", "User Anna", "Pedometers ring, watch", "2 days, 2014-04-20 to 2014-04-21",
            "Steps 12,345", "Would become:", "istep profile", "istep plan", "machine = \"old\"",
        ] { #expect(text.contains(words), "\(words)\n\(text)") }
        #expect(!text.contains("left out") && !text.contains("partial"))
    }

    @Test func `an inspection shows what to do`() {
        let finding = DestinationInspection.Finding(.enrolment, "the role \"pi\" is not enrolled", advice: "SELECT 1")
        func text(_ findings: [DestinationInspection.Finding]) -> String {
            InspectionView(SharedPlace(), .init(description: "PostgreSQL 15", findings: findings))
                .lines(TextStyle(width: 80)).joined(separator: "\n")
        }
        #expect(text([finding]).hasSuffix("  The role \"pi\" is not enrolled.\n    SELECT 1"), "\(text([finding]))")
        #expect(text([]).contains("It has what this istep needs"))
    }

    @Test func `what does not come in is shown`() {
        var held = HeldHistory.example
        (held.daysWithoutSamples, held.daysWithoutCoverage, held.isOwn) = (1, 2, true)
        (held.hasProfile, held.hasPlan) = (true, true)
        let text = text(
            held, others: [.init(subject: "Anna", user: "Anna", machine: "study", days: 1, steps: 1)], isDone: true)
        let toots = "sends all days from `since` on to toots"
        for words in ["1 day is left out", "2 days were", "study", "Restored to:", toots] {
            #expect(text.contains(words), "\(words)\n\(text)")
        }
        #expect(!text.contains("istep profile") && !text.contains("machine = "))
    }
}

extension HeldHistory {
    static let example = HeldHistory(
        subject: "P-1", user: "Anna", machine: "old", firstDay: Sample.day, lastDay: Sample.day.advanced(by: 1),
        days: 2,
        steps: 12_345, pedometers: ["ring", "watch"])
}

/// A destination that can be restored from.
struct SharedPlace: RestorableDestination {
    let name = "family"
    let kind = "postgres"
    let place = "db.home/health"
    let traits = ShareTraits.replacing
    let terms = ShareTerms()

    func heldHistories(of user: String?) -> [HeldHistory] { [] }
    func export(_ held: HeldHistory) -> any ExportedHistory { NoRows() }
    func preview(_ payloads: [SharePayload]) -> String { "" }
    func deliver(_ payloads: [SharePayload]) -> [ShareReceipt] { [] }
    func check() -> String { "" }

    private struct NoRows: ExportedHistory {
        let path = "postgres:family"
        let missing: [ExportTable] = []

        func rows(_ row: (ExportTable, [String?]) throws -> Void) {}
    }
}
