internal import StepDomain

/// A day as the state of a sensor in Home Assistant, by REST or MQTT: the steps since the midnight in `last_reset`.
///
/// Source: https://developers.home-assistant.io/docs/core/entity/sensor#available-state-classes: `total` with
/// `last_reset` is a total that may also decrease, as that of a day does after a correction, and that restarts when
/// `last_reset` changes. `total_increasing` would treat each smaller number as a new day.
struct HomeAssistantSensor: Encodable, Sendable {
    /// Its unit of measurement, and that of its statistics. A user's statistics are kept as long as it stays the same.
    static let unit = "steps"
    /// Such as `sensor.istep_anna`.
    let entity: String
    /// The base of topics and of the entity's unique id: as `object`, with a number after a name that has other
    /// characters than those of an entity. It depends on no other name, so that topics, and entities that were created
    /// from them, never change.
    let mqttObject: String
    let day: SharedDay
    /// The midnight at which the day began, ISO 8601 with its offset.
    let lastReset: String

    /// - Parameters:
    ///   - entity: the name of the entity, with `{user}` in place of the user's name.
    ///   - localTime: the local time of this machine.
    init(_ payload: SharePayload, entity: String, localTime: LocalTime) {
        day = payload.day
        self.entity = entity.replacing("{user}", with: payload.slug)
        mqttObject = String(
            entity.replacing("{user}", with: TopicTemplate.level(of: day.user.name)).dropFirst("sensor.".count))
        let midnight = localTime.span(of: payload.day.day).start
        lastReset = midnight.iso8601(utcOffset: localTime.utcOffset(midnight))
    }

    var state: String { "\(day.steps)" }
    /// The entity without its domain: `istep_anna`.
    var object: String { String(entity.dropFirst("sensor.".count)) }
    var attributes: Attributes { Attributes(sensor: self, isState: true) }

    private enum Key: String, CodingKey { case state, attributes }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(state, forKey: .state)
        try container.encode(attributes, forKey: .attributes)
    }

    /// The attributes of the state.
    struct Attributes: Encodable, Sendable {
        let sensor: HomeAssistantSensor
        /// With REST they include the unit and the kind of the state. An entity of MQTT has those in its configuration.
        let isState: Bool

        private enum Key: String, CodingKey {
            case friendlyName = "friendly_name", unit = "unit_of_measurement", stateClass = "state_class", icon,
                lastReset = "last_reset"
            case user, date, distance = "distance_m", energy = "energy_kcal", goal, percentage, completeness
        }

        func encode(to encoder: any Encoder) throws {
            let day = sensor.day
            var container = encoder.container(keyedBy: Key.self)
            if isState {
                try container.encode("Steps of \(day.user.name)", forKey: .friendlyName)
                try container.encode(HomeAssistantSensor.unit, forKey: .unit)
                try container.encode("total", forKey: .stateClass)
                try container.encode(sensor.lastReset, forKey: .lastReset)
                try container.encode("mdi:walk", forKey: .icon)
            }
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

/// The days of one sensor that a delivery sends.
struct HomeAssistantSensorDays {
    /// The latest day, which the sensor shows in the end.
    var latest: HomeAssistantSensor
    /// The day before that, if it is in the same delivery. It is sent first: a sensor that showed it yesterday evening
    /// gets its last figure, which Home Assistant would never get otherwise. No earlier day is sent: its steps would
    /// all count for this hour.
    var previous: HomeAssistantSensor?
}

extension Sequence where Element == SharePayload {
    /// Sorted by sensor.
    func sensors(entity: String, localTime: LocalTime) -> [HomeAssistantSensorDays] {
        let sensors = map { HomeAssistantSensor($0, entity: entity, localTime: localTime) }
        return Dictionary(grouping: sensors, by: \.entity).sorted { $0.key < $1.key }.compactMap { _, sensors in
            guard let latest = sensors.max(by: { $0.day.day < $1.day.day }) else { return nil }
            let previous = sensors.last { $0.day.day.advanced(by: 1) == latest.day.day }
            return HomeAssistantSensorDays(latest: latest, previous: previous)
        }
    }
}
