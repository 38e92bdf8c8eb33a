internal import HTTP
internal import Quoting
internal import StepDomain

extension MastodonDestination {
    /// Of what a server says of itself (docs.joinmastodon.org/entities/Instance), the limit of a post.
    private struct Instance: Decodable {
        struct Configuration: Decodable {
            struct Statuses: Decodable { var max_characters: Int }

            var statuses: Statuses
        }

        var configuration: Configuration
    }

    /// Asks whose the token is and how long a post can be.
    func check() async throws(ShareFailure) -> String {
        let account = try await account()
        let request = HTTPRequest(method: "GET", url: base.appending(path: ["api", "v2", "instance"]))
        // Servers of other makes need not have this.
        let limit = try await exchange.answer(to: request).json(Instance.self)?.configuration.statuses.max_characters
        if let limit, template.longest > limit {
            throw ShareFailure(
                .misconfigured, "\(base.host) takes posts of \(limit) characters, and with `text` they can have \(template.longest)",
                advice: "Shorten `text`.")
        }
        let named = try credentials.secret(token).scrubbed(from: "@\(account.acct)@\(base.host)")
        let isPlain = named.utf8.count <= 200 && named.utf8.allSatisfy { 0x21...0x7E ~= $0 }
        return "account \(isPlain ? named : quoted(String(named.prefix(100))))" + (limit.map { ", posts of up to \($0) characters" } ?? "")
    }
}
