internal import DBus

extension ServiceManager {
    /// Starts or stops a unit and waits until that is done.
    func run(_ member: String, _ name: String) async throws(SystemdError) {
        let doing = "\(member == "StartUnit" ? "starting" : "stopping") \(name)"
        // systemd tells of jobs only while somebody has asked for that.
        _ = try await call("Subscribe", doing: doing)
        let ends: DBusSignals
        do {
            ends = try await bus.signals(
                MatchRule(sender: SystemdName.service, path: SystemdName.root, interface: SystemdName.manager, member: "JobRemoved"))
        } catch {
            throw SystemdError(error, doing: doing, scope)
        }
        let reply = try await call(member, [.string(name), .string("replace")], doing: doing, unit: name)
        let result = await Self.end(of: reply.first?.pathValue, in: ends, within: limit)
        _ = try? await call("Unsubscribe", doing: doing)
        // A unit that is left alone, because a condition does not hold, is none that failed.
        guard let result, ["done", "skipped"].contains(result) else { throw .jobFailed(unit: name, result: result ?? "no word of its end") }
    }

    /// - Returns: systemd's word for how the job ended; nil if the bus went away or the time was over before.
    private static func end(of job: ObjectPath?, in ends: DBusSignals, within limit: Duration) async -> String? {
        await withTaskGroup(of: String?.self) { group in
            group.addTask {
                for await end in ends where end.body.count == 4 && end.body[1].pathValue == job { return end.body[3].stringValue }
                return nil
            }
            group.addTask {
                try? await Task.sleep(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }
}
