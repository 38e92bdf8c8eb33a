internal import StepDomain
public import StepServices

/// What to do about the errors of the use cases: their commands are those of this program.
public enum ServiceErrorWords {
    public static func advice(_ error: ServiceError) -> String? {
        switch error {
        case .severalUsers: "Choose one with --user NAME."
        case .unknownUser: "For a new user, add a pedometer first: `istep add --user NAME`"
        case .unknownPedometer(_, let known): list(known) ?? Advice.addPedometer.markup
        case .pedometerOfAnother(_, let owner, _): "Leave --user out, or give --user \(ShellCommand.quoted(owner))."
        case .unknownDestination(_, let known): list(known) ?? "Set one up: `istep config kinds`"
        case .noDestination:
            "List the kinds of destinations: `istep config kinds`, then see how one is set up: `istep config example KIND`"
        case .neverShared: "List the destinations: `istep share --list`"
        case .unclearRecipients(_, let problem): Advice.recipients(problem).markup
        case .notInOutbox(_, let destination):
            "To list the outbox: `istep outbox list \(ShellCommand.quoted(destination))`"
        case .alreadySent(let day, let destination):
            "To send it once more: `istep share \(day) --with \(ShellCommand.quoted(destination)) --again`"
        case .noPedometer: Advice.addPedometer.markup
        case .unknownZone:
            "Correct the variable TZ, or install the package tzdata. Until then nothing is read: days would be those of UTC."
        case .clockNotSet: "Wait until it is set (`timedatectl` shows it), then sync again."
        // By its address: a device's name can contain backticks.
        case .alreadyRegistered(let address, _, _?):
            "To pass it on, forget it, and then add it again; the steps that were read before stay with their user: `istep forget \(address)`"
        case .alreadyRegistered(let address, _, nil):
            "To change its name: `istep devices \(address) --rename NAME`. To change its model, forget it and add it again; its steps stay: `istep forget \(address)`"
        case .nameTaken, .nameIsAddress: "Choose another name."
        case .unknownKind: "Choose one of those, or describe the pedometer with --model generic."
        case .optionOfDescribedKind: "Leave it out, or describe the pedometer with --model generic."
        case .deviceNeeded: "List the devices in range with: `istep scan --all`"
        case .notRecognised:
            "If it shows its steps in a characteristic, describe it with --model generic; see: `istep add --help`"
        case .notHeard(_, isName: true, _, others: let others) where !others.isEmpty:
            "It is out of range, asleep, connected to a phone, or has another name. To list every device: `istep scan --all`"
        case .notHeard:
            "It is out of range, asleep, or connected to a phone: bring it close, wake it, or disconnect it from the phone."
        case .advertisesOtherwise:
            "If it is one, switch on 'Discoverable' for it in its app, bring it close, and try again. Otherwise leave --model out."
        case .noNewPedometer(_, others: 0, _):
            "Bring it close, wake it, or disconnect it from the phone. If other devices are near, the adapter may not receive: `istep doctor`"
        case .noNewPedometer(_, _, unprobed: 1...):
            "istep tries the devices with the strongest signal: bring the pedometer close. Or find its address: `istep scan --all`, then add it: `istep add ADDRESS`"
        case .noNewPedometer:
            "Bring it close, wake it, or disconnect it from the phone. It may also be one of the others: `istep scan --all`"
        case .severalInRange: "Choose one: `istep add ADDRESS`"
        case .dayNotBegun(_, let today): "Give a past day or today, which is \(today)."
        case .rangeReversed(let first, let last): "Swap the days: --from \(last) --to \(first)"
        case .rangeEndsYesterday: "To share today: `istep share today`"
        case .nothingKnown: "Read your pedometer first: `istep sync`"
        case .unusableFirstDay: "Give a day from \(Validity.firstDays.lowerBound) to \(Validity.firstDays.upperBound)."
        case .noPlanFrom(_, let known): entries(known, "istep plan")
        case .noProfileFrom(_, let known): entries(known, "istep profile")
        case .birthNotPast, .birthTooLongAgo: nil
        case .dayTooEarly: "Give a day from \(Validity.firstDays.lowerBound) to today."
        case .implausibleSteps: "A day has 0 to \(Words.grouped(StepCorrection.stepRange.upperBound)) steps."
        case .unusableReason: "Give 1 to \(StepCorrection.longestReason) characters without control characters."
        case .notCorrected(let day), .notExcluded(let day): "See the day: `istep show \(day)`"
        case .skippedTime: "Give times that clocks here show on that day."
        case .repeatedTime: "Write the offset with both times, such as 02:15+01:00."
        case .backupIsHistory: "Name a backup. To list them: `istep restore`"
        case .noServiceManager:
            "Without systemd, let another program, such as cron, sync every night: `istep sync --unattended`"
        }
    }

    /// The days on which plans or profiles begin, as `--remove` takes them.
    private static func entries(_ known: [Day], _ command: String) -> String {
        let days = known.map { $0 <= Validity.beginning ? "beginning" : "\($0)" }
        return days.isEmpty
            ? "There is none: `\(command)`" : "Those that can be removed: \(days.joined(separator: ", "))."
    }

    private static func list(_ known: [String]) -> String? {
        known.isEmpty ? nil : "Known names: \(known.joined(separator: ", "))."
    }
}
