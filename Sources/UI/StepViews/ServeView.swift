/// The address of the local pages.
public struct ServeView: View {
    let address: String
    let socket: String?
    let isRunning: Bool

    /// - Parameters:
    ///   - address: opens the pages once.
    ///   - socket: the path that the server listens at, in place of a port.
    ///   - isRunning: whether another process serves them already.
    public init(address: String, socket: String? = nil, isRunning: Bool) {
        self.address = address
        self.socket = socket
        self.isRunning = isRunning
    }

    public func lines(_ style: TextStyle) -> [String] {
        var page = TextPage(style)
        page.path("Your pages:", address)
        if let socket { page.path("At the socket:", socket) }
        page.paragraph("The address works once, within an hour, in one browser.", emphasis: .faint)
        page.paragraph(
            isRunning
                ? "These pages are served already: by another istep serve, or by systemd at the first request."
                : "To end: Ctrl-C.",
            emphasis: .faint)
        return page.lines
    }

    /// `istep serve --json`.
    public static let keys: [JSONKey<ServeView>] = [
        .version,
        .init("address", .text, "Opens the pages once, within an hour, in one browser.") { $0.address },
        .init("socket", .nullable(.text), "The socket file that it listens at, in place of a port.") { $0.socket },
        .init("running", .boolean, "Another process already serves them, or systemd starts it at the first request.") {
            $0.isRunning
        },
    ]
}

/// Where the pages of guests are, for the web server in front of them.
public struct GuestsView: View {
    let address: String
    let host: String

    /// - Parameters:
    ///   - address: on this machine.
    ///   - host: that browsers use.
    public init(address: String, host: String) {
        self.address = address
        self.host = host
    }

    public func lines(_ style: TextStyle) -> [String] {
        var page = TextPage(style)
        page.path("Days for guests, behind your web server:", address)
        page.paragraph(
            "It has to encrypt, and to pass on the host \(Printable(host, limit: 255)). The user name is \(Self.name).",
            emphasis: .faint)
        page.paragraph("To end: Ctrl-C.", emphasis: .faint)
        return page.lines
    }

    /// `istep serve --guests HOST --json`.
    public static let keys: [JSONKey<GuestsView>] = [
        .version,
        .init("address", .text, "What the web server in front passes requests on to; it does not encrypt.") {
            $0.address
        },
        .init("host", .text, "What the web server is reached as: requests for another host are refused.") { $0.host },
        .init("name", .text, "The user name that browsers ask for with the password.") { _ in GuestsView.name },
    ]

    /// The user name of all guests.
    package static let name = "istep"
}

extension JSONDocument {
    public static let serve = JSONDocument(
        "serve", "The address of the local pages.",
        ServeView.self)
    public static let guests = JSONDocument(
        "guests", "Where the web server in front of the guests' pages finds them.",
        GuestsView.self)
}
