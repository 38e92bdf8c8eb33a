internal import HTTP
internal import StepDomain
internal import Support

/// The parts of a post (docs.joinmastodon.org/entities/Status) that istep reads.
struct MastodonPost: Decodable {
    var id: String
    /// HTML.
    var content: String
    /// ISO 8601.
    var created_at: String?
    var visibility: String?

    /// Whether the id can be stored: digits, and on other servers also letters.
    var isNamed: Bool { MastodonPost.isID(id) }

    static func isID(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { $0.isAlphanumeric || "-_".utf8.contains($0) }
    }
}

extension MastodonDestination {
    /// Posts of a page. A page of 40, the maximum of servers, can be larger than what istep reads of an answer.
    private static let page = 20
    /// Maximum of pages that are read: some weeks of an account that posts twenty times a day.
    private static let maximumPages = 40

    /// Searches the posts of the account for the post of a day, from the newest back to those from before the day.
    ///
    /// If a post contains the date but differs from the text that `text` gives, the result is unclear: servers change
    /// texts, such as the names of people, and asking the user is better than a second post. The same applies to direct
    /// posts if the list has none: some servers leave them out (Pixelfed lists public, unlisted and private ones).
    func find(_ payload: SharePayload) async throws(ShareFailure) -> ShareFinding {
        // The post is known to exist, and repeating the same edit does no harm.
        if payload.remoteID != nil { return .absent }
        guard template.hasDate else { return .unclear }
        let pattern = PostPattern(template, payload.day.day)
        let limited = limited
        let account = try await limited.account()
        var namesDay = false, listsAll = visibility != .direct
        var last: String?
        for _ in 0..<Self.maximumPages where !limited.exchange.isOver {
            let posts = try await limited.posts(of: account.id, before: last)
            for post in posts {
                let text = HTMLText.text(of: post.content)
                if pattern.matches(text) { return .arrived(ShareReceipt(remoteID: post.id)) }
                namesDay = namesDay || text.filter { !$0.isWhitespace }.contains("\(payload.day.day)")
                listsAll = listsAll || post.visibility == visibility.rawValue
            }
            // Only the last one counts: a server may put posts that the user pinned, of any age, before the others.
            if posts.last.map({ isBefore(payload.day.day, $0) }) ?? true {
                return namesDay || !listsAll ? .unclear : .absent
            }
            last = posts.last?.id
        }
        return .unclear
    }

    /// Whether a post is older than any post about a day can be. A day begins at most 14 hours before it begins in UTC.
    private func isBefore(_ day: Day, _ post: MastodonPost) -> Bool {
        guard let moment = post.created_at.flatMap(RateLimit.moment) else { return false }
        return moment < (day.daysSince1970 - 1) * 86_400
    }

    private func posts(of account: String, before last: String?) async throws(ShareFailure) -> [MastodonPost] {
        var query = [("limit", "\(Self.page)"), ("exclude_reblogs", "true")]
        if let last { query.append(("max_id", last)) }
        let url = endpoint("accounts", account, "statuses").appending(query: query)
        let request = HTTPRequest(method: "GET", url: url, headers: try authorized(credentials))
        let posts = try await answer(to: request, at: .item).json([MastodonPost].self)
        guard let posts, posts.allSatisfy(\.isNamed) else {
            throw .unconfirmed(request, "its answer is not a list of posts")
        }
        return posts
    }

    /// The account that the token belongs to.
    func account() async throws(ShareFailure) -> MastodonAccount {
        let request = HTTPRequest(
            method: "GET", url: endpoint("accounts", "verify_credentials"), headers: try authorized(credentials))
        let account = try await answer(to: request, at: Self.server).json(MastodonAccount.self)
        guard let account, MastodonPost.isID(account.id) else {
            throw .unconfirmed(request, "its answer is not an account")
        }
        return account
    }
}

/// The parts of an account (docs.joinmastodon.org/entities/Account) that istep reads.
struct MastodonAccount: Decodable {
    var id: String
    /// The name; without the server if the account is on this server.
    var acct: String
}
