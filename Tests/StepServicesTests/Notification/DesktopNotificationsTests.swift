import StepDomain
import StepServices
import Synchronization
import TestSupport
import Testing

/// Notices on a desktop that the test controls.
@Suite(.timeLimit(.minutes(5))) struct DesktopNotificationsTests {
    private let history = InMemoryHistory()
    private let desktop = ScriptedDesktop()

    private func showAll(_ notifier: any Notifier) async {
        let notifications = DesktopNotifications(history, notifier: notifier, wording: PlainWording(), now: { noon })
        await notifications.show(history.standingNotices(), isHousehold: false)
    }

    private func keep(_ names: String...) {
        history.update(
            active: names.map { Notice(.destination($0), name: $0, since: noon, .destinationStopped(reason: "no")) },
            withdrawn: [], at: noon)
    }

    @Test func `each notice is shown once`() async {
        keep("a", "b")
        await showAll(desktop)
        await showAll(desktop)
        #expect(desktop.shown.map(\.summary) == ["a", "b"])
        #expect(desktop.isClosed)
    }

    @Test func `of more than three notices, three are shown separately and the others in one`() async {
        keep("a", "b", "c", "d", "e")
        await showAll(desktop)
        #expect(desktop.shown.map(\.summary) == ["a", "b", "c", "d + e"])
        #expect(desktop.shown.map(\.kind) == [.destinationStopped, .destinationStopped, .destinationStopped, nil])
    }

    @Test func `a notification that the desktop refused is shown the next time`() async {
        keep("a", "b")
        desktop.refuse(from: 2)
        await showAll(desktop)
        #expect(desktop.shown.map(\.summary) == ["a"])
        desktop.refuse(from: nil)
        await showAll(desktop)
        #expect(desktop.shown.map(\.summary) == ["a", "b"])
    }

    @Test func `without a desktop notices remain for the next run`() async {
        keep("a")
        await showAll(NoDesktop())
        #expect(history.standingNotices().map(\.isToBeNotified) == [true])
        await showAll(desktop)
        #expect(desktop.shown.count == 1)
    }

    @Test func `notices that were seen, or are being shown by another process, are not shown`() async {
        keep("a", "b")
        let standing = history.standingNotices()
        let other = DesktopNotifications(history, notifier: desktop, wording: PlainWording(), now: { noon })
        history.markSeen([standing[0].id], at: noon)
        _ = history.claim([standing[1].id], at: noon)
        // This process has read the notices before.
        await other.show(standing, isHousehold: false)
        #expect(desktop.shown.isEmpty)
    }
}

private let noon = Timestamp(1_779_278_400)

private struct PlainWording: NotificationWording {
    func notification(of notices: [Notice], isHousehold: Bool) -> UserNotification {
        UserNotification(
            summary: notices.map(\.name).joined(separator: " + "), kind: notices.count == 1 ? notices[0].kind : nil)
    }
}

private struct NoDesktop: Notifier {
    func connect() async -> (any NotifierSession)? { nil }
}

private final class ScriptedDesktop: Notifier, NotifierSession {
    struct Refused: Error {}

    private let state = Mutex<(shown: [UserNotification], refusesFrom: Int?, isClosed: Bool)>(([], nil, false))

    var shown: [UserNotification] { state.withLock(\.shown) }
    var isClosed: Bool { state.withLock(\.isClosed) }

    /// - Parameter number: of the first notification that is refused.
    func refuse(from number: Int?) { state.withLock { $0.refusesFrom = number } }

    func connect() async -> (any NotifierSession)? { self }

    func show(_ notification: UserNotification) async throws {
        try state.withLock { state in
            if let first = state.refusesFrom, state.shown.count + 1 >= first { throw Refused() }
            state.shown.append(notification)
        }
    }

    func close() async { state.withLock { $0.isClosed = true } }
}
