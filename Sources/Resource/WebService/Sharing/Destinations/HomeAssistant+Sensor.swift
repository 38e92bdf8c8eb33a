internal import Foundation
internal import StepDomain

/// A day as the state of a sensor in Home Assistant, whichever way it goes there.
///
/// Source: https://developers.home-assistant.io/docs/core/entity/sensor (`total_increasing`: a total that starts anew, here
/// every midnight; statistics are kept of it).
struct HomeAssistantSensor: Encodable, Sendable {
    /// Such as `sensor.istep_anna`.
    let entity: String
    let day: SharedDay

    /// - Parameter entity: with `{user}` where the user's name goes.
    init(_ day: SharedDay, entity: String) {
        self.day = day
        self.entity = entity.replacing("{user}", with: Self.slug(day.user.name))
    }

    var state: String { "\(day.steps)" }
    /// The entity without its domain: `istep_anna`.
    var object: String { String(entity.dropFirst("sensor.".count)) }
    var attributes: Attributes { Attributes(day: day) }

    /// A name as part of an entity's: a…z, 0…9 and _. Where letters are lost by that, a number keeps names apart that would
    /// be the same.
    static func slug(_ name: String) -> String {
        let folded = name.folding(options: [.diacriticInsensitive, .caseInsensitive], locale: nil)
        let words = folded.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        let slug = words.joined(separator: "_").lowercased()
        if slug == name.lowercased(), !slug.isEmpty { return slug }
        // FNV-1a of 32 bits (draft-eastlake-fnv).
        let hash = name.lowercased().utf8.reduce(UInt32(0x811c_9dc5)) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
        return (slug.isEmpty ? "" : slug + "_") + String(hash, radix: 16)
    }

    private enum Key: String, CodingKey { case state, attributes }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(state, forKey: .state)
        try container.encode(attributes, forKey: .attributes)
    }

    /// What goes with the state. By REST the unit and the kind of the state are among it; an entity of MQTT has them anyway.
    struct Attributes: Encodable, Sendable {
        let day: SharedDay

        private enum Key: String, CodingKey {
            case friendlyName = "friendly_name", unit = "unit_of_measurement", stateClass = "state_class", icon, user, date
            case distance = "distance_m", energy = "energy_kcal", goal, percentage, completeness
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode("Steps of \(day.user.name)", forKey: .friendlyName)
            try container.encode("steps", forKey: .unit)
            try container.encode("total_increasing", forKey: .stateClass)
            try container.encode("mdi:walk", forKey: .icon)
            try container.encode(day.user.name, forKey: .user)
            try container.encode(day.day, forKey: .date)
            try container.encodeIfPresent(day.metres, forKey: .distance)
            try container.encodeIfPresent(day.kilocalories, forKey: .energy)
            try container.encodeIfPresent(day.summary.goal, forKey: .goal)
            try container.encodeIfPresent(day.percentage, forKey: .percentage)
            try container.encode(day.summary.completeness, forKey: .completeness)
        }
    }
}

extension Sequence where Element == ShareParcel {
    /// The latest day of each sensor, in order of sensors. Home Assistant has a present and no past: what is older has
    /// nowhere to go.
    func latest(entity: String) -> [HomeAssistantSensor] {
        var latest: [String: HomeAssistantSensor] = [:]
        for parcel in self {
            let sensor = HomeAssistantSensor(parcel.day, entity: entity)
            if let known = latest[sensor.entity], known.day.day > sensor.day.day { continue }
            latest[sensor.entity] = sensor
        }
        return latest.values.sorted { $0.entity < $1.entity }
    }
}
