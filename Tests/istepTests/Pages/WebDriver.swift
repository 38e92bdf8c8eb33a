import Foundation
import StepDomain
import Support
import TestSupport

/// Debian's chromium without a window, driven by the protocol of W3C WebDriver over chromedriver.
final class Browser: Sendable {
    struct Failure: Error { var text: String }

    private let driver: Running
    private let port: UInt16
    private let session: String
    private let folder: Folder

    static func open() async throws -> Browser {
        let folder = try Folder()
        let (driver, port) = try await startDriver(folder)
        let arguments = [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--disable-background-networking",
            "--user-data-dir=\(folder.path)/profile", "--window-size=1100,900",
        ]
        let order: [String: Any] = [
            "capabilities": [
                "alwaysMatch": [
                    "browserName": "chrome", "goog:chromeOptions": ["binary": "/usr/bin/chromium", "args": arguments],
                    "goog:loggingPrefs": ["browser": "ALL", "performance": "ALL"],
                ] as [String: Any]
            ]
        ]
        let answer = try await request(port, "POST", "/session", order)
        guard let session = (answer as? [String: Any])?["sessionId"] as? String else {
            throw Failure(text: "\(answer)")
        }
        return Browser(driver, port, session, folder)
    }

    /// The driver takes a free port of IPv6 and then needs the same port of IPv4. If another program uses that one, the
    /// driver ends, and is started again.
    private static func startDriver(_ folder: Folder) async throws -> (Running, UInt16) {
        let pattern = /started successfully on port ([0-9]+)/
        var attempts = 0
        while true {
            attempts += 1
            let process = ChildProcess()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/chromedriver")
            process.arguments = ["--port=0", "--log-level=SEVERE"]
            process.environment = [
                "PATH": "/usr/bin:/bin", "HOME": folder.path, "XDG_RUNTIME_DIR": folder.path, "LANG": "C.UTF-8",
            ]
            let driver = try Running(process)
            do {
                try await driver.until { $0.contains(pattern) }
            } catch let end as Running.EndedBefore where end.output.contains("port not available") && attempts < 10 {
                continue
            }
            guard let port = driver.outputSoFar.firstMatch(of: pattern).flatMap({ UInt16($0.1) }) else {
                throw Failure(text: driver.outputSoFar)
            }
            return (driver, port)
        }
    }

    private init(_ driver: Running, _ port: UInt16, _ session: String, _ folder: Folder) {
        self.driver = driver
        self.port = port
        self.session = session
        self.folder = folder
    }

    func close() async {
        _ = try? await Self.request(port, "DELETE", "/session/\(session)", nil)
        driver.send(SIGTERM)
        _ = await driver.result
    }

    // MARK: What a person does and sees

    func go(_ address: String) async throws { _ = try await order("POST", "/url", ["url": address]) }

    var title: String { get async throws { try await order("GET", "/title") as? String ?? "" } }
    var address: String { get async throws { try await order("GET", "/url") as? String ?? "" } }
    var source: String { get async throws { try await order("GET", "/source") as? String ?? "" } }

    /// The first element that a CSS selector, or the text of a link, finds.
    private func element(_ selector: String) async throws -> String {
        let isLink = selector.hasPrefix("link=")
        let found = try await order(
            "POST", "/element",
            [
                "using": isLink ? "link text" : "css selector",
                "value": isLink ? String(selector.dropFirst(5)) : selector,
            ])
        guard let id = (found as? [String: String])?.values.first else {
            throw Failure(text: "no \(selector): \(String(describing: found))")
        }
        return id
    }

    /// Clicks on what leads to another page, and returns once that page is there: the driver does not wait for a page
    /// that the browser has not begun to load when the click is answered.
    func click(_ selector: String) async throws {
        try await leaving {
            let id = try await element(selector)
            _ = try await order("POST", "/element/\(id)/click", [:])
        }
    }

    /// Presses a key that leads to another page, and returns once that page is there.
    func turn(by key: Key) async throws { try await leaving { try await press(key) } }

    private func leaving(_ action: () async throws -> Void) async throws {
        let page = try await element("html")
        try await action()
        while try await isShown(page) { try Task.checkCancellation() }
    }

    /// Keys by their codes in WebDriver (17.4.2).
    enum Key: String {
        case tab = "\u{e004}"
        case left = "\u{e012}"
        case right = "\u{e014}"
    }

    /// Presses a key where the focus is.
    func press(_ key: Key) async throws {
        let strokes = ["keyDown", "keyUp"].map { ["type": $0, "value": key.rawValue] }
        let keyboard: [String: Any] = ["type": "key", "id": "keyboard", "actions": strokes]
        _ = try await order("POST", "/actions", ["actions": [keyboard]])
    }

    /// The page as it would be printed, in PDF.
    func print() async throws -> Data {
        let text = try await order("POST", "/print", [:]) as? String ?? ""
        return Data(base64Encoded: text) ?? Data()
    }

    /// Whether the element still belongs to the page that is shown. While one page replaces another, chromedriver
    /// passes on Chromium's own words instead of the error of the protocol.
    private func isShown(_ element: String) async throws -> Bool {
        do {
            _ = try await order("GET", "/element/\(element)/name")
            return true
        } catch let failure as Failure
            where [": stale element reference: ", "does not belong to the document"].contains(
                where: failure.text.contains)
        {
            return false
        }
    }

    /// Replaces what a field has.
    func type(_ text: String, into selector: String) async throws {
        let id = try await element(selector)
        _ = try await order("POST", "/element/\(id)/clear", [:])
        _ = try await order("POST", "/element/\(id)/value", ["text": text])
    }

    func text(_ selector: String) async throws -> String {
        let id = try await element(selector)
        return try await order("GET", "/element/\(id)/text") as? String ?? ""
    }

    /// The value of an expression of JavaScript, run by the driver.
    func evaluate(_ expression: String) async throws -> Any? {
        try await order("POST", "/execute/sync", ["script": "return \(expression);", "args": [Any]()])
    }

    /// Returns once the page's title matches. Every question waits for a page that is being loaded.
    func until(_ isWanted: (String) -> Bool) async throws {
        while try await !isWanted(title) { try Task.checkCancellation() }
    }

    /// Returns once an expression of JavaScript is true. It must hold until it is asked for again.
    func until(isTrue expression: String) async throws {
        while try await evaluate(expression) as? Bool != true { try Task.checkCancellation() }
    }

    /// A command of the Chrome DevTools Protocol.
    func protocolCommand(_ name: String, _ parameters: [String: Any] = [:]) async throws -> [String: Any] {
        try await order("POST", "/goog/cdp/execute", ["cmd": name, "params": parameters]) as? [String: Any] ?? [:]
    }

    /// Messages of the console since the last call; `SEVERE` ones are errors of scripts and refused loads.
    func consoleErrors() async throws -> [String] {
        let log = try await order("POST", "/se/log", ["type": "browser"]) as? [[String: Any]] ?? []
        return log.filter { $0["level"] as? String == "SEVERE" }.compactMap { $0["message"] as? String }
    }

    /// Addresses that pages have requested since the last call.
    func requestedAddresses() async throws -> [String] {
        let log = try await order("POST", "/se/log", ["type": "performance"]) as? [[String: Any]] ?? []
        return log.compactMap { entry in
            guard let text = entry["message"] as? String,
                let whole = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any],
                let message = whole["message"] as? [String: Any],
                message["method"] as? String == "Network.requestWillBeSent",
                let parameters = message["params"] as? [String: Any],
                let request = parameters["request"] as? [String: Any]
            else { return nil }
            return request["url"] as? String
        }
    }

    /// Roles and names of the accessibility tree: what a screen reader says.
    func accessibleNodes() async throws -> [(role: String, name: String)] {
        _ = try await protocolCommand("Accessibility.enable")
        let tree = try await protocolCommand("Accessibility.getFullAXTree")
        return (tree["nodes"] as? [[String: Any]] ?? []).filter { $0["ignored"] as? Bool != true }.map { node in
            (
                (node["role"] as? [String: Any])?["value"] as? String ?? "",
                (node["name"] as? [String: Any])?["value"] as? String ?? ""
            )
        }
    }

    // MARK: The protocol

    @discardableResult
    private func order(_ method: String, _ path: String, _ body: [String: Any]? = nil) async throws -> Any {
        try await Self.request(port, method, "/session/\(session)\(path)", body)
    }

    private static func request(_ port: UInt16, _ method: String, _ path: String, _ body: [String: Any]?) async throws
        -> Any
    {
        let text =
            try body.map { String(decoding: try JSONSerialization.data(withJSONObject: $0), as: UTF8.self) } ?? ""
        let answer = try await blocking {
            let client = try LoopbackClient(port: port, seconds: 240)
            client.send(
                "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nContent-Type: application/json\r\nContent-Length: \(text.utf8.count)\r\nConnection: close\r\n\r\n\(text)"
            )
            return client.receiveResponse()
        }
        guard let end = answer.range(of: "\r\n\r\n"),
            let document = try JSONSerialization.jsonObject(with: Data(answer[end.upperBound...].utf8))
                as? [String: Any],
            let value = document["value"]
        else { throw Failure(text: "the driver answered \(method) \(path) with: \(answer)") }
        if let error = value as? [String: Any], let name = error["error"] as? String {
            throw Failure(text: "\(path): \(name): \(error["message"] ?? "")")
        }
        return value
    }
}
