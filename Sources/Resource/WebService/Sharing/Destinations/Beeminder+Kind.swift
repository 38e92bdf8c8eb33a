internal import HTTP
internal import Settings
internal import StepDomain

extension DestinationKind {
    static let beeminder = DestinationKind(
        "beeminder", title: "a goal at Beeminder",
        example: """
            [share.beeminder]
            kind = "beeminder"
            # The goal as it stands in its address, beeminder.com/anna/steps.
            goal = "steps"
            # A file with nothing but the token in it (beeminder.com/api/v1/auth_token.json), for you alone: chmod 600.
            token_file = "~/.config/istep/beeminder.token"
            # token_env = "BEEMINDER_TOKEN"        # or a variable of the environment,
            # token_credential = "beeminder"       # or a credential of systemd

            # username = "anna"                    # whose goal it is; by itself whose the token is
            # users = ["Anna"]                     # whose days these are, where the history has several people
            # url = "https://www.beeminder.com"    # another address of the service
            # insecure = false                     # true: plain http, also to other machines
            """
    ) { reader, context in
        let url = reader.address(
            standard: "https://www.beeminder.com", "the address of the service, such as https://www.beeminder.com")
        let goal = reader.slug("goal", "the goal's name as it stands in its address, such as steps", isRequired: true)
        let user = reader.slug("username", "the name of the goal's owner as it stands in its address", isRequired: false)
        let token = reader.secret("token", isRequired: true)
        guard let url, let goal, let token else { return nil }
        return BeeminderDestination(
            context: context, exchange: Exchange(transport: context.surroundings.transport()), url: url, user: user ?? "me",
            goal: goal, token: token)
    }
}

extension TableReader {
    /// A part of an address at Beeminder: letters, digits, `-`, `_` and `.`.
    fileprivate mutating func slug(_ key: String, _ expected: String, isRequired: Bool) -> String? {
        guard let text = isRequired ? requireText(key, expected) : text(key, expected) else { return nil }
        let isSlug = text.utf8.count <= 250 && text.contains { $0 != "." } && text.utf8.allSatisfy { byte in
            UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
                || "-_.".utf8.contains(byte)
        }
        if isSlug { return text }
        refuse(key, expected: expected)
        return nil
    }
}
