import DesktopTestSupport
import Foundation
import PrivateBus
import SimulatedBlueZ
import Testing

/// Notices on the desktop of a session, with the built program.
@Suite(.timeLimit(.minutes(5))) struct DesktopTests {
    /// A household whose people are logged in to a desktop.
    private func live(_ body: (Household, FakeDesktop) async throws -> Void) async throws {
        let bus = try await PrivateBus.start()
        defer { bus.stop() }
        let desktop = try await FakeDesktop.start(bus.address)
        try await Household.live { home in
            var home = home
            home.istep.environment["DBUS_SESSION_BUS_ADDRESS"] = bus.address
            try await home.addRing()
            try await body(home, desktop)
        }
        await desktop.stop()
    }

    @Test func `a notice is never shown twice`() async throws {
        try await live { home, desktop in
            _ = try await home.istep("plan", "1")
            _ = try await home.istep("sync", "--unattended")
            let shown = await desktop.shown
            #expect(shown.map { $0.summary.prefix(12) } == ["Goal reached", "Goal reached"])
            #expect(shown.allSatisfy { $0.program == "istep" })
            home.ring.addSteps(100, at: home.ring.clock)
            _ = try await home.istep("sync", "--unattended")
            #expect(await desktop.shown.count == 2)
            // Notifications disappear: the status still reports the notice.
            #expect(try await home.istep("status").output.contains("New: Goal reached today"))
        }
    }

    @Test func `a notice seen in the status is not shown on the desktop`() async throws {
        try await live { home, desktop in
            _ = try await home.istep("plan", "1")
            var console = home.istep
            console.environment["DBUS_SESSION_BUS_ADDRESS"] = nil
            _ = try await console("sync", "--unattended")
            _ = try await console("status")
            _ = try await home.istep("sync", "--unattended")
            #expect(await desktop.shown.isEmpty)
        }
    }

    @Test func `a notice without a desktop session is shown by a later run`() async throws {
        try await live { home, desktop in
            _ = try await home.istep("plan", "1")
            var console = home.istep
            console.environment["DBUS_SESSION_BUS_ADDRESS"] = nil
            #expect(try await console("sync", "--unattended").status == 0)
            #expect(await desktop.shown.isEmpty)
            _ = try await home.istep("sync", "--unattended")
            #expect(await desktop.shown.count == 2)
        }
    }

    @Test func `a notice that the desktop refused is shown by the next run`() async throws {
        try await live { home, desktop in
            _ = try await home.istep("plan", "1")
            await desktop.refuse("org.freedesktop.Notifications.Error.ExcessNotificationGeneration", from: 2)
            let night = try await home.istep("sync", "--unattended")
            #expect(night.status == 0 && night.error.contains("Goal reached today"))
            #expect(await desktop.shown.count == 1)
            await desktop.refuse(nil)
            _ = try await home.istep("sync", "--unattended")
            #expect(await Set(desktop.shown.map(\.summary)).count == 2)
            #expect(await desktop.shown.count == 2)
        }
    }

    /// The answer takes longer than the five seconds for which the program waits.
    @Test func `a notice shown without an answer is not shown again`() async throws {
        try await live { home, desktop in
            _ = try await home.istep("plan", "1", "--from", "today")
            await desktop.dawdle()
            for _ in 0..<2 {
                #expect(try await home.istep("sync", "--unattended").status == 0)
                #expect(await desktop.shown.map { $0.summary.prefix(18) } == ["Goal reached today"])
            }
            await desktop.answer()
            #expect(try await home.istep("status").output.contains("New: Goal reached today"))
        }
    }

    @Test func `a notice of an interrupted run is not shown again`() async throws {
        try await live { home, desktop in
            _ = try await home.istep("plan", "1")
            await desktop.dawdle()
            let running = try home.istep.start(["sync", "--unattended"])
            try await desktop.until(1)
            running.send(SIGTERM)
            _ = await running.result
            await desktop.answer()
            _ = try await home.istep("sync", "--unattended")
            #expect(await desktop.shown.count == 2)
            #expect(await Set(desktop.shown.map(\.summary)).count == 2)
        }
    }

    @Test func `a notice that another run is showing is not repeated`() async throws {
        try await live { home, desktop in
            _ = try await home.istep("plan", "1")
            await desktop.dawdle()
            let running = try home.istep.start(["sync", "--unattended"])
            try await desktop.until(1)
            let other = try home.istep.start(["sync", "--unattended"])
            try await desktop.until(2)
            await desktop.answer()
            _ = await (running.result, other.result)
            #expect(await desktop.shown.count == 2)
            #expect(await Set(desktop.shown.map(\.summary)).count == 2)
        }
    }

    @Test func `a goal that is raised and lowered again is reported once`() async throws {
        try await live { home, desktop in
            for goal in ["1", "100000", "1"] {
                let plan = try await home.istep("plan", goal, "--from", "today")
                #expect(plan.status == 0, "\(plan.error)")
                let night = try await home.istep("sync", "--unattended")
                #expect(night.status == 0, "\(night.error)")
            }
            #expect(await desktop.shown.map { $0.summary.prefix(18) } == ["Goal reached today"])
            // Notifications disappear: the status still reports the notice.
            #expect(try await home.istep("status").output.contains("New: Goal reached today"))
        }
    }

    @Test func `notices are shown even if the output cannot be written`() async throws {
        try await live { home, desktop in
            _ = try await home.istep("plan", "1")
            let night = try await home.istep.start(["sync", "--unattended"], redirected: ">/dev/full").result
            #expect(night.status == 1 && night.error.contains("could not be written"), "\(night.error)")
            #expect(await desktop.shown.count == 2)
        }
    }

    @Test func `many notices become three and one summary`() async throws {
        try await live { home, desktop in
            _ = try await home.istep("plan", "1")
            try await home.addWatch("--user", "ben")
            _ = try await home.istep("plan", "1", "--user", "ben")
            home.watch.set(99)
            try home.folder.configure(
                """
                [share.one]
                kind = "command"
                command = ["/bin/sh", "-c", "exit 77"]
                idempotent = true
                [share.two]
                kind = "command"
                command = ["/bin/sh", "-c", "exit 77"]
                idempotent = true
                """)
            _ = try await home.istep("sync", "--unattended")
            let shown = await desktop.shown
            #expect(shown.count == 4)
            #expect(shown.last?.summary == "2 more: istep status")
            #expect(shown.last?.body.split(separator: "\n").count == 2)
            _ = try await home.istep("sync", "--unattended")
            #expect(await desktop.shown.count == 4)
        }
    }

    @Test func `desktop notices are not shown if disabled or in attended runs`() async throws {
        try await live { home, desktop in
            _ = try await home.istep("plan", "1")
            try home.folder.configure("notifications = false\n")
            _ = try await home.istep("sync", "--unattended")
            #expect(await desktop.shown.isEmpty)
            // An interactive sync shows no notifications, either.
            try home.folder.configure("")
            _ = try await home.istep("sync")
            #expect(await desktop.shown.isEmpty)
        }
    }
}
