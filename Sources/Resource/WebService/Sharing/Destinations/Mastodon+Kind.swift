internal import HTTP
internal import Settings
internal import StepDomain

extension DestinationKind {
    static let mastodon = DestinationKind(
        "mastodon", title: "an account of Mastodon: a post for each day",
        example: """
            [share.fediverse]
            kind = "mastodon"
            # Your account's server.
            url = "https://mastodon.example"
            users = ["Anna"]
            # A file with nothing but the token in it, for you alone: chmod 600. Or token_env, or token_credential. You make one in
            # the server's Preferences, Development, New application; scopes: write:statuses, read:accounts and read:statuses.
            token_file = "~/.config/istep/fediverse.token"

            # Who sees it: "public", "unlisted" (seen by all, announced to none), "private" (followers), "direct" (you alone).
            # visibility = "private"
            # What it says, of {date} {weekday} {steps} {distance} {calories} {percentage} {goal} and {bars}, the hours of the
            # day. A line, or a part of one between " · ", in which something is not known of the day is left out. By {date}
            # istep finds the post again where an answer got lost.
            # text = "{weekday} {date}: {steps} steps\\n{percentage} of the goal of {goal} · {distance} · {calories}\\n{bars}"
            # language = "en"                      # of the text, two letters; by itself "en", for a text of yours the account's
            # units = "metric"                     # or "imperial"
            # edit = true                          # false: a post stays as it is when more steps of the day turn up
            # insecure = false                     # true: plain http, also to other machines
            """
    ) { reader, context in
        let base = reader.address("url", "the address of the account's server, such as https://mastodon.example")
        let token = reader.secret("token", isRequired: true)
        let template = reader.template(standard: PostTemplate.standard)
        let units = reader.choice("units", of: PostFigure.Units.self) ?? .metric
        let visibility = reader.choice("visibility", of: MastodonDestination.Visibility.self) ?? .private
        let language = reader.language() ?? (reader.table.keys.contains("text") ? nil : "en")
        let edits = reader.flag("edit") ?? true
        guard let base, let token, let template else { return nil }
        return MastodonDestination(
            context: context, exchange: Exchange(transport: context.surroundings.transport()), base: base, token: token,
            template: template, units: units, visibility: visibility, language: language, edits: edits)
    }
}

extension TableReader {
    /// ISO 639-1, and where a language has no such code, ISO 639-3.
    fileprivate mutating func language() -> String? {
        let expected = "the code of a language, such as en"
        guard let text = text("language", expected) else { return nil }
        if (2...3).contains(text.utf8.count), text.utf8.allSatisfy({ UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 }) { return text }
        refuse("language", expected: expected)
        return nil
    }
}
