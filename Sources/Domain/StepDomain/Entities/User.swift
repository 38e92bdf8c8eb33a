internal import Foundation

/// A person whose steps istep keeps: a household can have several on one machine.
public struct User: Hashable, Sendable, Codable, Identifiable {
    public typealias ID = Int64
    public let id: ID
    /// Unique in a history, compared without regard to case; 1 to 64 characters.
    public let name: String

    public init(id: ID, name: String) {
        self.id = id
        self.name = name
    }
}

public enum Sex: String, Sendable, Codable, CaseIterable {
    case female, male, unspecified
}

/// What istep knows of a user's body from a day on; earlier days keep the profile of their time.
public struct Profile: Hashable, Sendable, Codable {
    /// The first day that it holds for.
    public var validFrom: Day
    /// Metres, 0.5...2.5.
    public var height: Double?
    /// Kilograms, 10...400.
    public var weight: Double?
    public var sex: Sex
    public var birthDate: Day?
    /// Metres from one foot to the next while walking, if measured (a known distance divided by its steps), 0.2...1.5.
    public var stepLength: Double?

    public init(
        validFrom: Day, height: Double? = nil, weight: Double? = nil, sex: Sex = .unspecified, birthDate: Day? = nil,
        stepLength: Double? = nil
    ) {
        self.validFrom = validFrom
        self.height = height
        self.weight = weight
        self.sex = sex
        self.birthDate = birthDate
        self.stepLength = stepLength
    }
}

extension Profile {
    public static let heights = 0.5...2.5
    public static let weights = 10.0...400.0
    public static let stepLengths = 0.2...1.5
}

/// The goal of each weekday from a day on; earlier days keep the plan of their time, so an old percentage never changes.
public struct SportPlan: Hashable, Sendable, Codable {
    public var validFrom: Day
    /// Steps, Monday first, seven of them; 0 is a rest day, which has no percentage.
    public private(set) var goals: [Int]

    /// Goals a user can set, in steps.
    public static let goalRange = 0...200_000

    /// - Parameter goals: Monday first; missing ones are rest days, more than seven are left out.
    public init(validFrom: Day, goals: [Int]) {
        self.validFrom = validFrom
        self.goals = (0..<7).map { $0 < goals.count ? goals[$0] : 0 }
    }

    public init(validFrom: Day, everyDay goal: Int) {
        self.init(validFrom: validFrom, goals: Array(repeating: goal, count: 7))
    }

    /// Steps; 0 is a rest day.
    public subscript(weekday: Weekday) -> Int {
        get { goals[weekday.rawValue - 1] }
        set { goals[weekday.rawValue - 1] = newValue }
    }
}

/// Names of users for machines: identifiers of a...z, 0...9 and single underscores between them, such as `anna_maria` for "Anna Maria".
///
/// Of users whose names differ only in characters that are lost, the first in the history (the smallest id) has the plain name; the others
/// get a number after it that depends only on their name.
public struct UserSlugs: Hashable, Sendable {
    private let slugs: [User.ID: String]

    /// - Parameter users: all of the history.
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

    /// For a user who is not among them: the name with a number.
    public subscript(user: User) -> String { slugs[user.id] ?? Self.distinct(Self.plain(user.name), user.name) }

    /// Bytes. Identifiers of web services end at 255, and contain more than the slug.
    private static let longest = 64

    private static let replacements: [Character: String] = ["ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "þ": "th", "ð": "d"]

    private static func plain(_ name: String) -> String {
        let lowered = String(name.lowercased().flatMap { replacements[$0] ?? String($0) })
        let folded = lowered.folding(options: [.diacriticInsensitive, .caseInsensitive], locale: nil)
        let words = folded.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        return String(words.joined(separator: "_").lowercased().prefix(longest)).trimmingCharacters(in: ["_"])
    }

    private static func distinct(_ plain: String, _ name: String) -> String {
        // FNV-1a of 32 bits (draft-eastlake-fnv).
        let hash = name.lowercased().utf8.reduce(UInt32(0x811c_9dc5)) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
        return (plain.isEmpty ? "" : plain + "_") + String(hash, radix: 16)
    }
}
