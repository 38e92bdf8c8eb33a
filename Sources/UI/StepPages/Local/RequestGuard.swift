internal import PageExchange
internal import StepViews

/// Decides whether a request may reach the pages.
///
/// - The `Host` has to be a name of this machine: a page elsewhere whose name leads to 127.0.0.1 (DNS rebinding) has
///   another one.
/// - The address `/open/TOKEN` gives a browser a cookie, once; every other request needs the cookie. So other users of
///   the machine, whose programs can connect as well, see nothing.
/// - What changes something needs the key of the session in the form, and an origin that is these pages: other pages in
///   the same browser can send forms, but have neither.
struct RequestGuard: Sendable {
    enum Decision: Hashable {
        case admitted(PageSession)
        /// The token was right: with this cookie the browser is redirected to the first page.
        case opened(cookie: String)
        case refused(status: Int, String)
    }

    let access: any PageAccess
    let commandOptions: CommandOptions

    func decide(_ request: PageRequest) -> Decision {
        guard let host = request.headers["host"], let port = Self.port(ofLocal: host) else {
            return .refused(status: 421, "This host name is not served. Use the address that 'istep serve' printed.")
        }
        guard ["GET", "HEAD", "POST"].contains(request.method) else {
            return .refused(status: 405, "Method not allowed.")
        }
        let name = "istep-\(port)", command = ShellCommand("istep serve --open").with(commandOptions).text()
        if request.path.count == 2, request.path[0] == "open" {
            // Only GET, as of a person who opens the address, uses up the token.
            guard request.method == "GET", let session = access.redeem(request.path[1]) else {
                return .refused(
                    status: 403,
                    "This address was already used, or has expired. Run '\(command)' for a new one.")
            }
            return .opened(cookie: "\(name)=\(session.cookie); Path=/; HttpOnly; SameSite=Strict")
        }
        guard let cookie = request.cookie(name), let session = access.session(cookie) else {
            return .refused(status: 403, "These pages are private. '\(command)' opens them in your browser.")
        }
        guard request.method == "POST" else { return .admitted(session) }
        guard request.headers["origin"] == "http://\(host)",
            request.headers["sec-fetch-site"].map({ $0 == "same-origin" }) ?? true,
            let key = request.form["key"], Self.equals(key, session.formKey)
        else { return .refused(status: 403, "This form was not sent from these pages. Reload the page and try again.") }
        return .admitted(session)
    }

    /// The port of a `Host` that means this machine, 80 where it has none; nil for any other host.
    static func port(ofLocal host: String) -> Int? {
        let lowered = host.lowercased()
        for name in ["127.0.0.1", "localhost", "[::1]"] where lowered.hasPrefix(name) {
            let rest = lowered.dropFirst(name.count)
            if rest.isEmpty { return 80 }
            guard rest.first == ":", rest.count <= 6, let port = UInt16(rest.dropFirst()), !rest.contains("+") else {
                return nil
            }
            return Int(port)
        }
        return nil
    }

    /// In the same time wherever they differ.
    private static func equals(_ a: String, _ b: String) -> Bool { equals(Array(a.utf8), Array(b.utf8)) }

    static func equals(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        a.count == b.count && zip(a, b).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
