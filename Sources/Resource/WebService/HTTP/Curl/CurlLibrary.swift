internal import CCurl

/// libcurl, loaded when it is first needed.
enum CurlLibrary {
    /// Why it cannot be used; nil if it can.
    static let problem: String? = load("libcurl.so.4")

    /// Not by two threads at once.
    static func load(_ name: String) -> String? {
        guard let reason = ccurl_load(name) else { return nil }
        return "sharing needs libcurl: apt-get install libcurl4 (\(printable(String(cString: reason))))"
    }
}
