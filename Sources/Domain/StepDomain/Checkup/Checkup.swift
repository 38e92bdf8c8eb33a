/// Goes through checks in order, from the machine up, and tells each finding when it is known.
///
/// On a sick machine anything may fail or hang: what a check throws is a finding, and so is that it did not come to an end. A check
/// that stands on one that failed is told as not looked at, by the name of what failed first.
public struct Checkup: Sendable {
    /// Checks that are made up when it is their turn: which pedometers there are, only the history tells.
    public typealias Group = @Sendable () -> [Check]

    private let clock: any Clock<Duration>
    private let explain: @Sendable (any Error, Check) -> Remark

    /// How long a check that is over its limit has for putting in order what it began, such as a link.
    static let grace: Duration = .seconds(5)

    /// - Parameters:
    ///   - clock: measures the limits.
    ///   - explain: makes a remark of what a check threw.
    public init(clock: any Clock<Duration> = ContinuousClock(), explain: @escaping @Sendable (any Error, Check) -> Remark) {
        self.clock = clock
        self.explain = explain
    }

    /// - Parameters:
    ///   - begin: is told of each check before it looks.
    ///   - tell: is given each finding.
    /// - Returns: all findings.
    /// - Throws: `CancellationError`, or what `tell` throws.
    @discardableResult
    public func run(
        _ groups: [Group], begin: (Check) -> Void = { _ in }, tell: (Finding) throws -> Void = { _ in }
    ) async throws -> [Finding] {
        var findings: [Finding] = []
        /// What failed first, by the key of each check that cannot be relied on.
        var causes: [String: String] = [:]
        for group in groups {
            for check in group() {
                try Task.checkCancellation()
                let remarks: [Remark]
                if let cause = check.needs.lazy.compactMap({ causes[$0] }).first {
                    causes[check.key] = cause
                    remarks = [Remark(.skipped, check.subject, "not looked at: \(cause) comes first")]
                } else {
                    begin(check)
                    remarks = await look(check)
                    if let fault = remarks.first(where: { $0.grade.isFault }) { causes[check.key] = fault.subject }
                }
                try Task.checkCancellation()
                for remark in remarks {
                    let finding = Finding(check: check.key, area: check.area, remark: remark)
                    findings.append(finding)
                    try tell(finding)
                }
            }
        }
        return findings
    }

    private enum Event: Sendable {
        case done(Result<[Remark], any Error>)
        /// The limit has passed, or nobody wants to know any more.
        case over
        case graceUp
    }

    /// Not in a task group, which would wait for a look that hears of no cancellation: at a file system that does not answer, say.
    /// One that does hear is waited for, so that no link is left behind.
    private func look(_ check: Check) async -> [Remark] {
        let (events, end) = AsyncStream<Event>.makeStream()
        let work = Task {
            do { end.yield(.done(.success(try await check.look()))) } catch { end.yield(.done(.failure(error))) }
        }
        let limit = Task { [clock] in
            try await clock.sleep(for: check.limit)
            end.yield(.over)
        }
        // A task of its own: in one that is cancelled, the stream would end at once.
        let outcome = Task { [clock, explain] in
            var grace: Task<Void, any Error>?
            defer { grace?.cancel() }
            for await event in events {
                switch event {
                case .done(.success(let remarks)) where grace == nil: return remarks
                case .done(.failure(let error)) where grace == nil: return [explain(error, check)]
                case .done, .graceUp: return [Self.late(check)]
                case .over:
                    work.cancel()
                    grace = grace ?? Task {
                        try await clock.sleep(for: Self.grace)
                        end.yield(.graceUp)
                    }
                }
            }
            return []
        }
        defer {
            limit.cancel()
            work.cancel()
        }
        return await withTaskCancellationHandler { await outcome.value } onCancel: { end.yield(.over) }
    }

    private static func late(_ check: Check) -> Remark {
        Remark(
            .fault(.temporary), check.subject, "no answer within \(check.limit.components.seconds) seconds",
            cure: "Try again. If it stays so, the machine's log may tell why: journalctl -b -p warning")
    }
}
