import StepDomain

extension Check {
    static let noDestination = Check("destination", .sharing, "sharing") {
        [Remark(.fine, "sharing", "nothing is shared, and nothing need be")]
    }

    /// A destination: its credentials, its days, and whether it answers and accepts who is asking.
    static func destination(_ destination: any ShareDestination, _ context: CheckupContext) -> Check {
        let name = destination.name
        return Check("destination", .sharing, name, limit: .seconds(60)) {
            var remarks: [Remark] = []
            if let history = context.history {
                let users = try history.users()
                if !users.isEmpty, let problem = SharingRun.problem(with: destination, users) {
                    remarks.append(Remark(
                        .fault(.configuration), name, "it \(problem)", cure: "Say whose days go there, such as: users = [\"NAME\"]"))
                }
                let entries = try history.entries(for: name, in: [.pending, .sending, .rejected, .unknown])
                remarks += OutboxFacts(state: try history.state(of: name), entries: entries, now: context.instruments.now()).remarks
            }
            if context.isOfService(name) {
                return remarks + [Remark(
                    .skipped, name, "not asked: systemd gives its secret to the service only",
                    cure: "sudo systemd-run --pipe -p User=istep -p LoadCredential=istep:/etc/istep/credentials istep doctor")]
            }
            let problems = destination.problems().map { Remark(.fault(.configuration), name, $0) }
            // Without its token it would be asked in vain.
            guard problems.isEmpty else { return problems + remarks }
            if context.spared.network { return remarks + [Remark(.skipped, name, "not asked, as --no-network says")] }
            do throws(ShareFailure) {
                let answer = try await destination.check()
                return [Remark(.fine, name, "\(destination.place) answers: \(answer)")] + remarks
            } catch {
                return [Remark(error, name)] + remarks
            }
        }
    }
}
