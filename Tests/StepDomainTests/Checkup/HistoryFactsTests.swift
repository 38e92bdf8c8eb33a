import StepDomain
import Testing

/// What a checkup makes of the last syncs and of the outbox.
@Suite struct HistoryFactsTests {
    private let now = Timestamp(1_800_000_000)

    private func sync(_ hoursAgo: Int, _ outcome: SyncRecord.Outcome = .complete, battery: Int? = 70, failure: String? = nil) -> SyncRecord {
        let start = now - hoursAgo * 3600
        return SyncRecord(
            id: 1, pedometer: 1, start: start, end: outcome == .running ? nil : start + 60, outcome: outcome, battery: battery, failure: failure)
    }

    private func remarks(_ syncs: SyncRecord...) -> [Remark] {
        let ring = Pedometer(id: 1, user: 1, model: "colmi", address: "C0:DE:00:00:00:01", addressType: "random", name: "ring")
        return SyncsFacts(pedometer: ring, syncs: syncs, now: now).remarks
    }

    @Test func syncedLately() {
        #expect(remarks(sync(3), sync(27)) == [Remark(.fine, "ring", "last synced 2 hours ago")])
    }

    @Test func neverSynced() { #expect(remarks() == [Remark(.note, "ring", "never synced", cure: "istep sync")]) }

    @Test func notSyncedForLong() {
        #expect(remarks(sync(48)).map(\.grade) == [.fine])
        let old = remarks(sync(80))
        #expect(old.map(\.grade) == [.warning])
        #expect(old[0].message == "last synced 3 days ago")
    }

    @Test func triesThatFailed() {
        let tries = remarks(sync(3, .failed, failure: "not in range"), sync(27, .failed, failure: "another reason"), sync(51))
        #expect(tries.map(\.grade) == [.warning])
        #expect(tries[0].message == "last synced 2 days ago; 2 tries since, the last 2 hours ago failed: not in range")
        let none = remarks(sync(3, .failed), sync(27, .failed))
        #expect(none[0].message.hasPrefix("no sync of the last 2 succeeded; 2 tries"))
    }

    @Test func oneThatNeverEnded() {
        let killed = remarks(sync(3, .running), sync(27))
        #expect(killed.map(\.grade) == [.warning])
        #expect(killed[0].message.contains("was ended from outside"))
        #expect(remarks(sync(0, .running), sync(27)).map(\.grade) == [.note], "it may be running")
    }

    @Test func aBatteryThatIsLow() {
        #expect(remarks(sync(3, battery: 15)).count == 1)
        #expect(remarks(sync(3, battery: nil), sync(27, battery: 14)).map(\.grade) == [.fine, .warning])
        #expect(remarks(sync(3, battery: 80), sync(27, battery: 14)).count == 1, "it was charged")
    }

    // MARK: Outbox

    private func outbox(_ entries: ShareEntry..., stopped: String? = nil) -> [Remark] {
        OutboxFacts(state: DestinationState(name: "garden", stopped: stopped), entries: entries, now: now).remarks
    }

    private func entry(_ state: ShareEntry.State, next: Timestamp? = nil, attempts: Int = 1, hours: Int = 1) -> ShareEntry {
        ShareEntry(
            user: 1, day: Day(daysSince1970: 20_000), destination: "garden", state: state, attempts: attempts,
            firstAttempt: now - hours * 3600, nextAttempt: next, lastError: "down", changedAt: now - hours * 3600)
    }

    @Test func allSent() { #expect(outbox().isEmpty) }

    @Test func credentialsThatAreRefused() {
        let remarks = outbox(stopped: "401")
        #expect(remarks.map(\.grade) == [.fault(.permission)])
        #expect(remarks[0].cure?.contains("istep outbox retry garden") == true)
    }

    @Test func daysThatWaitForTheUser() {
        #expect(outbox(entry(.rejected)).map(\.message) == ["1 day rejected, the last 2024-10-04: down"])
        #expect(outbox(entry(.unknown), entry(.unknown)).map(\.message) == ["2 days may have arrived or not"])
    }

    @Test func daysThatWaitForTheServer() {
        #expect(outbox(entry(.pending, next: now + 60)).isEmpty)
        #expect(outbox(entry(.pending, next: now + 60, hours: 72)).map(\.grade) == [.warning])
        #expect(outbox(entry(.pending, next: now + 60, attempts: 0, hours: 72)).isEmpty, "it was not tried yet")
    }
}
