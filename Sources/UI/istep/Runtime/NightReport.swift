import StepDomain
import StepViews
import Systemd

/// How a run that nobody watches tells what came of it: one line, words of what went wrong, and what the desktop should show.
///
/// For whatever runs unattended: a timer's sync, or a watch after each of its own.
struct NightReport {
    let wiring: Wiring
    let history: SharingRun.History

    /// The line on standard output, or the document where programs want one; all else on standard error.
    func tell(_ result: SyncRun.Result) async throws {
        let isHousehold = (try? history.users().count) ?? 0 > 1
        let written = Result { try write(result, isHousehold) }
        // What cannot be written (a full disk, maybe) is one more reason for words on the desktop.
        await Bubbles(wiring: wiring, store: history).show(result.notices) { words($0, isHousehold) }
        try written.get()
    }

    private func write(_ result: SyncRun.Result, _ isHousehold: Bool) throws {
        for report in result.reports where report.cause != .machine { tell(report) }
        // One fault for all pedometers is told once.
        var broken: Set<String> = []
        for report in result.reports where report.cause == .machine && broken.insert(report.failureText ?? "").inserted { tell(report) }
        for report in result.shared?.reports ?? [] { tell(report) }
        // Those of pedometers and destinations have been told by now.
        for (failure, isTold) in result.failures where !isTold { Main.tell(failure) }
        tell(result.fresh, isHousehold)
        if wiring.isForPrograms {
            try wiring.show(result.view(wiring))
        } else {
            let isNews = result.reports.contains { $0.counts.steps > 0 || $0.failure != nil } || !result.failures.isEmpty
            try Output.standard.result(
                SyncSummary(result.reports, shares: result.shared?.reports ?? []).line, isNews ? .notice : .information)
        }
    }

    /// What time alone has brought up: for a watch that hears nothing of a pedometer, or cannot, now and then.
    func look(_ listening: Listening) async throws {
        let standing = try wiring.keepNotices(in: history, listening: listening)
        let isHousehold = (try? history.users().count) ?? 0 > 1
        tell(standing.notices.filter { $0.isNew && standing.begun.contains($0.id) }, isHousehold)
        await Bubbles(wiring: wiring, store: history).show(standing.notices) { words($0, isHousehold) }
    }

    private func tell(_ fresh: [KeptNotice], _ isHousehold: Bool) {
        for kept in fresh {
            Output.error.line(words(kept.notice, isHousehold).headline, kept.notice.isGood ? .notice : .warning)
        }
    }

    private func words(_ notice: Notice, _ isHousehold: Bool) -> NoticeWords {
        NoticeWords(notice, isHousehold: isHousehold, now: wiring.now(), localTime: wiring.localTime)
    }

    private func tell(_ report: SyncReport) {
        guard let error = report.failure else { return }
        // Away or interrupted, it is nobody's fault.
        let isFault = report.cause == .machine || report.cause == .other
        say(report.pedometer.name, report.failureText ?? "failed", isFault ? .error : .warning)
        if isFault, let advice = Failure(error).advice { say(report.pedometer.name, advice, .error) }
    }

    private func tell(_ report: ShareReport) {
        let name = report.destination
        for event in report.events {
            switch event.outcome {
            case .rejected(let reason): say(name, "\(event.day) rejected: \(reason)", .error)
            case .doubtful(let reason): say(name, "\(event.day) may have arrived: \(reason)", .error)
            default: break
            }
        }
        if let fault = report.fault {
            say(name, Failure(fault).message ?? "failed", .error)
        } else if let stopped = report.state.stopped {
            say(name, "stopped: \(stopped)", .error)
        } else if let failure = report.failure, failure.kind != .rejected {
            say(name, failure.reason, Failure(failure).priority)
            if let advice = failure.advice { say(name, advice, Failure(failure).priority) }
        }
    }

    private func say(_ name: String, _ text: String, _ priority: JournalPriority) {
        Output.error.line(Printable.lines("\(name): \(text)"), priority)
    }
}

extension SyncRun.Result {
    func view(_ wiring: Wiring) -> SyncView {
        SyncView(reports, shares: shared?.view, now: wiring.now(), localTime: wiring.localTime, advice: { Failure($0).advice })
    }

    /// The notices that this run has brought up.
    var fresh: [KeptNotice] { notices.filter { $0.isNew && begun.contains($0.id) } }

    /// The notices of which somebody who has seen `view` knows.
    var told: [KeptNotice] {
        notices.filter { kept in
            switch kept.notice.subject {
            case .machine: reports.contains { $0.cause == .machine }
            case .user: false
            case .pedometer(let id): reports.contains { $0.pedometer.id == id && tells(kept.notice, $0) }
            case .destination(let name): (shared?.reports ?? []).contains { $0.destination == name && tells(kept.notice, $0) }
            }
        }
    }

    private func tells(_ notice: Notice, _ report: SyncReport) -> Bool {
        switch notice.content {
        case .nightsFailed, .notSeen: report.failure != nil
        case .batteryLow: report.notices.contains { if case .batteryLow = $0 { true } else { false } }
        case .noticed(let noticed): report.notices.contains(noticed) && notice.since >= start
        case .shareRejected, .shareInDoubt, .destinationStopped, .shareWaiting, .goalReached: false
        }
    }

    private func tells(_ notice: Notice, _ report: ShareReport) -> Bool {
        switch notice.content {
        case .destinationStopped: report.state.stopped != nil
        case .shareWaiting: report.queued > 0
        case .shareRejected(_, let day, _), .shareInDoubt(_, let day, _):
            report.events.contains { event in
                switch event.outcome {
                case .rejected, .doubtful: event.day == day && event.user == notice.user
                default: false
                }
            }
        case .nightsFailed, .notSeen, .batteryLow, .noticed, .goalReached: false
        }
    }
}
