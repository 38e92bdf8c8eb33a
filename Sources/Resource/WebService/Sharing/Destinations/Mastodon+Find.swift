internal import HTTP
internal import StepDomain

extension MastodonDestination {
    /// Posts of a page. A page of forty, the most that servers give, can be larger than what is read of an answer.
    private static let page = 20
    /// Pages that are looked at, some weeks of an account that posts twenty times a day.
    private static let mostPages = 40

    /// Looks for the post of a day among those of the account, from the newest to those of the time before the day.
    ///
    /// A post that has the date in it and is not as `text` would make it leaves it open: servers change what they are sent, such as the
    /// names of people, and a second post is worse than a question.
    func find(_ parcel: ShareParcel) async throws(ShareFailure) -> ShareFinding {
        // That it is there is known, and the same edit again does no harm.
        if parcel.remoteID != nil { return .absent }
        guard template.hasDate else { return .unclear }
        let pattern = PostPattern(template, parcel.day.day)
        let account = try await account()
        var isDoubtful = false
        var last: String?
        for _ in 0..<Self.mostPages {
            let posts = try await posts(of: account.id, before: last)
            for post in posts {
                let text = PostText.text(ofHTML: post.content)
                if pattern.matches(text) { return .arrived(ShareReceipt(remoteID: post.id)) }
                isDoubtful = isDoubtful || text.filter { !$0.isWhitespace }.contains("\(parcel.day.day)")
            }
            if posts.isEmpty || posts.contains(where: { isBefore(parcel.day.day, $0) }) { return isDoubtful ? .unclear : .absent }
            last = posts.last?.id
        }
        return .unclear
    }

    /// Whether a post is older than anything that could be told of a day, which begins at most 14 hours before it does in UTC.
    private func isBefore(_ day: Day, _ post: MastodonPost) -> Bool {
        guard let moment = post.created_at.flatMap(RateLimit.moment) else { return false }
        return moment < (day.daysSince1970 - 1) * 86_400
    }

    private func posts(of account: String, before last: String?) async throws(ShareFailure) -> [MastodonPost] {
        var query = [("limit", "\(Self.page)"), ("exclude_reblogs", "true")]
        if let last { query.append(("max_id", last)) }
        let url = endpoint("accounts", account, "statuses").appending(query: query)
        let request = HTTPRequest(method: "GET", url: url, headers: try authorized(credentials))
        let posts = try await answer(to: request).json([MastodonPost].self)
        guard let posts, posts.allSatisfy(\.isNamed) else { throw .unconfirmed(request, "what it has at \(url.path) is no list of posts") }
        return posts
    }

    /// Whose the token is.
    func account() async throws(ShareFailure) -> MastodonAccount {
        let request = HTTPRequest(method: "GET", url: endpoint("accounts", "verify_credentials"), headers: try authorized(credentials))
        let account = try await answer(to: request).json(MastodonAccount.self)
        guard let account, MastodonPost.isID(account.id) else {
            throw .unconfirmed(request, "what it has at \(request.url.path) is no account")
        }
        return account
    }
}

/// Of what servers send about an account (docs.joinmastodon.org/entities/Account), what is looked at.
struct MastodonAccount: Decodable {
    var id: String
    /// The name, without the server where the account is its own.
    var acct: String
}
