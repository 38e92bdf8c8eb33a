import Foundation
import Settings
import Sharing
import StepDatabase
import StepDomain
import StepViews

/// Destinations of the configuration, made for a history, and one way to share with them for all commands.
struct SharingRun {
    typealias History = any StepHistory & ShareLedger & NoticeStore

    let wiring: Wiring
    let history: History
    let users: [User]
    let destinations: [any ShareDestination]

    /// - Throws: all that is wrong with the configured destinations, whichever are meant.
    init(_ wiring: Wiring, _ history: History) throws {
        self.init(wiring, history, try history.users(), try wiring.destinations())
    }

    private init(_ wiring: Wiring, _ history: History, _ users: [User], _ destinations: [any ShareDestination]) {
        self.wiring = wiring
        self.history = history
        self.users = users
        self.destinations = destinations
    }

    /// The same for those of these names only; for all where none is named.
    func with(_ names: [String]) throws -> SharingRun {
        if names.isEmpty { return try checked() }
        var chosen: [any ShareDestination] = []
        for name in names {
            guard let found = destination(named: name) else {
                let known = destinations.map(\.name).joined(separator: ", ")
                throw CommandFailure(
                    .usage, "There is no destination '\(name)'.",
                    advice: known.isEmpty ? "Set one up: istep config kinds" : "Known are: \(known).")
            }
            if !chosen.contains(where: { $0.name == found.name }) { chosen.append(found) }
        }
        return try SharingRun(wiring, history, users, chosen).checked()
    }

    /// Of two whose names differ in case only, the one that is written as it is.
    private func destination(named name: String) -> (any ShareDestination)? {
        destinations.first { $0.name == name } ?? destinations.first { $0.name.lowercased() == name.lowercased() }
    }

    private func checked() throws -> SharingRun {
        for destination in destinations {
            if let problem = Self.problem(with: destination, users) {
                throw CommandFailure(
                    .configuration, "[share.\(destination.name)] \(problem).", advice: "Say whose days go there, such as: users = [\"NAME\"]")
            }
        }
        return self
    }

    /// What is wrong with whose days go to a destination; nil where all is well.
    static func problem(with destination: any ShareDestination, _ users: [User]) -> String? {
        let known = users.map(\.name).joined(separator: ", ")
        if let stranger = destination.terms.users?.first(where: { name in !users.contains { $0.name.lowercased() == name.lowercased() } }) {
            return "is for \(stranger), whom the history does not know; known are: \(known)"
        }
        if destination.terms.users?.isEmpty == true { return "is for nobody: its `users` are empty" }
        if destination.traits.isPersonal, destination.terms.users == nil, users.count > 1 {
            return "has one place for the days of one person, and the history has several: \(known)"
        }
        return nil
    }

    var service: StepDataService {
        StepDataService(history: history, ledger: history, localTime: wiring.localTime, now: wiring.now)
    }

    /// A whole command: shares, shows how it went, and ends with the exit code of the worst.
    func run(_ order: StepDataService.ShareOrder, isPatient: Bool = false) async throws {
        let progress = wiring.progress()
        defer { progress.end() }
        let reports = try await share(order, isPatient: isPatient, progress)
        progress.end()
        try wiring.show(view(reports))
        markTold(reports)
        try Task.checkCancellation()
        if let worst = Self.worst(reports) { throw SilentExit(worst.status) }       // the view has told the words
    }

    /// What somebody has just seen is no news in the morning. What cannot be marked is told again.
    private func markTold(_ reports: [ShareReport]) {
        guard !wiring.isForPrograms, let notices = try? wiring.keepNotices(in: history).notices else { return }
        let told = SyncRun.Result(start: wiring.now(), reports: [], shared: .init(reports: reports), notices: notices).told
        try? history.markSeen(told.map(\.id), at: wiring.now())
    }

    /// Shares under the lock that keeps two from sending the same.
    ///
    /// - Parameters:
    ///   - deadline: no delivery is begun after it.
    ///   - isPatient: goes on, with pauses, until nothing is left that another try could bring through.
    func share(
        _ order: StepDataService.ShareOrder, deadline: Timestamp? = nil, isPatient: Bool = false, _ progress: Progress
    ) async throws -> [ShareReport] {
        try await SyncLock.hold(ofDatabase: wiring.databasePath, for: .sharing) {
            var reports = try await attempt(order, deadline, progress)
            while isPatient, let moment = pause(reports) {
                progress.step("Waiting until \(moment.iso8601(utcOffset: wiring.localTime.utcOffset(moment)))")
                try await Task.sleep(for: .seconds(max(1, moment - wiring.now())))
                let again = try await attempt(.due, deadline, progress)
                reports = zip(reports, again).map { $0.followed(by: $1) }
            }
            return reports
        }
    }

    private func attempt(
        _ order: StepDataService.ShareOrder, _ deadline: Timestamp?, _ progress: Progress
    ) async throws -> [ShareReport] {
        try await service.shareStepData(order, to: destinations, users: users, deadline: deadline) { step in
            progress.step(ShareView.words(for: step))
        }
    }

    /// When to try again; nil where that would change nothing.
    private func pause(_ reports: [ShareReport]) -> Timestamp? {
        reports.filter { $0.queued > 0 && $0.state.stopped == nil && $0.fault == nil && $0.failure?.kind != .misconfigured }
            .compactMap(\.state.notBefore).min()
    }

    func view(_ reports: [ShareReport]) -> ShareView {
        ShareView(reports, users: users, now: wiring.now(), localTime: wiring.localTime) { Failure($0).message ?? "\($0)" }
    }

    /// What the worst of them comes to; nil where all is well.
    static func worst(_ reports: [ShareReport]) -> Failure? {
        reports.flatMap(failures).max { $0.severity < $1.severity }
    }

    private static func failures(_ report: ShareReport) -> [Failure] {
        var failures: [Failure] = []
        if let fault = report.fault { failures.append(Failure(fault)) }
        if let stopped = report.state.stopped { failures.append(Failure(ShareFailure(.credentials, stopped))) }
        if let failure = report.failure { failures.append(Failure(failure)) }
        if report.queued > 0 { failures.append(Failure(ShareFailure(.unreachable, "queued"))) }
        for event in report.events {
            switch event.outcome {
            case .rejected(let reason): failures.append(Failure(ShareFailure(.rejected, reason)))
            case .doubtful(let reason): failures.append(Failure(ShareFailure(.unanswered, reason)))
            default: break
            }
        }
        return failures
    }
}

extension ShareReport {
    /// One report of two runs after one another: what was queued or unknown is told by the later.
    fileprivate func followed(by later: ShareReport) -> ShareReport {
        var report = later
        report.events = events.filter { event in
            switch event.outcome {
            case .queued, .unknown: false
            default: true
            }
        } + later.events
        return report
    }
}
