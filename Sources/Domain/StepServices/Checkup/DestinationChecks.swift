import StepDomain

/// The destinations of sharing.
extension Doctor {
    var noDestination: Check { Check("destination", .sharing, .sharing) { [.noDestination] } }

    /// A destination: its credentials, its days, and whether it answers and accepts the client.
    func destination(_ destination: any ShareDestination, _ known: EarlierResults) -> Check {
        let name = destination.name
        return Check("destination", .sharing, .destination(name), limit: .seconds(60)) {
            let stored = try await blocking { try Self.diagnoses(of: destination, in: known.history, now: now()) }
            if request.destinationsOfService.contains(name) { return stored + [.destination(name, .secretOfService)] }
            let problems = destination.problems().map { Diagnosis.destination(name, .unusable($0)) }
            // Without its token, a request would fail.
            guard problems.isEmpty else { return problems + stored }
            guard request.usesNetwork else { return stored + [.destination(name, .notContacted)] }
            do throws(ShareFailure) {
                let description = try await destination.check()
                return [.destination(name, .answers(place: destination.place, description: description))] + stored
            } catch {
                return [.failed(.destination(name), Problem(error))] + stored
            }
        }
    }

    /// What the history contains about it.
    private static func diagnoses(of destination: any ShareDestination, in history: History?, now: Timestamp) throws -> [Diagnosis] {
        guard let history else { return [] }
        var diagnoses: [Diagnosis] = []
        let users = try history.users()
        if !users.isEmpty, let problem = RecipientProblem(destination, users: users) {
            diagnoses.append(.destination(destination.name, .recipients(problem)))
        }
        let entries = try history.entries(for: destination.name, in: [.pending, .sending, .rejected, .unknown])
        return diagnoses + OutboxFacts(state: try history.state(of: destination.name), entries: entries, now: now).diagnoses
    }
}
