public import StepDomain
internal import Support

/// The words of notifications: what a view must do for them.
public protocol NotificationWording: Sendable {
    /// - Parameters:
    ///   - notices: more than one if they are combined into one notification.
    ///   - isHousehold: whether the history has several users, who must be distinguished.
    func notification(of notices: [Notice], isHousehold: Bool) -> UserNotification
}

/// Shows notices on the desktop, each of them once. If there is no desktop at this moment, or none that shows them,
/// they remain for the next run that finds one, and for the status.
///
/// Each notice is claimed before it is shown: a watch and a nightly sync may want to show the same one. If the process
/// is killed in between, or if a desktop accepts a notice and then does not answer, only the status shows it: a missing
/// notification is better than a repeated one.
public struct DesktopNotifications: Sendable {
    private let store: any NoticeStore
    private let notifier: any Notifier
    private let wording: any NotificationWording
    private let now: @Sendable () -> Timestamp

    /// More notifications at once are a nuisance: the other notices are combined into one.
    static let maximumAtOnce = 3

    public init(
        _ store: any NoticeStore, notifier: any Notifier, wording: any NotificationWording,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.store = store
        self.notifier = notifier
        self.wording = wording
        self.now = now
    }

    /// Failures are ignored: a notice that the desktop has not accepted is shown the next time.
    public func show(_ notices: [StoredNotice], isHousehold: Bool) async {
        let new = notices.filter(\.isToBeNotified)
        guard !new.isEmpty, !Task.isCancelled, let session = await notifier.connect() else { return }
        do {
            for notice in new.prefix(Self.maximumAtOnce) { try await show([notice], isHousehold, session) }
            try await show(Array(new.dropFirst(Self.maximumAtOnce)), isHousehold, session)
        } catch {}
        await session.close()
    }

    /// Shows in one notification those notices that no other process shows.
    private func show(_ notices: [StoredNotice], _ isHousehold: Bool, _ session: any NotifierSession) async throws {
        if notices.isEmpty { return }
        let claimed = try await blocking { [store, now] in try store.claim(notices.map(\.id), at: now()) }
        let ours = notices.filter { claimed.contains($0.id) }
        guard !ours.isEmpty else { return }
        do {
            try await session.show(wording.notification(of: ours.map(\.notice), isHousehold: isHousehold))
        } catch {
            try await blocking { [store] in try store.release(ours.map(\.id)) }
            throw error
        }
    }
}
