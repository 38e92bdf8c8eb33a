import Desktop
import Settings
import StepDomain
import StepViews

/// What the desktop of the session shows of notices, each of them once. Where there is no session, or nobody in it who shows them, they
/// stay for the next run that finds one, and for `istep status`.
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
                try await desktop.show(DesktopNotice(kept.notice, words(kept.notice)))
                try store.markNotified([kept.id], at: wiring.now())
            }
            let rest = new.dropFirst(Self.most)
            if !rest.isEmpty {
                try await desktop.show(DesktopNotice(rest.map { words($0.notice).headline }))
                try store.markNotified(rest.map(\.id), at: wiring.now())
            }
        } catch {}
        await desktop.close()
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
