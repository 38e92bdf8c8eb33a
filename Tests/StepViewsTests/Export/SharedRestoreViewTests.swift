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
        // The name of a table begins in lower case.
        let foreign = DestinationInspection.Finding(.schema, "istep.day has the trigger t", advice: "DROP")
        #expect(text([foreign]).contains("  istep.day has the trigger t.\n"))
    }

    /// Whoever may write into the database can have written anything.
    @Test func `names from a server are cut and harmless`() {
        var held = HeldHistory.example
        held.pedometers = [String(repeating: "r", count: 9000), "\u{1b}[31mred"] + (0..<40).map { "p\($0)" }
        held.machine = String(repeating: "m", count: 200)
        let text = text(held)
        #expect(text.count < 2500 && !text.contains("\u{1b}"), "\(text)")
        #expect(text.contains("and 22 more"))
    }

    @Test func `days with fewer steps are shown`() {
        var counts = ExportCounts()
        func text() -> String {
            SharedRestoreView(
                .init(destination: SharedPlace(), held: .example), counts, history: "/h", isDone: true
            ).lines(TextStyle(width: 800)).joined(separator: " ")
        }
        #expect(!text().contains("fewer steps"))
        counts.incompleteDays = [Sample.day]
        #expect(text().contains("1 day has fewer steps than that machine had counted, \(Sample.day): samples"))
        counts.incompleteDays.append(Sample.day.advanced(by: 1))
        #expect(
            text().contains("2 days have fewer steps than that machine had counted, the first \(Sample.day): samples"))
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
    let location = "db.home/health"
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
