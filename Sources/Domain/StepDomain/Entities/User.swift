internal import Foundation

/// A person whose steps istep keeps: a household can have several on one machine.
public struct User: Hashable, Sendable, Codable, Identifiable {
    public typealias ID = Int64
    public let id: ID
    /// Unique in a history, compared without regard to case. Valid by `NameRule`: 1 to 64 characters.
    public let name: String

    public init(id: ID, name: String) {
        self.id = id
        self.name = name
    }

    /// A user whom the history does not have yet, and of whom it knows nothing.
    public static func new(_ name: String) -> User { User(id: 0, name: name) }

    /// Whether the history does not have the user yet.
    public var isNew: Bool { id == 0 }
}

extension [User] {
    /// The user of a name, without regard to case.
    public func named(_ name: String) -> User? { first { $0.name.lowercased() == name.lowercased() } }
}

/// Machine-readable names of users: identifiers of a...z, 0...9 and single underscores between them, such as
/// `anna_maria` for "Anna Maria".
///
/// If the names of several users differ only in characters that are lost, the first user in the history (with the
/// smallest id) has the plain name. Each of the others gets a number after it that depends only on the user's name.
public struct UserSlugs: Hashable, Sendable {
    private let slugs: [User.ID: String]

    /// - Parameter users: all users of the history.
    public init(_ users: [User]) {
        var slugs: [User.ID: String] = [:]
        var taken: Set<String> = []
        for user in users.sorted(by: { $0.id < $1.id }) {
            let plain = Self.plain(user.name)
            var slug = plain.isEmpty ? Self.distinct(plain, user.name) : plain
            while !taken.insert(slug).inserted { slug = Self.distinct(plain, user.name + slug) }
            slugs[user.id] = slug
        }
        self.slugs = slugs
    }

    /// The slug of a user. A user who is not in the list gets the name with a number.
    public subscript(user: User) -> String { slugs[user.id] ?? Self.distinct(Self.plain(user.name), user.name) }

    /// Bytes. Web services limit identifiers to 255, and an identifier contains more than the slug.
    private static let longest = 64

    private static let replacements: [Character: String] = [
        "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "þ": "th", "ð": "d",
    ]

    private static func plain(_ name: String) -> String {
        let lowered = String(name.lowercased().flatMap { replacements[$0] ?? String($0) })
        let folded = lowered.folding(options: [.diacriticInsensitive, .caseInsensitive], locale: nil)
        let words = folded.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        return String(words.joined(separator: "_").lowercased().prefix(longest)).trimmingCharacters(in: ["_"])
    }

    /// The identifier with a number that depends only on the name, without regard to case.
    package static func distinct(_ plain: String, _ name: String) -> String {
        // FNV-1a of 32 bits (draft-eastlake-fnv).
        let hash = name.lowercased().utf8.reduce(UInt32(0x811c_9dc5)) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
        return (plain.isEmpty ? "" : plain + "_") + String(hash, radix: 16)
    }
}
