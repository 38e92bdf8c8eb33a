import Desktop
import Settings
import StepDomain
import StepViews

/// What the desktop of the session shows of notices, each of them once. Where there is no session, or nobody in it who shows them, they
/// stay for the next run that finds one, and for `istep status`.
///
/// Each is claimed before it is shown: a watch and a timer's sync may want to show the same. Whoever is killed in between leaves it
/// to `istep status`, as does a server that takes a notice and then does not answer: better one bubble too few than the same again and again.
struct Bubbles {
    let wiring: Wiring
    let store: any NoticeStore

    /// More at once is a nuisance: the rest goes into one.
    private static let most = 3

    func show(_ notices: [KeptNotice], words: (Notice) -> NoticeWords) async {
        let new = notices.filter(\.isToBeNotified)
        guard !new.isEmpty, wiring.settings.notifications.value, !Task.isCancelled, let bus = wiring.sessionBus,
            let desktop = await DesktopNotifier.open(bus)
        else { return }
        // Whatever fails: what the desktop has not taken is shown the next time.
        do {
            for kept in new.prefix(Self.most) {
                try await show([kept], on: desktop) { DesktopNotice($0[0].notice, words($0[0].notice)) }
            }
            try await show(Array(new.dropFirst(Self.most)), on: desktop) { rest in DesktopNotice(rest.map { words($0.notice).headline }) }
        } catch {}
        await desktop.close()
    }

    /// Shows those of them in one bubble that nobody else shows.
    private func show(_ notices: [KeptNotice], on desktop: DesktopNotifier, _ bubble: ([KeptNotice]) -> DesktopNotice) async throws {
        let claimed = try store.claim(notices.map(\.id), at: wiring.now())
        let ours = notices.filter { claimed.contains($0.id) }
        guard !ours.isEmpty else { return }
        do {
            try await desktop.show(bubble(ours))
        } catch {
            try store.giveBack(ours.map(\.id))
            throw error
        }
    }
}

extension DesktopNotice {
    fileprivate init(_ notice: Notice, _ words: NoticeWords) {
        let (category, icon) = Self.look(notice)
        self.init(
            summary: words.headline, body: words.detail, urgency: notice.isGood ? .low : .normal, category: category, icon: icon)
    }

    fileprivate init(_ headlines: [String]) {
        self.init(summary: "\(headlines.count) more: istep status", body: headlines.joined(separator: "\n"), icon: "dialog-information")
    }

    /// Categories by the Desktop Notifications Specification, icons by the Icon Naming Specification: every theme has these.
    private static func look(_ notice: Notice) -> (category: String, icon: String) {
        switch notice.kind {
        case .nightsFailed, .notSeen, .clockWasOff, .stepsLost: ("device.error", "dialog-warning")
        case .batteryLow: ("device", "battery-caution")
        case .shareRejected, .shareInDoubt, .destinationStopped, .shareWaiting: ("transfer.error", "dialog-warning")
        case .goalReached: ("x-istep.goal", "dialog-information")
        }
    }
}
