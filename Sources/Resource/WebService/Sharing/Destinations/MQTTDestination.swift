internal import MQTT
internal import StepDomain

extension DestinationKind {
    static let mqtt = DestinationKind(
        key: "mqtt", title: "an MQTT broker: a retained message for each day",
        specificExample: """
            [share.broker]
            kind = "mqtt"
            host = "localhost"

            # port = 1883                          # default: 1883, or 8883 with tls
            # tls = true                           # for a broker on another machine;
            # insecure = true                      # or without tls: everybody in the same network can read password and days
            # ca_file = "/etc/ssl/home.pem"        # certificates that verify the broker's; default: the system's
            # username = "istep"                   # the user's name at the broker,
            # password_file = "~/.config/istep/broker.password"   # with a password_file, _env or _credential
            # A day has a topic of its own, with {date}, or {year}, {month} and {day}. {user} is the name in a-z, 0-9 and _, with a
            # number after it if the name has other characters. {destination} is possible, too.
            # topic = "istep/{user}/{date}"
            # body = '{"steps": {steps}}'          # what is sent instead of istep's own JSON; the names in braces:
            #                                      # istep config example rest
            # content_type = "application/json"    # of `body`; values are escaped as it requires
            # text = "{date}: {steps} steps"       # what {text} stands for, as for mastodon
            # units = "metric"                     # or "imperial", in {text}
            # The broker keeps each day. A correction replaces it; a day that is deleted is removed there.
            # For a sensor in Home Assistant, use kind = "home-assistant" with via = "mqtt".
            """
    ) { reader, context in
        let login = reader.brokerLogin(context)
        let topic = reader.topicTemplate("topic") ?? TopicTemplate(text: "istep/{user}/{date}")
        let body = reader.bodyTemplate()
        return login.map { MQTTDestination(context: context, login: $0, topic: topic, body: body) }
    }
}

/// A broker that keeps a message for each day.
///
/// It has the broker in common with `HomeAssistantMQTTDestination`, which publishes what Home Assistant discovers, and
/// only the latest day. With QoS 1 each message is acknowledged; a day that is sent again replaces the first, because
/// it is retained (MQTT 5.0, section 3.3.1.3: a message without content removes the retained one).
struct MQTTDestination: BrokerDestination {
    let context: DestinationContext
    let login: BrokerLogin
    let topic: TopicTemplate
    /// Nil sends `SharedDayDocument`.
    let body: BodyTemplate?

    var location: String { "mqtt://\(login.broker), \(topic.text)" }

    var traits: ShareTraits {
        var traits = ShareTraits.replacing
        traits.batch = 64
        traits.isPersonal = !topic.hasUser
        traits.removesDeleted = true
        return traits
    }

    func place(of user: User, slug: String) -> String? { topic.hasUser ? TopicTemplate.level(of: user.name) : nil }

    func messages(_ payloads: [SharePayload]) throws(ShareFailure) -> [MQTTMessage] {
        try payloads.map { (payload) throws(ShareFailure) in
            try .retained(topic.topic(payload.day, destination: name), content(of: payload.day))
        }
    }

    private func content(of day: SharedDay) throws(ShareFailure) -> String {
        if day.isDeletion { return "" }
        guard let body else { return json(SharedDayDocument(day: day)) }
        return try body.content(day, destination: name)
    }
}
