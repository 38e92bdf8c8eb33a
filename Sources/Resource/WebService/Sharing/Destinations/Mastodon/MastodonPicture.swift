internal import HTTP
internal import StepDomain

/// The picture of a post (docs.joinmastodon.org/methods/media): it is uploaded first, and the post names it. A failure
/// before the post means that nothing was posted, so that the day can be tried again without a search for it. A picture
/// without a post is deleted by the server.
extension MastodonDestination {
    /// A picture as the server has it (docs.joinmastodon.org/entities/MediaAttachment).
    private struct Media: Decodable {
        var id: String
        /// Nil while the server still processes it.
        var url: String?
    }

    /// How often, a second apart, the server is asked whether it has processed a picture.
    private static let maximumPolls = 20

    /// Nil if no picture is attached.
    func upload(_ payload: SharePayload, _ credentials: Credentials) throws(ShareFailure) -> HTTPRequest? {
        guard attachesPicture, let picture = context.environment.picture(payload.day.summary, units) else { return nil }
        let boundary = "istep-\(payload.key)"
        var body: [UInt8] = []
        func add(_ text: String) { body += Array(text.utf8) }
        add("--\(boundary)\r\nContent-Disposition: form-data; name=\"description\"\r\n\r\n\(picture.description)\r\n")
        add("--\(boundary)\r\nContent-Disposition: form-data; name=\"file\"; filename=\"\(payload.day.day).png\"\r\n")
        add("Content-Type: image/png\r\n\r\n")
        body += try picture.png()
        add("\r\n--\(boundary)--\r\n")
        return HTTPRequest(
            method: "POST", url: endpoint("media", version: "v2"),
            headers: try authorized(credentials) + [.init("Content-Type", "multipart/form-data; boundary=\(boundary)")],
            body: body,
            isRepeatable: true)
    }

    /// Uploads the picture of a day and waits until the server has processed it, which takes it a moment (202).
    ///
    /// - Returns: the id for the post; nil if no picture is attached.
    func uploaded(_ payload: SharePayload) async throws(ShareFailure) -> String? {
        guard let request = try upload(payload, credentials) else { return nil }
        let limited = limited
        do throws(ShareFailure) {
            // Not all servers take pictures.
            var media = try await limited.media(
                request, at: .service(advice: "Check `url`. If the server takes no pictures: picture = false"))
            var polls = 0
            while media.url == nil {
                polls += 1
                guard polls <= Self.maximumPolls else {
                    throw ShareFailure(.busy, "\(base.host) has not processed it yet")
                }
                do { try await context.environment.pause(.seconds(1)) } catch {
                    throw ShareFailure(.busy, "interrupted")
                }
                media = try await limited.media(
                    HTTPRequest(method: "GET", url: endpoint("media", media.id), headers: try authorized(credentials)),
                    at: .item)
            }
            return media.id
        } catch {
            var failure = error
            failure.reason = "the picture was not uploaded: \(failure.reason)"
            // Nothing was posted.
            if failure.kind == .unanswered { failure.kind = .unreachable }
            if failure.kind == .rejected { failure.advice = "If the server accepts no pictures: picture = false" }
            throw failure
        }
    }

    private func media(_ request: HTTPRequest, at address: Addressed) async throws(ShareFailure) -> Media {
        guard let media = try await answer(to: request, at: address).json(Media.self), MastodonPost.isID(media.id)
        else {
            throw .unconfirmed(request, "its answer is not a picture with an id")
        }
        return media
    }
}
