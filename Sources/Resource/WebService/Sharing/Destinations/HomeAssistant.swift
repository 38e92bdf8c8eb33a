internal import HTTP
internal import MQTT
internal import Settings
internal import StepDomain

extension DestinationKind {
    static let homeAssistant = DestinationKind(
        "home-assistant", title: "a sensor in Home Assistant",
        example: """
            [share.house]
            kind = "home-assistant"
            url = "http://homeassistant.local:8123"
            # Plain http: whoever is in the same network can read along. Without it only https will do.
            insecure = true
            # A file with nothing but a long-lived access token in it (of an administrator; Home Assistant, your profile,
            # Security), for you alone: chmod 600.
            token_file = "~/.config/istep/house.token"
            # token_env = "HOUSE_TOKEN"            # or a variable of the environment,
            # token_credential = "house"           # or a credential of systemd

            # entity = "sensor.istep_{user}"       # a sensor for each user; or of one name, for one user
            # users = ["Anna"]                     # whose days these are, where the entity has no {user}
            # The sensor shows the latest day; days that are older than what it shows have nowhere to go, and count as shared.
            # Home Assistant forgets it when it starts anew, until the next steps are shared. By way of its MQTT broker, which
            # makes a device of it by itself (MQTT discovery) and remembers it, the table is, instead of url and token:
            #   via = "mqtt"
            #   host = "homeassistant.local"       # the broker's; port = 1883, or 8883 with tls
            #   tls = true                         # without it, and for another machine, insecure = true
            #   username = "istep"                 # with password_file, password_env or password_credential
            #   topic = "istep"                    # what its own topics begin with; discovery = "homeassistant"
            """
    ) { reader, context in
        let entity = reader.sensor("entity") ?? "sensor.istep_{user}"
        return switch reader.choice("via", among: ["rest", "mqtt"]) ?? "rest" {
        case "mqtt": reader.homeAssistantMQTT(context, entity: entity)
        default: reader.homeAssistantREST(context, entity: entity)
        }
    }
}

extension TableReader {
    /// The name of an entity: `sensor.`, then a…z, 0…9 and _ (https://developers.home-assistant.io/docs/core/entity).
    fileprivate mutating func sensor(_ key: String) -> String? {
        let expected = "the name of a sensor, such as sensor.istep_{user}, of a-z, 0-9 and _"
        guard let text = text(key, expected) else { return nil }
        let name = text.replacing("{user}", with: "u").dropFirst("sensor.".count)
        let isName = text.hasPrefix("sensor.") && !name.isEmpty && text.utf8.count <= 128 && !name.hasPrefix("_") && !name.hasSuffix("_")
            && name.utf8.allSatisfy { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 || 0x30...0x39 ~= $0 || $0 == UInt8(ascii: "_") }
        if isName { return text }
        refuse(key, expected: expected)
        return nil
    }

    /// Levels of a topic, which the entity's own come behind.
    private mutating func levels(_ key: String) -> String? {
        value(key, "levels of a topic, such as home/istep") { text in
            let isTopic = !text.hasPrefix("/") && !text.hasSuffix("/") && (try? MQTTMessage(topic: text, payload: [])) != nil
            return isTopic ? text : nil
        }
    }

    fileprivate mutating func homeAssistantMQTT(_ context: DestinationContext, entity: String) -> HomeAssistantMQTTDestination? {
        let host = requireText("host", "the name or address of the broker, such as homeassistant.local")
        let port = integer("port", in: 1...65_535, "a port")
        let isEncrypted = flag("tls") ?? false
        let isInsecure = flag("insecure") ?? false
        let username = text("username", "the user's name at the broker")
        let password = secret("password", isRequired: false)
        let topic = levels("topic") ?? "istep"
        let discovery = levels("discovery") ?? "homeassistant"
        guard let host else { return nil }
        do {
            let broker = try MQTTBroker(host: host, port: port, tls: isEncrypted, username: username, insecure: isInsecure)
            return HomeAssistantMQTTDestination(
                context: context, broker: broker, password: password, entity: entity, topic: topic,
                discovery: discovery)
        } catch {
            refuse("host", expected: "a broker (\(error.description))")
            return nil
        }
    }

    fileprivate mutating func homeAssistantREST(_ context: DestinationContext, entity: String) -> HomeAssistantRESTDestination? {
        let url = address("url", "the address of Home Assistant, such as http://homeassistant.local:8123")
        let token = secret("token", isRequired: true)
        guard let url, let token else { return nil }
        return HomeAssistantRESTDestination(
            context: context, exchange: Exchange(transport: context.surroundings.transport()), url: url, entity: entity, token: token)
    }
}
