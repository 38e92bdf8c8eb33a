internal import PageExchange
internal import Support
internal import StepDomain
internal import StepServices
internal import StepViews
internal import Synchronization

/// Lets others in the house look at the pages: by one password, through a server in front that encrypts.
///
/// - The `Host` has to be the one name that the server in front is reached by.
/// - Only `GET` and `HEAD`: nothing can be changed, so a page elsewhere can make a browser do nothing.
/// - The password comes with each request (basic authentication, RFC 7617). After some wrong ones, all are refused for
///   a while, so that it cannot be guessed.
package final class GuestAccess: Sendable {
    struct Refusal: Hashable {
        var status: Int
        var message: String
        var headers: [String: String] = [:]
    }

    private let host: String
    private let credentials: [UInt8]
    /// The only user whose days are shown; nil for all.
    let user: String?
    private let wrong = Mutex<(since: Timestamp, count: Int)>((Timestamp(0), 0))

    /// The name that browsers ask for with the password.
    package static let name = GuestsView.name
    /// Characters.
    package static let shortestPassword = 12
    /// Wrong passwords within `pause` before all are refused.
    static let maximumWrong = 10
    /// Seconds.
    static let pause = 60

    /// - Parameters:
    ///   - host: a name or an address, with a port if it is not 443: browsers leave that out.
    ///   - credentials: base64 of `istep:PASSWORD`.
    ///   - user: the only user whose days are shown; nil for all.
    package init(host: String, credentials: String, user: String?) {
        self.host = Self.withoutStandardPort(host)
        self.credentials = Array(credentials.utf8)
        self.user = user
    }

    private static func withoutStandardPort(_ host: String) -> String {
        let name = host.lowercased()
        return name.hasSuffix(":443") ? String(name.dropLast(4)) : name
    }

    /// Why a request is not answered; nil if it is.
    func refusal(of request: PageRequest, at now: Timestamp) -> Refusal? {
        guard request.headers["host"].map(Self.withoutStandardPort) == host else {
            return Refusal(status: 421, message: "This host name is not served.")
        }
        guard ["GET", "HEAD"].contains(request.method) else {
            return Refusal(status: 405, message: "Nothing can be changed here.", headers: ["Allow": "GET, HEAD"])
        }
        guard let given = Self.basic(request.headers["authorization"]) else { return Self.unauthorized }
        let isRight = RequestGuard.equals(given, credentials)
        let isPaused = wrong.withLock { wrong in
            // Also where the clock was put back.
            if !(0..<Self.pause).contains(now - wrong.since) { wrong = (now, 0) }
            if wrong.count >= Self.maximumWrong { return true }
            if !isRight { wrong.count += 1 }
            return false
        }
        if isPaused {
            return Refusal(
                status: 429, message: "Too many wrong passwords. Try again in a minute.",
                headers: ["Retry-After": "\(Self.pause)"])
        }
        return isRight ? nil : Self.unauthorized
    }

    private static let unauthorized = Refusal(
        status: 401, message: "These pages need a password. The user name is \(name).",
        headers: ["WWW-Authenticate": "Basic realm=\"istep\", charset=\"UTF-8\""])

    /// The credentials of basic authentication; nil for any other header.
    private static func basic(_ header: String?) -> [UInt8]? {
        let parts = (header ?? "").split(separator: " ")
        guard parts.count == 2, parts[0].lowercased() == "basic" else { return nil }
        return Array(parts[1].utf8)
    }
}

/// What guests are answered.
extension LocalPages {
    /// The first parts of the addresses that show days and nothing else.
    private static let guestPaths: Set = ["day", "week", "month", "year", "range", "go"]

    func respond(to request: PageRequest, asGuest guest: GuestAccess) async -> ServedResponse {
        if let refusal = guest.refusal(of: request, at: services.now()) {
            var response = ServedResponse.page(MessagePage.refusal(refusal.message), status: refusal.status)
            for (name, value) in refusal.headers { response.headers.append((name, value)) }
            return response
        }
        if request.path != ["events"], let response = serveWithoutHistory(request) { return response }
        do {
            let scope = try await blocking {
                try RequestScope(request, .guest, services, isBusy: false, only: guest.user)
            }
            do {
                let word = request.path.first.map { String($0.prefix { $0 != "." }) }
                guard word.map(Self.guestPaths.contains) ?? true else {
                    throw PageError.nothingHere
                }
                return try await blocking { try show(request, scope) }
            } catch {
                return message(guestError(error), scope.context)
            }
        } catch {
            return message(guestError(error), emptyContext(.guest))
        }
    }

    /// Other errors name files and commands of the machine's user.
    private func guestError(_ error: any Error) -> any Error {
        switch error {
        case is PageError, ServiceError.dayNotBegun: return error
        default:
            return PageError(status: 503, title: "Not now", message: "The steps cannot be shown now. Try again later.")
        }
    }
}

extension DaySummary {
    /// Removes what is not for guests: the user's own words, the pedometers, and when they were read.
    mutating func withholdPrivate() {
        (correctionReason, correctedAt, lastSync, deviceTotals) = (nil, nil, nil, [])
        for index in excluded.indices { excluded[index].exclusion.reason = nil }
    }
}
