import DBus
import Desktop
import DesktopTestSupport
import PrivateBus
import StepDomain
import Testing

@Suite(.timeLimit(.minutes(5))) struct DesktopNotifierTests {
    private let notice = UserNotification(
        summary: "ring: <b>battery</b> & more", body: "5 < 6 & \"7\" > 6", kind: .batteryLow)

    @Test func `a notice is shown with escaped body and hints`() async throws {
        try await withDesktop { desktop, notifier in
            try await notifier.show(notice)
            let shown = try #require(await desktop.shown.first)
            #expect(shown.program == "istep" && shown.icon == "battery-caution")
            // Summaries are plain text whatever the server can do.
            #expect(shown.summary == notice.summary)
            #expect(shown.body == "5 &lt; 6 &amp; \"7\" &gt; 6")
            #expect(
                shown.hints == ["urgency": .byte(1), "category": .string("device"), "desktop-entry": .string("istep")])
        }
    }

    @Test func `a notification has the category and the icon of its kind`() async throws {
        try await withDesktop { desktop, notifier in
            try await notifier.show(
                UserNotification(summary: "ring: battery at 5 %", body: "Charge it soon.", kind: .batteryLow))
            try await notifier.show(UserNotification(summary: "Goal reached", kind: .goalReached))
            try await notifier.show(UserNotification(summary: "2 more", body: "a\nb"))
            let shown = await desktop.shown
            #expect(shown.map(\.summary) == ["ring: battery at 5 %", "Goal reached", "2 more"])
            #expect(shown.map(\.icon) == ["battery-caution", "dialog-information", "dialog-information"])
            #expect(shown.map { $0.hints["category"] } == [.string("device"), .string("x-istep.goal"), nil])
            #expect(shown.map { $0.hints["urgency"] } == [.byte(1), .byte(0), .byte(1)])
        }
    }

    @Test func `no notifier connects without a session bus`() async {
        #expect(await SessionNotifier(.address("unix:path=/nonexistent/bus")).connect() == nil)
    }

    @Test func `a server without markup receives the body unescaped`() async throws {
        try await withDesktop(["body"]) { desktop, notifier in
            try await notifier.show(notice)
            #expect(await desktop.shown.first?.body == notice.body)
        }
    }

    @Test func `a markup character before a combining mark is escaped`() async throws {
        try await withDesktop { desktop, notifier in
            // With a combining mark after it, `<` is another character to Swift, and the same to a server.
            try await notifier.show(UserNotification(summary: "x", body: "<\u{301}b>"))
            #expect(await desktop.shown.first?.body == "&lt;\u{301}b&gt;")
        }
    }

    @Test func `a refused notice is reported as an error`() async throws {
        try await withDesktop { desktop, notifier in
            await desktop.refuse("org.freedesktop.Notifications.Error.ExcessNotificationGeneration")
            await #expect(throws: DBusError.self) { try await notifier.show(notice) }
            await desktop.refuse(nil)
            try await notifier.show(notice)
            #expect(await desktop.shown.count == 1)
        }
    }

    @Test func `cancellation after a notice was handed over is not an error`() async throws {
        try await withDesktop { desktop, notifier in
            await desktop.dawdle()
            let shows = Task { [notice] in try await notifier.show(notice) }
            try await desktop.until(1)
            shows.cancel()
            try await shows.value
            // A notice that was cancelled before is not sent.
            let late = Task { [notice] in
                while !Task.isCancelled { await Task.yield() }
                try await notifier.show(notice)
            }
            late.cancel()
            let call = "org.freedesktop.Notifications.Notify on /org/freedesktop/Notifications"
            await #expect(throws: DBusError.cancelled(call: call, wasSent: false)) { try await late.value }
            #expect(await desktop.shown.count == 1)
        }
    }

    @Test func `a notice fails if the server ends before its answer`() async throws {
        try await withDesktop { desktop, notifier in
            await desktop.dawdle()
            let shows = Task { [notice] in try await notifier.show(notice) }
            try await desktop.until(1)
            await desktop.stop()
            await #expect(throws: DBusError.self) { try await shows.value }
        }
    }

    @Test func `no notifier opens without a session bus or a server`() async throws {
        #expect(await DesktopNotifier.open(.address("unix:path=/nowhere/bus")) == nil)
        let bus = try await PrivateBus.start()
        defer { bus.stop() }
        #expect(await DesktopNotifier.open(.address(bus.address)) == nil)
    }

    @Test func `no notifier opens if the server does not answer`() async throws {
        let bus = try await PrivateBus.start()
        defer { bus.stop() }
        let server = try await DBusConnection.open(.address(bus.address))
        await server.export(UnansweringServer(), at: "/org/freedesktop/Notifications")
        try await server.requestName(FakeDesktop.name)
        #expect(await DesktopNotifier.open(.address(bus.address), limit: .milliseconds(50)) == nil)
        await server.close()
    }
}

/// Keeps every call and answers none.
private actor UnansweringServer: DBusObject {
    private var calls: [DBusMethodCall] = []
    func receive(_ call: DBusMethodCall) async { calls.append(call) }
}

/// A session's bus with a server on it.
private func withDesktop(
    _ capabilities: [String] = ["body", "body-markup"], _ body: (FakeDesktop, DesktopNotifier) async throws -> Void
) async throws {
    let bus = try await PrivateBus.start()
    defer { bus.stop() }
    let desktop = try await FakeDesktop.start(bus.address, capabilities: capabilities)
    let notifier = try #require(await DesktopNotifier.open(.address(bus.address), limit: .seconds(60)))
    try await body(desktop, notifier)
    await notifier.close()
    await desktop.stop()
}
