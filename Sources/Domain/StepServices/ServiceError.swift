public import StepDomain

/// Why a use case cannot do what was requested, where no resource has failed.
///
/// Its words are in `ServiceErrorWords`.
public enum ServiceError: CategorizedError, Hashable {
    /// There are several users, and none was named.
    case severalUsers(known: [String])
    case unknownUser(String, known: [String])
    /// The history does not have this user, but one with a similar name.
    case similarUser(String, known: String)
    case unknownPedometer(String, known: [String])
    /// The pedometer of this name is `owner`'s, and a pedometer of `user` was asked for.
    case pedometerOfAnother(String, owner: String, user: String)
    /// It is neither an address nor the name of a registered pedometer.
    case noSuchDevice(String)
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
    case notDiscovered(String, isName: Bool, seconds: Double, others: [String] = [])
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
    case notCorrected(Day, hasExclusions: Bool = false)
    /// No time of the block is excluded.
    case notExcluded(Day)
    /// A block of time that clocks skipped when they were put forward.
    case skippedTime(Day)
    /// The end of a block is not after its beginning: of times that clocks show twice, or with offsets.
    case repeatedTime(Day)
    /// The steps of the day have several UTC offsets, and no block has just those of its times.
    case unclearTime(Day)
    /// Steps of the day before or after were made within a block of a day.
    case timeOfOtherDay(Day)
    /// A block of more than `Exclusion.longest` seconds.
    case blockTooLong(Day)

    // Deleting, moving, users
    /// Nothing is known of any of the days, so that there is nothing to delete or to move.
    case nothingToDelete(Day, Day)
    /// None of the days is closed to syncs and imports.
    case notDeleted(Day, Day)
    /// Several pedometers or sources that are out of use have this name: their addresses.
    case severalSources(String, addresses: [String])
    /// The only user of the history cannot be deleted.
    case lastUser(String)
    case userExists(String)
    /// Days or a pedometer are to be moved to the user who has them.
    case sameUser(String)
    /// A day that is not over cannot be moved.
    case dayNotOver(Day)

    /// The file to restore from is the history that it would replace.
    case backupIsHistory(String)
    /// The destination does not keep what a history is built from.
    case notRestorable(String)
    /// The destination is none that is compared with what is expected.
    case notInspectable(String)
    /// A destination has no days of a user that this machine may read; nil for any user.
    case nothingHeld(String?, destination: String)
    /// Several machines have sent days of a user to a destination.
    case severalMachines([String], user: String)
    case unknownMachine(String, known: [String])
    /// There is a history with users, at this path.
    case historyInUse(String)
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
        case .severalUsers, .unknownUser, .similarUser, .unknownPedometer, .pedometerOfAnother, .noSuchDevice,
            .noPedometer, .unknownDestination, .neverShared, .notInOutbox, .alreadySent:
            .usage
        case .alreadyRegistered, .nameTaken, .nameIsAddress, .unknownKind, .optionOfDescribedKind, .deviceNeeded,
            .notRecognised,
            .advertisesOtherwise, .severalInRange, .backupIsHistory, .notRestorable, .notInspectable,
            .severalMachines, .unknownMachine,
            .historyInUse:
            .usage
        case .dayNotBegun, .rangeReversed, .rangeEndsYesterday, .nothingKnown: .usage
        case .nothingToDelete, .notDeleted, .severalSources, .lastUser, .userExists, .sameUser, .dayNotOver: .usage
        case .unusableFirstDay, .noPlanFrom, .noProfileFrom, .birthNotPast, .birthTooLongAgo, .dayTooEarly,
            .implausibleSteps, .unusableReason,
            .notCorrected, .notExcluded, .skippedTime, .repeatedTime, .unclearTime, .timeOfOtherDay,
            .blockTooLong:
            .usage
        case .noDestination, .unclearRecipients, .unknownZone: .configuration
        case .clockNotSet, .notDiscovered, .noNewPedometer: .temporary
        case .noServiceManager, .nothingHeld: .unavailable
        }
    }
}
