/// Which signals to receive. A nil condition matches everything.
public struct MatchRule: Sendable, Hashable {
    /// A bus name. A well-known one means its owner at the time.
    public var sender: String?
    /// The object that signals.
    public var path: ObjectPath?
    /// The object with this path and all below it; not together with `path`.
    public var pathNamespace: ObjectPath?
    /// The interface that the signal belongs to.
    public var interface: String?
    /// The name of the signal.
    public var member: String?
    /// The first argument, which must be a string.
    public var arg0: String?

    /// A rule with the given conditions, all of which must hold; none at all means every signal on the bus.
    public init(
        sender: String? = nil, path: ObjectPath? = nil, pathNamespace: ObjectPath? = nil, interface: String? = nil,
        member: String? = nil, arg0: String? = nil
    ) {
        self.sender = sender
        self.path = path
        self.pathNamespace = pathNamespace
        self.interface = interface
        self.member = member
        self.arg0 = arg0
    }
}

extension MatchRule {
    /// The rule in the syntax of the bus.
    /// - Throws: `DBusError.invalidMessage`.
    func text() throws(DBusError) -> String {
        guard path == nil || pathNamespace == nil else {
            throw .invalidMessage("a match rule with both a path and a path namespace")
        }
        if let sender { try Names.requireBusName(sender) }
        if let interface { try Names.requireInterface(interface) }
        if let member { try Names.requireMember(member) }
        if let arg0 { try Names.requireNoNUL(arg0) }
        let conditions = [
            ("type", "signal"), ("sender", sender), ("path", path?.string), ("path_namespace", pathNamespace?.string),
            ("interface", interface), ("member", member), ("arg0", arg0),
        ]
        return conditions.compactMap { key, value in value.map { key + "=" + Self.quoted($0) } }.joined(separator: ",")
    }

    /// Between `'`s only `'` is special; it is written escaped outside of them.
    private static func quoted(_ value: String) -> String {
        "'" + value.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
    }

    /// Whether the rule, apart from `arg0`, fits a signal.
    /// - Parameter owner: returns the owner of the well-known name that the rule contains.
    func matches(_ header: SignalHeader, owner: (String) -> String?) -> Bool {
        if let member, member != header.member { return false }
        if let interface, interface != header.interface { return false }
        if let path, path != header.path { return false }
        if let pathNamespace, header.path?.isInside(pathNamespace) != true { return false }
        if let sender, sender != header.sender {
            guard let followed = followedName, let name = owner(followed), name == header.sender else { return false }
        }
        return true
    }

    func matches(arguments: [DBusValue]) -> Bool {
        guard let arg0 else { return true }
        guard case .string(arg0)? = arguments.first else { return false }
        return true
    }

    /// The well-known name whose owner must be known, because the bus puts the unique name on the signals that it
    /// delivers. The bus itself has only one name.
    var followedName: String? {
        guard let sender, !Names.isUnique(sender), sender != BusDriver.name else { return nil }
        return sender
    }
}

/// The header of a signal, before the signal is decoded.
struct SignalHeader {
    let sender: String?
    let path: ObjectPath?
    let interface: String?
    let member: String?
}

/// How many streams use each rule of the bus, and how often the rule was added to the bus.
///
/// The bus counts too: a rule that was added twice has to be removed twice. Two streams that request the same rule at
/// the same time both add it, because neither may return before its own call is acknowledged.
struct MatchCounts {
    private struct Entry {
        var users = 0
        var sent = 0
        var isAcknowledged = false
    }

    private var entries: [String: Entry] = [:]

    /// - Returns: whether the rule has to be added. The caller then reports the result to `didRefuse` or
    ///   `didAcknowledge`.
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

    /// The bus answered with an error: there is nothing to remove. (After a timeout there may be, so a timeout is not
    /// reported here.)
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
