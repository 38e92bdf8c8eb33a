package import StepDomain
internal import Support

/// Examines one thing and makes diagnoses of it. Each of several similar things (pedometers, destinations) has a check.
package struct Check: Sendable {
    package let key: CheckKey
    package let subject: CheckSubject
    /// Checks that must not have found a fault; otherwise this check is skipped.
    let needs: [CheckKey]
    /// How long it may take.
    let limit: Duration
    /// Changes nothing but what later checks know. An error that it throws becomes a diagnosis, too.
    let examine: @Sendable (inout EarlierResults) async throws -> [Diagnosis]

    package init(
        _ key: CheckKey, _ subject: CheckSubject, needs: [CheckKey] = [], limit: Duration = .seconds(10),
        examine: @escaping @Sendable (inout EarlierResults) async throws -> [Diagnosis]
    ) {
        self.key = key
        self.subject = subject
        self.needs = needs
        self.limit = limit
        self.examine = examine
    }
}

/// The results of earlier checks that later checks of the same checkup use.
package struct EarlierResults: Sendable {
    var session: (any BluetoothProbeSession)?
    /// Set once it is known to be sound.
    var history: History?
    /// Nil while they are not known.
    var pedometers: [Pedometer]?
    /// Nil if there was no scan.
    var scan: ScanFacts?
}

/// Runs checks in order, from the machine up, and reports each finding when it is known.
///
/// On a broken machine anything may fail or hang: an error that a check throws is a finding, and so is a check that
/// does not end. A check that depends on one that failed is reported as skipped, with what failed first.
package struct CheckRunner: Sendable {
    /// Checks that are made when it is their turn: only the history shows which pedometers there are.
    package typealias Group = @Sendable (EarlierResults) -> [Check]

    private let clock: any Clock<Duration>

    /// How long a check that is over its limit has to clean up what it began, such as a link.
    private static let grace: Duration = .seconds(5)

    /// - Parameter clock: measures the limits.
    package init(clock: any Clock<Duration> = ContinuousClock()) { self.clock = clock }

    /// - Parameters:
    ///   - begin: called with each check before it runs.
    ///   - report: called with each finding.
    /// - Returns: all findings.
    /// - Throws: `CancellationError`, or what `report` throws.
    package func run(
        _ groups: [Group], begin: (Check) -> Void = { _ in }, report: (Finding) throws -> Void = { _ in }
    ) async throws -> [Finding] {
        var known = EarlierResults()
        return try await cleaningUp({ await known.session?.close() }) {
            try await run(groups, &known, begin, report)
        }
    }

    private func run(
        _ groups: [Group], _ known: inout EarlierResults, _ begin: (Check) -> Void,
        _ report: (Finding) throws -> Void
    ) async throws -> [Finding] {
        var findings: [Finding] = []
        /// What failed first, by the key of each check that failed or was skipped.
        var causes: [CheckKey: CheckSubject] = [:]
        for group in groups {
            for check in group(known) {
                try Task.checkCancellation()
                let diagnoses: [Diagnosis]
                if let cause = check.needs.lazy.compactMap({ causes[$0] }).first {
                    causes[check.key] = cause
                    diagnoses = [.skipped(check.subject, dependsOn: cause)]
                } else {
                    begin(check)
                    diagnoses = await run(check, &known)
                    if let fault = diagnoses.first(where: \.severity.isFault) { causes[check.key] = fault.subject }
                }
                try Task.checkCancellation()
                for diagnosis in diagnoses {
                    let finding = Finding(check: check.key, diagnosis: diagnosis)
                    findings.append(finding)
                    try report(finding)
                }
            }
        }
        return findings
    }

    private enum Event: Sendable {
        case done(Result<[Diagnosis], any Error>, EarlierResults)
        /// The limit has passed, or the caller was cancelled.
        case over
        case graceExpired
    }

    /// Not in a task group, which would wait for a check that does not react to cancellation, such as one of a file
    /// system that does not answer. A check that reacts is waited for, so that no link is left behind.
    private func run(_ check: Check, _ known: inout EarlierResults) async -> [Diagnosis] {
        let (events, end) = AsyncStream<Event>.makeStream()
        let work = Task { [known] in
            var known = known
            do {
                let diagnoses = try await check.examine(&known)
                end.yield(.done(.success(diagnoses), known))
            } catch {
                end.yield(.done(.failure(error), known))
            }
        }
        let limit = Task { [clock] in
            try await clock.sleep(for: check.limit)
            end.yield(.over)
        }
        let unanswered = Diagnosis.unanswered(check.subject, seconds: Int(check.limit.components.seconds))
        // A separate task: in a cancelled task, the stream would end at once.
        let outcome = Task { [clock, known] () -> ([Diagnosis], EarlierResults) in
            var grace: Task<Void, any Error>?
            defer { grace?.cancel() }
            for await event in events {
                switch event {
                case .done(.success(let diagnoses), let known) where grace == nil: return (diagnoses, known)
                case .done(.failure(let error), let known) where grace == nil:
                    return ([.failed(check.subject, Problem(error))], known)
                case .done(_, let known): return ([unanswered], known)
                case .graceExpired: return ([unanswered], known)
                case .over:
                    work.cancel()
                    grace =
                        grace
                        ?? Task {
                            try await clock.sleep(for: Self.grace)
                            end.yield(.graceExpired)
                        }
                }
            }
            return ([], known)
        }
        defer {
            limit.cancel()
            work.cancel()
        }
        let (diagnoses, results) = await withTaskCancellationHandler {
            await outcome.value
        } onCancel: {
            end.yield(.over)
        }
        known = results
        return diagnoses
    }
}
