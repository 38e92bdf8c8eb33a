internal import StepDomain
public import StepServices
internal import Support

/// The errors of the use cases: what failed, and what to do about it with the commands of this program.
public enum ServiceErrorWords {
    public static func problem(_ error: ServiceError) -> String {
        switch error {
        case .severalUsers(let known): "There are several users (\(known.joined(separator: ", ")))."
        case .unknownUser(let name, let known): noUser(name, known) + "."
        case .similarUser(let name, let known): "There is no user '\(name)'. Is it '\(known)'?"
        case .unknownPedometer(let name, _): "There is no pedometer '\(name)'."
        case .pedometerOfAnother(let name, let owner, let user): "'\(name)' is a pedometer of \(owner), not of \(user)."
        case .noSuchDevice(let device): "'\(device)' is neither an address nor the name of a registered pedometer."
        case .unknownDestination(let name, _): "There is no destination '\(name)'."
        case .neverShared(let name): "Nothing was ever shared with '\(name)'."
        case .noDestination: "The configuration has no destination to share with."
        case .unclearRecipients(let name, let problem): "[share.\(name)] \(RecipientWords.problem(problem))."
        case .notInOutbox(let day, let name): "\(day) is not in the outbox of \(name)."
        case .alreadySent(let day, let name): "\(day) was already sent to \(name); it is not in the outbox."
        case .noPedometer(let use): "There is no pedometer to \(use.rawValue)."
        case .clockNotSet(let day): "This machine's clock shows \(day)."
        case .unknownZone(let name): "This machine does not know the time zone '\(name.prefix(64))'."
        case .alreadyRegistered(let address, let name, nil): "\(address) is registered already: it is '\(name)'."
        case .alreadyRegistered(let address, let name, let owner?):
            "\(address) is registered already: it is '\(name)' of \(owner)."
        case .nameTaken(let name): "A pedometer named '\(name)' exists already."
        case .nameIsAddress(let name): "'\(name)' is an address, and not a name."
        case .unknownKind(let key, let known):
            "There is no model '\(key)'; known models: \(known.joined(separator: ", "))."
        case .optionOfDescribedKind(let name): "'\(name)' is for a generic pedometer only."
        case .deviceNeeded: "A generic pedometer needs its address or name."
        case .notRecognised(let name): "\(name.prefix(64)) is not recognised as a pedometer."
        case .notDiscovered(let wanted, let isName, let seconds, let others):
            (isName
                ? "No device whose name begins with '\(wanted)' (in upper or lower case) was heard"
                : "\(wanted) was not heard")
                + " within \(brief(seconds)) s"
                + (others.isEmpty ? "." : "; names in range: \(others.joined(separator: ", ")).")
        case .advertisesOtherwise(let device, let kind):
            "\(device.prefix(64)) is in range, but does not advertise the data of a \(kind)."
        case .noNewPedometer(let seconds, 0, _):
            "No pedometer was heard within \(brief(seconds)) s, and no other Bluetooth device was heard."
        case .noNewPedometer(let seconds, let others, let unprobed):
            "No new pedometer was heard within \(brief(seconds)) s, only \(others) other \(others == 1 ? "device" : "devices")"
                + (unprobed > 0 ? "; \(unprobed) of them \(unprobed == 1 ? "was" : "were") not tried." : ".")
        case .severalInRange(let listed, let count):
            "\(count) pedometers are in range: \(listed.joined(separator: ", "))\(count > listed.count ? " and others" : "")."
        case .dayNotBegun(let day, _): "\(day) has not begun."
        case .rangeReversed(let first, let last): "The range ends before it begins: \(first) to \(last)."
        case .rangeEndsYesterday(let yesterday):
            "The range begins after its last day, which is yesterday (\(yesterday)) unless you give one."
        case .nothingKnown(let first, let last): "The history has no steps from \(first) to \(last)."
        case .unusableFirstDay(let day): "A plan or a profile cannot begin on \(day)."
        case .noPlanFrom(let day, _): "No plan begins \(Self.first(day))."
        case .noProfileFrom(let day, _): "No profile begins \(Self.first(day))."
        case .birthNotPast(let day): "The date of birth \(day) is not in the past."
        case .birthTooLongAgo(let day): "The date of birth \(day) is more than \(Profile.maximumLife) years ago."
        case .dayTooEarly(let day): "The steps of \(day) cannot be corrected."
        case .implausibleSteps(let steps): "\(steps) steps are not plausible for a day."
        case .unusableReason: "The reason is empty, is too long, or has characters that cannot be shown."
        case .notCorrected(let day, _): "\(day) has no correction."
        case .notExcluded(let day): "Nothing of this time is excluded on \(day)."
        case .skippedTime(let day): "This time does not exist on \(day): clocks are put forward over it."
        case .repeatedTime(let day):
            "The block ends before it begins on \(day). Of a time that clocks show twice, the first one is meant."
        case .unclearTime(let day):
            "The steps of \(day) have several UTC offsets, and these times do not tell which of them are meant."
        case .timeOfOtherDay(let day): "Steps that count on the day before or after \(day) were made at these times."
        case .blockTooLong(let day):
            "The block on \(day) is longer than \(Exclusion.longest / 3600) hours, the longest day."
        case .nothingToDelete(let first, let last): "Nothing is known of \(Words.days(first, last))."
        case .notDeleted(let first, let last):
            "\(Words.days(first, last)): no such day is left out by syncs and imports."
        case .severalSources(let name, let addresses):
            "Several pedometers or sources were named '\(name)': \(addresses.joined(separator: ", "))."
        case .lastUser(let name): "'\(name)' is the only user of this history."
        case .userExists(let name): "There is a user '\(name)' already."
        case .sameUser(let name): "'\(name)' is the user who has it."
        case .dayNotOver(let day): "\(day) is not over."
        case .backupIsHistory(let path): "'\(path)' is the history itself."
        case .notInspectable(let name): "\(name) is not of the kind postgres."
        case .notRestorable(let name): "\(name) does not keep what a history is built from."
        case .nothingHeld(let user, let name):
            "\(name) has no days\(user.map { " of \($0)" } ?? "") that this machine may read."
        case .severalMachines(let machines, let user):
            "Several machines have sent days of \(user): \(machines.joined(separator: ", "))."
        case .unknownMachine(let name, let known):
            "No machine '\(name)' has sent days of this user, only \(known.joined(separator: ", "))."
        case .historyInUse(let path): "There is a history with users already: \(path)."
        case .noServiceManager: "systemd is not running, and automatic sync needs it."
        }
    }

    public static func advice(_ error: ServiceError) -> String? {
        switch error {
        case .severalUsers: "Choose one with --user NAME."
        case .unknownUser:
            "To add a user: `istep users add NAME`"
        case .similarUser(let name, _): "For a new user of this name: `istep users add \(ShellCommand.quoted(name))`"
        case .unknownPedometer(_, let known): list(known) ?? Advice.addPedometer.markup
        case .pedometerOfAnother(_, let owner, _): "Leave --user out, or give --user \(ShellCommand.quoted(owner))."
        case .noSuchDevice:
            "An address looks like C0:DE:1F:71:00:01. 'istep scan --all' and 'istep devices' show addresses."
        case .unknownDestination(_, let known):
            list(known).map { "\($0) To see which configuration is read: `istep config`" }
                ?? "Set one up: `istep config kinds`"
        case .noDestination:
            "List the kinds of destinations: `istep config kinds`, then see how one is set up: `istep config example KIND`"
        case .neverShared: "List the destinations: `istep share --list`"
        case .unclearRecipients(_, let problem): RecipientWords.advice(problem).markup
        case .notInOutbox(_, let destination):
            "To list the outbox: `istep outbox list \(ShellCommand.quoted(destination))`"
        case .alreadySent(let day, let destination):
            "To send it once more: `istep share \(day) --with \(ShellCommand.quoted(destination)) --again`"
        case .noPedometer: Advice.addPedometer.markup
        case .unknownZone:
            "Correct the variable TZ, or install the package tzdata. Until then days are those of UTC, and no pedometer is read."
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
        case .notDiscovered(_, isName: true, _, others: let others) where !others.isEmpty:
            "It is out of range, asleep, connected to a phone, or has another name. To list every device: `istep scan --all`"
        case .notDiscovered: Advice.outOfRange.markup
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
        case .rangeReversed(let first, let last): "Swap the days: the first one is \(last), and the last one \(first)."
        case .rangeEndsYesterday: "To share today: `istep share today`"
        case .nothingKnown: "Read your pedometer first: `istep sync`"
        case .unusableFirstDay: "Give a day from \(Validity.firstDays.lowerBound) to \(Validity.firstDays.upperBound)."
        case .noPlanFrom(_, let known): entries(known, "istep plan")
        case .noProfileFrom(_, let known): entries(known, "istep profile")
        case .birthNotPast, .birthTooLongAgo: nil
        case .dayTooEarly: "Give a day from \(Validity.firstDays.lowerBound) to today."
        case .implausibleSteps: "A day has 0 to \(Words.grouped(StepCorrection.stepRange.upperBound)) steps."
        case .unusableReason: "Give 1 to \(StepCorrection.maximumReason) characters without control characters."
        case .notCorrected(let day, hasExclusions: true):
            "Excluded time is removed with its beginning and end; to see the command: `istep show \(day)`"
        case .notCorrected(let day, _), .notExcluded(let day): "See the day: `istep show \(day)`"
        case .skippedTime: "Give times that clocks showed on that day."
        case .repeatedTime: "Write the offset with both times, such as 02:15+01:00."
        case .unclearTime(let day):
            "Write the offset with both times, such as 22:00+07:00. To see the offsets: `istep show \(day) --explain --json`"
        case .timeOfOtherDay: "Exclude a shorter block, or the block of that day."
        case .blockTooLong: "Exclude it in two blocks."
        case .nothingToDelete: "List the days that are known: `istep history all`"
        case .notDeleted: "Only days that 'istep delete' has deleted are left out."
        case .severalSources(_, let addresses):
            Set(addresses).count < addresses.count
                ? "They are those of several users. Choose one with --user NAME."
                : "Give the address of the one that is meant."
        case .lastUser:
            "To begin a new history, move the file of this one away; its path is under History: `istep doctor`"
        case .userExists: "Choose another name. List the users: `istep users`"
        case .sameUser: "Name another user. List the users: `istep users`"
        case .dayNotOver: "Move it tomorrow, or only the days before."
        case .backupIsHistory: "Name a backup. To list them: `istep restore`"
        case .notInspectable(let name):
            "To check whether it answers: `istep share --list --check --with \(ShellCommand.quoted(name))`"
        case .notRestorable: "Name a destination of the kind postgres. To list the destinations: `istep share --list`"
        case .nothingHeld(nil, let name):
            "The owner of the database enrols this machine's role for the user. See what is missing: `istep postgres check \(ShellCommand.quoted(name)) --user NAME`"
        case .nothingHeld(let user?, let name):
            "Check the name, and `subjects` of the destination. The owner of the database enrols this machine's role for the user; see what is missing: `istep postgres check \(ShellCommand.quoted(name)) --user \(ShellCommand.quoted(user))`"
        case .severalMachines: "Choose one with --machine NAME."
        case .unknownMachine: "Choose one of those."
        case .historyInUse: "To restore beside it, name another file: `istep restore --from postgres:NAME --db FILE`"
        case .noServiceManager:
            "Without systemd, let another program, such as cron, sync every night: `istep sync --unattended`"
        }
    }

    /// Without a full stop.
    static func noUser(_ name: String, _ known: [String]) -> String {
        "There is no user '\(name)'; known users: \(known.isEmpty ? "none yet" : known.joined(separator: ", "))"
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

    /// The first day of a plan or a profile.
    private static func first(_ day: Day) -> String { day <= Validity.beginning ? "at the beginning" : "on \(day)" }
}
