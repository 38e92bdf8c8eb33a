internal import Foundation
internal import MQTT
internal import Settings
internal import StepDomain

/// A topic of MQTT with placeholders in braces that are filled for each day, such as `istep/{user}/{date}`.
struct TopicTemplate: Hashable, Sendable {
    let text: String

    /// The topic of a day. A user's name fills one level: nothing of it can add one, or be a wildcard. That of a
    /// destination has no such characters.
    func topic(_ day: SharedDay, destination: String) -> String {
        var values = AddressTemplate.values(day, destination: destination)
        values["user"] = Self.level(of: day.user.name)
        return filled(values)
    }

    var hasUser: Bool { text.contains("{user}") }

    /// A name of a…z, 0…9 and _, with a number after it if the name itself has other characters. It depends on no other
    /// name, so that topics never change.
    static func level(of name: String) -> String {
        let folded = name.folding(options: [.diacriticInsensitive, .caseInsensitive], locale: nil)
        let words = folded.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        let slug = words.joined(separator: "_").lowercased()
        if slug == name.lowercased(), !slug.isEmpty { return slug }
        return UserSlugs.distinct(slug, name)
    }

    private func filled(_ values: [String: String]) -> String {
        text.replacing(/\{([^{}]*)\}/) { values[String($0.1)] ?? String($0.0) }
    }

    /// Whether it is a topic of its own for each day.
    fileprivate var isValid: Bool {
        let topic = filled(Dictionary(uniqueKeysWithValues: AddressTemplate.names.map { ($0, "x") }))
        return AddressTemplate.hasDate(text) && !topic.contains { "{}".contains($0) } && isTopicLevels(topic)
    }
}

private func isTopicLevels(_ text: String) -> Bool {
    !text.hasPrefix("/") && !text.hasSuffix("/") && (try? MQTTMessage(topic: text, payload: [])) != nil
}

extension TableReader {
    /// Levels of a topic, to which others are appended.
    mutating func topicLevels(_ key: String) -> String? {
        value(key, "levels of a topic, such as home/istep") { isTopicLevels($0) ? $0 : nil }
    }

    /// The topic of a day.
    mutating func topicTemplate(_ key: String) -> TopicTemplate? {
        let expected =
            "a topic for each day, such as istep/{user}/{date}: with {date}, or {year}, {month} and {day}; "
            + "without + and #, and no / at its ends"
        return value(key, expected) { TopicTemplate(text: $0).isValid ? TopicTemplate(text: $0) : nil }
    }
}
