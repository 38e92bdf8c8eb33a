/// How many streams need which rule of the bus, and how often the bus was told.
///
/// The bus counts too: a rule added twice has to be removed twice. Two streams that ask for the same rule at the same time both add
/// it, because neither may return before its own is acknowledged.
struct MatchCounts {
    private struct Entry {
        var users = 0
        var sent = 0
        var isAcknowledged = false
    }

    private var entries: [String: Entry] = [:]

    /// - Returns: whether the rule has to be added, which `didRefuse` or `didAcknowledge` is told the end of.
    mutating func use(_ rule: String) -> Bool {
        var entry = entries[rule, default: Entry()]
        entry.users += 1
        if !entry.isAcknowledged { entry.sent += 1 }
        entries[rule] = entry
        return !entry.isAcknowledged
    }

    mutating func didAcknowledge(_ rule: String) {
        entries[rule]?.isAcknowledged = true
    }

    /// The bus answered with an error: there is nothing to be removed. (After a time-out there may be, so that is not told.)
    mutating func didRefuse(_ rule: String) {
        entries[rule]?.sent -= 1
    }

    /// - Returns: how often the rule has to be removed now.
    mutating func release(_ rule: String) -> Int {
        guard var entry = entries[rule] else { return 0 }
        entry.users -= 1
        guard entry.users <= 0 else {
            entries[rule] = entry
            return 0
        }
        entries[rule] = nil
        return entry.sent
    }
}
