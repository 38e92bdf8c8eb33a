package import StepDomain

/// Examines one thing and makes diagnoses of it. Each of several similar things (pedometers, destinations) has a check.
package struct Check: Sendable {
    /// For programs and for the checks that depend on this one; never changed.
    package let key: String
    package let area: Finding.Area
    package let subject: CheckSubject
    /// Keys of checks that must not have found a fault; otherwise this check is skipped.
    let needs: [String]
    /// How long it may take.
    let limit: Duration
    /// Changes nothing. An error that it throws becomes a diagnosis, too.
    let examine: @Sendable () async throws -> [Diagnosis]

    package init(
        _ key: String, _ area: Finding.Area, _ subject: CheckSubject, needs: [String] = [],
        limit: Duration = .seconds(10),
        examine: @escaping @Sendable () async throws -> [Diagnosis]
    ) {
        self.key = key
        self.area = area
        self.subject = subject
        self.needs = needs
        self.limit = limit
        self.examine = examine
    }
}

/// Runs checks in order, from the machine up, and reports each finding when it is known.
///
/// On a broken machine anything may fail or hang: an error that a check throws is a finding, and so is a check that
/// does not end. A check that depends on one that failed is reported as skipped, with what failed first.
package struct CheckRunner: Sendable {
    /// Checks that are made when it is their turn: only the history shows which pedometers there are.
    package typealias Group = @Sendable () -> [Check]

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
        var findings: [Finding] = []
        /// What failed first, by the key of each check that failed or was skipped.
        var causes: [String: CheckSubject] = [:]
        for group in groups {
            for check in group() {
                try Task.checkCancellation()
                let diagnoses: [Diagnosis]
                if let cause = check.needs.lazy.compactMap({ causes[$0] }).first {
                    causes[check.key] = cause
                    diagnoses = [.skipped(check.subject, dependsOn: cause)]
                } else {
                    begin(check)
                    diagnoses = await run(check)
                    if let fault = diagnoses.first(where: \.severity.isFault) { causes[check.key] = fault.subject }
                }
                try Task.checkCancellation()
                for diagnosis in diagnoses {
                    let finding = Finding(check: check.key, area: check.area, diagnosis: diagnosis)
                    findings.append(finding)
                    try report(finding)
                }
            }
        }
        return findings
    }

    private enum Event: Sendable {
        case done(Result<[Diagnosis], any Error>)
        /// The limit has passed, or the caller was cancelled.
        case over
        case graceExpired
    }

    /// Not in a task group, which would wait for a check that does not react to cancellation, such as one of a file
    /// system that does not answer. A check that reacts is waited for, so that no link is left behind.
    private func run(_ check: Check) async -> [Diagnosis] {
        let (events, end) = AsyncStream<Event>.makeStream()
        let work = Task {
            do { end.yield(.done(.success(try await check.examine()))) } catch { end.yield(.done(.failure(error))) }
        }
        let limit = Task { [clock] in
            try await clock.sleep(for: check.limit)
            end.yield(.over)
        }
        // A separate task: in a cancelled task, the stream would end at once.
        let outcome = Task { [clock] in
            var grace: Task<Void, any Error>?
            defer { grace?.cancel() }
            for await event in events {
                switch event {
                case .done(.success(let diagnoses)) where grace == nil: return diagnoses
                case .done(.failure(let error)) where grace == nil: return [.failed(check.subject, Problem(error))]
                case .done, .graceExpired:
                    return [.unanswered(check.subject, seconds: Int(check.limit.components.seconds))]
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
            return []
        }
        defer {
            limit.cancel()
            work.cancel()
        }
        return await withTaskCancellationHandler {
            await outcome.value
        } onCancel: {
            end.yield(.over)
        }
    }
}
