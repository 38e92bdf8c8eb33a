import StepDomain

/// All that is checked, in the order in which one thing stands on another. A new check is a file in `Checks` and a line here.
enum Doctor {
    static let groups: [@Sendable (CheckupContext) -> [Check]] = [
        { [.kernel($0), .radioSwitch($0), .adapter($0), .bus($0), .daemon($0), .power($0)] },
        { [.clock($0)] },
        { [.configuration($0)] },
        { [.history($0), .permissions($0), .room($0), .lock($0)] },
        { [.scan($0)] },
        { context in (context.pedometers ?? []).flatMap { [.lastSyncs(of: $0, context), .pedometer($0, context)] } },
        { context in context.destinations.isEmpty ? [.noDestination] : context.destinations.map { .destination($0, context) } },
        { [.timer($0)] },
    ]

    /// - Parameters:
    ///   - begin: is told of each check before it looks.
    ///   - tell: is given each finding as soon as it is known.
    static func examine(
        _ context: CheckupContext, begin: (Check) -> Void = { _ in }, tell: (Finding) throws -> Void = { _ in }
    ) async throws -> [Finding] {
        let checkup = Checkup(clock: context.instruments.clock) { error, check in Remark(error, check.subject) }
        do {
            let findings = try await checkup.run(groups.map { group in { group(context) } }, begin: begin, tell: tell)
            await context.close()
            return findings
        } catch {
            await context.close()
            throw error
        }
    }

    /// The exit code that the worst fault comes to; nil where there is none.
    static func worst(_ findings: [Finding]) -> ExitStatus? {
        findings.compactMap { $0.remark.grade.trouble.map(ExitStatus.init) }.max { $0.severity < $1.severity }
    }
}
