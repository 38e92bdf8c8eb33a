import StepDomain
import Testing

/// What a checkup reports about the last syncs and the outbox.
@Suite(.timeLimit(.minutes(5))) struct HistoryFactsTests {
    private let now = Timestamp(1_800_000_000)

    private func sync(
        _ hoursAgo: Int, _ outcome: SyncRecord.Outcome = .complete, battery: Int? = 70, failure: String? = nil
    ) -> SyncRecord {
        let start = now - hoursAgo * 3600
        return SyncRecord(
            id: 1, pedometer: 1, start: start, end: outcome == .running ? nil : start + 60, outcome: outcome,
            battery: battery, failure: failure)
    }

    private func diagnoses(_ syncs: SyncRecord...) -> [Diagnosis] {
        let ring = Pedometer(
            id: 1, user: 1, model: "colmi", address: "C0:DE:00:00:00:01", addressType: "random", name: "ring")
        return SyncHistoryFacts(pedometer: ring, recent: RecentSyncs(syncs: syncs), now: now).diagnoses
    }

    private func syncs(_ diagnoses: SyncHistoryDiagnosis...) -> [Diagnosis] {
        diagnoses.map { .syncs(pedometer: "ring", $0) }
    }

    private func end(_ hoursAgo: Int) -> Timestamp { now - hoursAgo * 3600 + 60 }

    @Test func `a pedometer that was synced lately is reported as fine`() {
        #expect(diagnoses(sync(3), sync(27)) == syncs(.recent(end(3))))
        #expect(diagnoses(sync(3))[0].severity == .fine)
    }

    @Test func `a pedometer that was never synced is a note`() {
        #expect(diagnoses() == syncs(.never))
        #expect(diagnoses()[0].severity == .note)
    }

    @Test func `a pedometer is a warning if its last sync is too long ago`() {
        #expect(diagnoses(sync(48)) == syncs(.recent(end(48))))
        #expect(diagnoses(sync(80)) == syncs(.tooLongAgo(end(80))))
        #expect(diagnoses(sync(80))[0].severity == .warning)
    }

    @Test func `failed attempts since the last sync are a warning with their number and the latest reason`() {
        let tries = diagnoses(
            sync(3, .failed, failure: "not in range"), sync(27, .failed, failure: "another reason"), sync(51))
        #expect(tries == syncs(.failing(end(51), tries: 2, last: end(3), reason: "not in range")))
        #expect(tries[0].severity == .warning)
        let none = diagnoses(sync(3, .failed), sync(27, .failed))
        #expect(none == syncs(.failing(nil, tries: 2, last: end(3), reason: nil)))
    }

    /// By Ctrl-C, a time limit, or with the machine.
    private func interrupted(_ hoursAgo: Int) -> SyncRecord {
        var sync = sync(hoursAgo, .failed, failure: "interrupted")
        sync.cause = .interrupted
        return sync
    }

    @Test func `an interrupted sync is neither a failure nor a success`() {
        let one = diagnoses(interrupted(3), sync(27))
        #expect(one == syncs(.interrupted(end(27), tries: 1, last: end(3))) && one[0].severity == .note)
        // One that never ended was killed, or the machine was switched off.
        let killed = diagnoses(sync(3, .running), interrupted(9), sync(27))
        #expect(killed == syncs(.interrupted(end(27), tries: 2, last: now - 3 * 3600)))
        #expect(diagnoses(interrupted(3)) == syncs(.interrupted(nil, tries: 1, last: end(3))))
        #expect(diagnoses(interrupted(3), interrupted(27)).map(\.severity) == [.note])
        #expect(diagnoses(interrupted(3), interrupted(27), interrupted(51)).map(\.severity) == [.warning])
        // It hides neither a failure nor that the last complete sync was long ago.
        let mixed = diagnoses(interrupted(3), sync(9, .failed, failure: "no answer"), sync(12, .running), sync(27))
        #expect(mixed == syncs(.failing(end(27), tries: 1, last: end(9), reason: "no answer")))
        #expect(diagnoses(interrupted(3), sync(80)) == syncs(.tooLongAgo(end(80))))
        #expect(diagnoses(sync(3), interrupted(9)) == syncs(.recent(end(3))))
    }

    @Test func `a sync that has not ended may be running`() {
        let running = diagnoses(sync(0, .running), sync(27))
        #expect(running == syncs(.running(end(27), since: now)))
        #expect(running[0].severity == .note)
    }

    @Test func `a low battery is a warning until it is charged`() {
        #expect(diagnoses(sync(3, battery: 15)).count == 1)
        let low = diagnoses(sync(3, battery: nil), sync(27, battery: 14))
        #expect(low.last == syncs(.batteryLow(percent: 14))[0] && low.map(\.severity) == [.fine, .warning])
        #expect(diagnoses(sync(3, battery: 80), sync(27, battery: 14)).count == 1, "it was charged")
    }

    // MARK: Outbox

    private func outbox(_ entries: ShareEntry..., stopped: String? = nil) -> [Diagnosis] {
        OutboxFacts(state: DestinationState(name: "garden", stopped: stopped), entries: entries, now: now).diagnoses
    }

    private func entry(_ state: ShareEntry.State, next: Timestamp? = nil, attempts: Int = 1, hours: Int = 1)
        -> ShareEntry
    {
        ShareEntry(
            user: 1, day: Day(daysSince1970: 20_000), destination: "garden", state: state, attempts: attempts,
            firstAttempt: now - hours * 3600, nextAttempt: next, lastError: "down", changedAt: now - hours * 3600)
    }

    @Test func `an outbox in which nothing waits has no diagnosis`() { #expect(outbox().isEmpty) }

    private func garden(_ diagnosis: DestinationDiagnosis) -> [Diagnosis] { [.destination("garden", diagnosis)] }

    @Test func `rejected credentials are a permission fault`() {
        #expect(outbox(stopped: "401") == garden(.paused(reason: "401")))
        #expect(outbox(stopped: "401")[0].severity == .fault(.permission))
    }

    @Test func `days that were rejected or may have arrived are warnings`() {
        #expect(
            outbox(entry(.rejected)) == garden(.rejected(days: 1, last: Day(daysSince1970: 20_000), reason: "down")))
        #expect(outbox(entry(.unknown), entry(.unknown)) == garden(.uncertain(days: 2)))
        #expect(outbox(entry(.rejected), entry(.unknown)).map(\.severity) == [.warning, .warning])
    }

    @Test func `days that are withheld are neither rejected nor in doubt`() {
        var entries = [entry(.rejected), entry(.unknown)]
        for index in entries.indices { entries[index].cause = .implausibleSteps }
        #expect(outbox(entries[0], entries[1]) == garden(.withheld(days: 2, last: Day(daysSince1970: 20_000))))
        #expect(outbox(entries[0])[0].severity == .warning)
    }

    @Test func `days that have waited for the server for three days are a warning`() {
        #expect(outbox(entry(.pending, next: now + 60)).isEmpty)
        let waiting = outbox(entry(.pending, next: now + 60, hours: 72))
        #expect(
            waiting == garden(.waiting(days: 1, seconds: 72 * 3600, reason: "down")) && waiting[0].severity == .warning)
        #expect(outbox(entry(.pending, next: now + 60, attempts: 0, hours: 72)).isEmpty, "it was not tried yet")
    }

    // MARK: The file

    private let damage = Problem.reported(.data, message: "damaged", advice: nil)

    @Test func `each condition of the history file has its diagnosis`() {
        func diagnoses(_ condition: HistoryCondition) -> [Diagnosis] { condition.diagnoses(path: "/h") }
        #expect(diagnoses(.missing) == [.history(.missing(path: "/h"))])
        #expect(diagnoses(.empty(damage)) == [.failed(.history, damage)])
        #expect(diagnoses(.notAFile(damage)) == [.history(.notAFile(damage))])
        #expect(diagnoses(.notAFile(damage))[0].severity == .fault(.configuration))
        #expect(diagnoses(.examined(damage: [], isOlder: false)) == [.history(.sound(path: "/h"))])
        #expect(
            diagnoses(.examined(damage: [damage], isOlder: true)) == [
                .failed(.history, damage), .history(.older(path: "/h")),
            ])
    }

    @Test func `only a sound history of the current version is read`() {
        #expect(HistoryCondition.examined(damage: [], isOlder: false).isReadable)
        for condition in [.missing, .empty(damage), .notAFile(damage), .examined(damage: [], isOlder: true)]
            as [HistoryCondition]
        {
            #expect(!condition.isReadable)
        }
        #expect(HistoryCondition.missing.hasNoPedometers && HistoryCondition.empty(damage).hasNoPedometers)
        #expect(
            !HistoryCondition.examined(damage: [damage], isOlder: false).hasNoPedometers, "its pedometers are not known"
        )
    }
}
