internal import HTTP
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
            # via = "rest"                         # the way there

            # The sensor shows the latest day; days that are older than what it shows have nowhere to go, and count as shared.
            # Home Assistant forgets it when it starts anew, until the next steps are shared.
            """
    ) { reader, context in
        let way = reader.choice("via", among: ["rest"]) ?? "rest"
        let entity = reader.sensor("entity") ?? "sensor.istep_{user}"
        return switch way {
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

    fileprivate mutating func homeAssistantREST(_ context: DestinationContext, entity: String) -> HomeAssistantRESTDestination? {
        let url = address("url", "the address of Home Assistant, such as http://homeassistant.local:8123")
        let token = secret("token", isRequired: true)
        guard let url, let token else { return nil }
        return HomeAssistantRESTDestination(
            context: context, exchange: Exchange(transport: context.surroundings.transport()), url: url, entity: entity, token: token)
    }
}
