import BlueZ
import Pedometers
import StepDatabase
import StepDomain
import StepViews

/// One run of reading pedometers and sharing what is due after it: the same for whoever starts it, a person, a timer or a watch.
struct SyncRun {
    let wiring: Wiring
    let history: SharingRun.History
    let progress: Progress
    /// Ask for so many days at most, today counted; nil for all that is new.
    var days: Int?
    var isShared = true
    /// Whether to wait for an adapter that is just coming up.
    var isPatient = false
    /// What the watch that syncs knows of its listening, where it is one.
    var listening = Listening()

    /// What came of it.
    struct Result {
        /// When it began.
        var start: Timestamp
        var reports: [SyncReport]
        var shared: Shared?
        /// What stands after it, whether it was known before or not.
        var notices: [KeptNotice] = []
        /// Which of them this run was the first to find.
        var begun: Set<KeptNotice.ID> = []
        /// Why that could not be kept.
        var fault: Failure?
    }

    /// What came of sharing.
    struct Shared {
        var view: ShareView?
        var reports: [ShareReport] = []
        /// With whether the view tells their words.
        var failures: [(Failure, isTold: Bool)] = []
    }

    /// - Throws: `SyncLockError.held` while another sync runs, `CommandFailure` where the machine's clock cannot be right.
    func run(_ pedometers: [Pedometer]) async throws -> Result {
        // A board without a battery-backed clock begins in the past; a ring set by it would be wrong for days.
        guard wiring.now() >= TimeFacts.earliest else {
            throw CommandFailure(
                .temporary, "This machine's clock says \(wiring.localTime.day(of: wiring.now())).",
                advice: "Wait until it is set (timedatectl tells), then sync again.")
        }
        var result = Result(start: wiring.now(), reports: [])
        result.reports = try await SyncLock.hold(ofDatabase: wiring.databasePath) { await synchronize(pedometers) }
        // Sharing takes its time: what the pedometers have told is kept before it.
        keepNotices(&result)
        if isShared, !Task.isCancelled {
            result.shared = await share()
            keepNotices(&result)
        }
        return result
    }

    /// The steps are home: what goes wrong here is told beside them, and found again the next time.
    private func keepNotices(_ result: inout Result) {
        do {
            let standing = try wiring.keepNotices(in: history, reports: result.reports, listening: listening)
            result.notices = standing.notices
            result.begun.formUnion(standing.begun)
            result.fault = nil
        } catch {
            result.fault = Failure(error)
        }
    }

    private func synchronize(_ pedometers: [Pedometer]) async -> [SyncReport] {
        if isPatient { await AdapterWait()(wiring.adapter) { [wiring] in try await wiring.central() } }
        let service = StepDataService(
            history: history, reader: wiring.reader(days: days), localTime: wiring.localTime, now: wiring.now)
        return await service.synchronize(pedometers) { [progress] pedometer, step in
            progress.step(SyncView.words(for: step, of: pedometer))
        }
    }

    // MARK: Sharing

    /// Seconds for sharing: a server that dawdles must not hold up whoever waits for the steps.
    private static let patience = 120

    /// The steps are home by now: whatever goes wrong here is told beside them.
    private func share() async -> Shared {
        do {
            let sharing = try SharingRun(wiring, history)
            guard !sharing.destinations.isEmpty else { return Shared() }
            let reports = try await sharing.share(.due, deadline: wiring.now() + Self.patience, progress)
            let worst = SharingRun.worst(reports).map { [($0, isTold: true)] } ?? []
            return Shared(view: sharing.view(reports), reports: reports, failures: worst)
        } catch SyncLockError.held(.sharing, _) {
            return Shared()     // what is new goes out with the other's next, or with the next sync
        } catch {
            return Shared(failures: [(Failure(error), isTold: false)])
        }
    }
}

extension SyncRun.Result {
    /// All that went wrong, with whether the view of the sync tells its words.
    var failures: [(Failure, isTold: Bool)] {
        reports.compactMap(\.failure).map { (Failure($0), isTold: true) } + (shared?.failures ?? [])
            + (fault.map { [($0, isTold: false)] } ?? [])
    }
}
