public import StepDomain

/// Why a use case cannot do what was requested, where no resource has failed.
///
/// The view provides the advice, with its commands.
public enum ServiceError: ReportableError, Hashable {
    /// There are several users, and none was named.
    case severalUsers(known: [String])
    case unknownUser(String, known: [String])
    case unknownPedometer(String, known: [String])
    /// The pedometer of this name is `owner`'s, and a pedometer of `user` was asked for.
    case pedometerOfAnother(String, owner: String, user: String)
    case unknownDestination(String, known: [String])
    /// Nothing was ever shared with a destination of this name, and none is configured.
    case neverShared(String)
    /// The configuration names no destination.
    case noDestination
    /// The `users` of a destination are not users of the history, or there are several where it can hold the days of
    /// only one.
    case unclearRecipients(destination: String, RecipientProblem)
    case notInOutbox(Day, destination: String)
    case alreadySent(Day, destination: String)
    /// There is no pedometer that could be used.
    case noPedometer(to: PedometerUse)
    /// The machine's clock shows a day before istep existed.
    case clockNotSet(Day)
    /// `TZ` names a zone that the machine does not have: pedometers would be set to UTC, and their days counted by it.
    case unknownZone(String)

    // Registering a pedometer
    /// `owner`: the user whose pedometer it is, if it was to be another user's.
    case alreadyRegistered(address: String, name: String, owner: String? = nil)
    /// Another pedometer has this name.
    case nameTaken(String)
    /// A name in the form of an address would be mistaken for that of another pedometer.
    case nameIsAddress(String)
    case unknownKind(String, known: [String])
    /// An option that describes a pedometer, for one of another kind.
    case optionOfDescribedKind(String)
    /// A pedometer that is never recognised must be named by its address or name.
    case deviceNeeded
    /// The device of this name is in range, and of no known kind.
    case notRecognised(String)
    /// The device with this address, or with a name that begins like this, was not heard within `seconds`. `others`:
    /// names of devices in range.
    case notHeard(String, isName: Bool, seconds: Double, others: [String] = [])
    /// It is in range, but does not advertise the data of the requested kind, which is given by its title.
    case advertisesOtherwise(String, kind: String)
    /// No new pedometer was heard within `seconds`, only `others`: devices that are registered, of another kind, or not
    /// recognised. `unprobed`: with `--probe`, the number of unknown devices that were not connected to because there
    /// were too many.
    case noNewPedometer(seconds: Double, others: Int, unprobed: Int = 0)
    /// More than one new pedometer is in range: the first of them, and how many there are.
    case severalInRange([String], count: Int)

    // Days
    case dayNotBegun(Day, today: Day)
    /// A range of days that ends before it begins.
    case rangeReversed(Day, Day)
    /// A range without a last day ends yesterday, and begins today.
    case rangeEndsYesterday(Day)
    /// Nothing is known of any day of a range.
    case nothingKnown(Day, Day)
    /// A plan or a profile cannot begin on this day.
    case unusableFirstDay(Day)
    /// No plan of the user begins on this day, only on the days `known`.
    case noPlanFrom(Day, known: [Day])
    case noProfileFrom(Day, known: [Day])
    case birthNotPast(Day)
    /// Before the date of birth of any living person.
    case birthTooLongAgo(Day)
    /// The steps of a day before 1970 cannot be corrected.
    case dayTooEarly(Day)
    case implausibleSteps(Int)
    /// It is empty, too long, or has characters that cannot be shown.
    case unusableReason
    case notCorrected(Day)
    /// No time of the block is excluded.
    case notExcluded(Day)
    /// A block of time that clocks skipped when they were put forward.
    case skippedTime(Day)
    /// The end of a block is not after its beginning: of times that clocks show twice, or with offsets.
    case repeatedTime(Day)

    /// The file to restore from is the history that it would replace.
    case backupIsHistory(String)
    /// The machine was not started by systemd, which runs automatic syncs.
    case noServiceManager

    public enum PedometerUse: String, Hashable, Sendable { case sync, watch }

    /// Checks that a day has begun: only past days and today have figures.
    ///
    /// - Throws: `dayNotBegun`.
    public static func checkBegun(_ day: Day, today: Day) throws(ServiceError) {
        guard day <= today else { throw .dayNotBegun(day, today: today) }
    }

    public var category: FailureCategory {
        switch self {
        case .severalUsers, .unknownUser, .unknownPedometer, .pedometerOfAnother, .noPedometer, .unknownDestination,
            .neverShared, .notInOutbox,
            .alreadySent:
            .usage
        case .alreadyRegistered, .nameTaken, .nameIsAddress, .unknownKind, .optionOfDescribedKind, .deviceNeeded,
            .notRecognised,
            .advertisesOtherwise, .severalInRange, .backupIsHistory:
            .usage
        case .dayNotBegun, .rangeReversed, .rangeEndsYesterday, .nothingKnown: .usage
        case .unusableFirstDay, .noPlanFrom, .noProfileFrom, .birthNotPast, .birthTooLongAgo, .dayTooEarly,
            .implausibleSteps, .unusableReason,
            .notCorrected, .notExcluded, .skippedTime, .repeatedTime:
            .usage
        case .noDestination, .unclearRecipients, .unknownZone: .configuration
        case .clockNotSet, .notHeard, .noNewPedometer: .temporary
        case .noServiceManager: .unavailable
        }
    }

    public var description: String {
        switch self {
        case .severalUsers(let known): "There are several users (\(known.joined(separator: ", ")))."
        case .unknownUser(let name, let known):
            "There is no user '\(name)'; known users: \(known.isEmpty ? "none yet" : known.joined(separator: ", "))."
        case .unknownPedometer(let name, _): "There is no pedometer '\(name)'."
        case .pedometerOfAnother(let name, let owner, let user): "'\(name)' is a pedometer of \(owner), not of \(user)."
        case .unknownDestination(let name, _): "There is no destination '\(name)'."
        case .neverShared(let name): "Nothing was ever shared with '\(name)'."
        case .noDestination: "The configuration has no destination to share with."
        case .unclearRecipients(let name, let problem): "[share.\(name)] \(problem)."
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
        case .notHeard(let wanted, let isName, let seconds, let others):
            (isName
                ? "No device whose name begins with '\(wanted)' (in upper or lower case) was heard"
                : "\(wanted) was not heard")
                + " within \(Self.text(seconds)) s"
                + (others.isEmpty ? "." : "; names in range: \(others.joined(separator: ", ")).")
        case .advertisesOtherwise(let device, let kind):
            "\(device.prefix(64)) is in range, but does not advertise the data of a \(kind)."
        case .noNewPedometer(let seconds, 0, _):
            "No pedometer was heard within \(Self.text(seconds)) s, and no other Bluetooth device was heard."
        case .noNewPedometer(let seconds, let others, let unprobed):
            "No new pedometer was heard within \(Self.text(seconds)) s, only \(others) other \(others == 1 ? "device" : "devices")"
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
        case .birthTooLongAgo(let day): "The date of birth \(day) is more than \(Profile.longestLife) years ago."
        case .dayTooEarly(let day): "The steps of \(day) cannot be corrected."
        case .implausibleSteps(let steps): "\(steps) steps are not plausible for a day."
        case .unusableReason: "The reason is empty, is too long, or has characters that cannot be shown."
        case .notCorrected(let day): "\(day) has no correction."
        case .notExcluded(let day): "Nothing of this time is excluded on \(day)."
        case .skippedTime(let day): "This time does not exist on \(day): clocks are put forward over it."
        case .repeatedTime(let day):
            "The block ends before it begins on \(day). Of a time that clocks show twice, the first one is meant."
        case .backupIsHistory(let path): "'\(path)' is the history itself."
        case .noServiceManager: "systemd is not running, and automatic sync needs it."
        }
    }

    /// The first day of a plan or a profile.
    private static func first(_ day: Day) -> String { day <= Validity.beginning ? "at the beginning" : "on \(day)" }

    private static func text(_ seconds: Double) -> String {
        seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)"
    }
}
