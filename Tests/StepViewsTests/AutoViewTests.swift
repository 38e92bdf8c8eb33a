import Foundation
import StepDomain
import StepViews
import Testing

@Suite(.timeLimit(.minutes(5))) struct AutoViewTests {
    private static let now = Timestamp(1_397_980_800)  // 2014-04-20 08:00 UTC
    private static let off = SyncSchedule.Trigger(isEnabled: false, isActive: false)
    private static let on = SyncSchedule.Trigger(
        isEnabled: true, isActive: true, last: now - 5 * 3600, next: now + 19 * 3600)

    private func lines(
        owner: SyncSchedule.Owner = .user("anna", lingers: true), night: SyncSchedule.Trigger = on,
        watch: SyncSchedule.Trigger = off,
        run: SyncSchedule.Run? = nil
    ) -> [String] {
        var sentences: [String] = []
        for line in view(owner, night, watch, run) {
            // A line that continues a wrapped one has a larger indent.
            if line.hasPrefix("    ")
                || (line.hasPrefix("  ") && sentences.last.map { !$0.hasPrefix("  ") && !$0.hasSuffix(".") } ?? false)
            {
                sentences[sentences.count - 1] += " " + line.trimmingCharacters(in: .whitespaces)
            } else {
                sentences.append(line)
            }
        }
        return sentences
    }

    private func view(
        _ owner: SyncSchedule.Owner, _ night: SyncSchedule.Trigger, _ watch: SyncSchedule.Trigger,
        _ run: SyncSchedule.Run?
    )
        -> [String]
    {
        let state = SyncSchedule(
            owner: owner, night: night, midnight: night, adapter: night, watch: watch, lastRun: run)
        return AutoView(state, now: Self.now, localTime: .fixed(0)).lines(
            TextStyle(width: 200, colour: false, unicode: true))
    }

    @Test func `the view shows the last and next runs`() {
        #expect(
            lines() == [
                "Automatic sync is on, for anna.",
                "  every night: next in 19 hours, 2014-04-21 03:00; last 5 hours ago",
                "  before midnight, for pedometers that keep just today's count: next in 19 hours, 2014-04-21 03:00; last 5 hours ago",
                "  when a Bluetooth adapter is plugged in: yes",
                "  when a pedometer comes into range (istep watch): no",
                "It continues while anna is not logged in (lingering is on).",
            ])
    }

    @Test func `missing lingering is explained with a command`() {
        let last = lines(owner: .user("anna", lingers: false)).dropFirst(5).joined(separator: " ")
        #expect(last.hasPrefix("It pauses while anna is not logged in") && last.hasSuffix("loginctl enable-linger"))
        #expect(lines(owner: .user("anna", lingers: nil)).count == 5)
        #expect(lines(owner: .machine).count == 5)
    }

    @Test func `disabled automatic sync is shown in one line`() {
        #expect(lines(night: Self.off) == ["Automatic sync is off, for anna. Switch it on: istep auto on"])
        #expect(
            lines(owner: .machine, night: Self.off)
                == ["Automatic sync is off, for the whole machine. Switch it on: sudo istep auto on --system"])
    }

    @Test func `an enabled but inactive timer is not shown as on`() {
        let idle = SyncSchedule.Trigger(isEnabled: true, isActive: false)
        #expect(
            lines(night: idle) == ["Automatic sync is enabled, for anna, but is not running. Start it: istep auto on"])
    }

    /// The command that was named switched it off.
    @Test func `a watch that is on stays on`() {
        let idle = SyncSchedule.Trigger(isEnabled: true, isActive: false)
        let off = "Automatic sync is off, for anna. Switch it on: istep auto on --watch "
        #expect(lines(night: Self.off, watch: Self.on)[0].hasPrefix(off))
        let machine = lines(owner: .machine, night: idle, watch: idle)[0]
        #expect(machine.contains("Start it: sudo istep auto on --system --watch "))
    }

    @Test func `commands about a sync of the machine are about its history`() {
        let run = SyncSchedule.Run(end: Self.now - 7200, exitCode: 69, result: "exit-code")
        #expect(
            lines(owner: .machine, run: run).contains { $0.hasSuffix("unavailable: sudo -H -u istep istep doctor") })
    }

    @Test func `a timer that has never run is shown as such`() {
        let new = SyncSchedule.Trigger(isEnabled: true, isActive: true, next: Self.now - 3)
        #expect(lines(night: new)[1] == "  every night: due now; no run since systemd started")
    }

    /// `journalctl --user -u` shows nothing to members of the group adm (systemd 252).
    @Test func `an ended watch is shown with the command for its journal`() {
        let idle = SyncSchedule.Trigger(isEnabled: true, isActive: false)
        #expect(
            lines(watch: idle).contains { $0.hasSuffix("enabled, but not running: journalctl --user-unit istep-watch") }
        )
        #expect(
            lines(owner: .machine, watch: idle).contains { $0.hasSuffix("not running: sudo journalctl -u istep-watch") }
        )
    }

    @Test(
        arguments: [
            (0, "success", "all done."), (75, "success", "temporary failure: a pedometer was not in"),
            (69, "exit-code", "a required resource is unavailable: istep doctor"),
            (77, "exit-code", "not permitted, or credentials rejected: "),
            (78, "exit-code", "wrong configuration: istep config check"),
            (71, "exit-code", "a limit of the unit or of the machine"),
            (143, "exit-code", "it was interrupted. The next sync continues."),
            (143, "timeout", "its time limit ended it: istep doctor"), (1, "exit-code", "it failed with exit code 1"),
            (nil, "timeout", "it was ended (timeout)"),
        ] as [(Int?, String, String)])
    func `the result of the last run is shown`(_ code: Int?, _ result: String, _ words: String) {
        let run = SyncSchedule.Run(end: Self.now - 7200, exitCode: code, result: result)
        #expect(lines(run: run).contains { $0.hasPrefix("The last sync ended 2 hours ago: \(words)") })
    }

    @Test func `the JSON document has all keys`() throws {
        let state = SyncSchedule(
            owner: .user("anna", lingers: nil), night: Self.on, midnight: Self.off, adapter: Self.on, watch: Self.off)
        let text = try AutoView(state, now: Self.now, localTime: .fixed(3600)).json()
        let json = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(
            Set(json.keys) == [
                "version", "scope", "user", "lingers", "night", "midnight", "adapter", "watch", "lastRun",
            ])
        #expect((json["night"] as? [String: Any])?["next"] as? String == "2014-04-21T04:00:00+01:00")
    }
}
