import HTTP
import Testing

@Suite(.timeLimit(.minutes(5))) struct WebAddressTests {
    /// The address as written, and as it is sent.
    static let good = [
        ("https://a.example", "https://a.example/"),
        ("HTTPS://A.Example/Path", "https://a.example/Path"),
        ("https://a.example:443/", "https://a.example/"),
        ("https://a.example:80/", "https://a.example:80/"),
        ("https://a.example:8443?x=1", "https://a.example:8443/?x=1"),
        ("https://a.example/?", "https://a.example/?"),
        ("https://a.example/a%2Fb//c;d=e/?x=1&y=/?:@", "https://a.example/a%2Fb//c;d=e/?x=1&y=/?:@"),
        ("https://a.example/größe?q=ü", "https://a.example/gr%C3%B6%C3%9Fe?q=%C3%BC"),
        ("https://a.example/a/../b", "https://a.example/a/../b"),
        ("https://my_host.local.", "https://my_host.local./"),
        ("https://192.0.2.1:1", "https://192.0.2.1:1/"),
        ("https://[2001:db8::1]:8443/x", "https://[2001:db8::1]:8443/x"),
        ("https://xn--bcher-kva.example", "https://xn--bcher-kva.example/"),
        ("https://a.example/x://y", "https://a.example/x://y"),
        ("http://localhost:8086", "http://localhost:8086/"),
        ("http://garden.localhost", "http://garden.localhost/"),
        ("http://127.0.0.1:80/", "http://127.0.0.1/"),
        ("http://127.255.0.3", "http://127.255.0.3/"),
        ("http://[::1]:8123", "http://[::1]:8123/"),
        ("http://[0:0:0:0:0:0:0:1]", "http://[0:0:0:0:0:0:0:1]/"),
    ]

    @Test(arguments: good) func `a valid address is accepted and normalized`(_ text: String, _ result: String) throws {
        let address = try WebAddress(text)
        #expect("\(address)" == result)
        #expect(try WebAddress(result) == address)
    }

    static let bad: [(String, WebAddress.Problem)] = [
        ("", .noScheme("")),
        ("a.example/path", .noScheme("a.example/path")),
        ("mailto:a@b.example", .noScheme("mailto:a@b.example")),
        ("://a.example", .scheme("")),
        ("ftp://a.example", .scheme("ftp")),
        ("file:///etc/passwd", .scheme("file")),
        ("https://", .host("")),
        ("https:///path", .host("")),
        ("https://:80", .host("")),
        ("https://a..example", .host("a..example")),
        ("https://.", .host(".")),
        ("https://" + String(repeating: "a", count: 64), .host(String(repeating: "a", count: 64))),
        ("https://a%2eexample", .host("a%2eexample")),
        ("https://bücher.example", .host("bücher.example")),
        ("https://a,b", .host("a,b")),
        ("https://[::1", .host("[::1")),
        ("https://[::g]", .host("[::g]")),
        ("https://[127.0.0.1]", .host("[127.0.0.1]")),
        ("https://[fe80::1%25eth0]", .host("[fe80::1%25eth0]")),
        ("https://[::1]8080", .port("080")),
        ("https://a.example:", .port("")),
        ("https://a.example:0", .port("0")),
        ("https://a.example:65536", .port("65536")),
        ("https://a.example:+80", .port("+80")),
        ("https://a.example:99999999999999999999", .port("99999999999999999999")),
        ("https://anna:secret@a.example", .credentials),
        ("https://anna@a.example/", .credentials),
        ("https://a.example\\@b.example", .credentials),
        ("https://a.example/#top", .fragment),
        ("https://a.example#", .fragment),
        ("https://a.example/a b", .character(" ")),
        ("https://a.example/\r\nX: y", .character("\r")),
        ("https://a.example/\0", .character("\0")),
        ("https://a.example/\u{202E}", .character("\u{202E}")),
        (" https://a.example", .character(" ")),
        ("https://a.example/<x>", .character("<")),
        ("https://a.example/{user}", .character("{")),
        ("https://a.example\\b", .host("a.example\\b")),
        ("https://a.example/%", .escape),
        ("https://a.example/%4", .escape),
        ("https://a.example/%zz", .escape),
        ("https://a.example/?%", .escape),
        ("https://a.example/" + String(repeating: "a", count: 8000), .tooLong(limit: 8000)),
        ("http://a.example", .insecure(host: "a.example")),
        ("http://127.0.0.1.example", .insecure(host: "127.0.0.1.example")),
        ("http://localhost.example", .insecure(host: "localhost.example")),
        ("http://notlocalhost", .insecure(host: "notlocalhost")),
        ("http://128.0.0.1", .insecure(host: "128.0.0.1")),
        ("http://127.1", .insecure(host: "127.1")),
        ("http://127.0.0.01", .insecure(host: "127.0.0.01")),
        ("http://127.0.0.256", .insecure(host: "127.0.0.256")),
        ("http://0x7f.0.0.1", .insecure(host: "0x7f.0.0.1")),
        ("http://0.0.0.0", .insecure(host: "0.0.0.0")),
        ("http://[::2]", .insecure(host: "[::2]")),
        ("http://[::ffff:127.0.0.1]", .insecure(host: "[::ffff:127.0.0.1]")),
    ]

    @Test(arguments: bad) func `an invalid address is rejected with the reason`(
        _ text: String, _ problem: WebAddress.Problem
    ) {
        #expect(throws: problem) { try WebAddress(text) }
    }

    @Test func `plain HTTP to another host requires the insecure option`() throws {
        #expect("\(try WebAddress("http://192.0.2.1:8086/write", insecure: true))" == "http://192.0.2.1:8086/write")
        #expect(throws: WebAddress.Problem.scheme("ftp")) { try WebAddress("ftp://a.example", insecure: true) }
    }

    @Test func `the origin contains neither path nor query`() throws {
        let address = try WebAddress("https://a.example:8123/api/webhook/t0ps3cret?x=y")
        #expect(address.origin == "https://a.example:8123")
    }

    static let words: [(WebAddress.Problem, String)] = [
        (.noScheme("a.example"), "an address begins with https://, as in \"https://a.example\""),
        (.noScheme("mailto:a:secret@b"), "an address begins with https://"),
        (.noScheme("a.example?token=secret"), "an address begins with https://"),
        (.scheme("ftp"), "an address begins with https:// or http://, not with \"ftp://\""),
        (.host(""), "there is no host after ://"),
        (.host("a..b"), "\"a..b\" is not a host name or address"),
        (.host("bücher"), "\"bücher\" is not an ASCII host name; write it in its form with xn--"),
        (.port("0"), "\"0\" is not a port; ports are 1 to 65535"),
        (.credentials, "an address cannot contain a user or password; use separate keys for them"),
        (
            .fragment,
            "the address of a service cannot have a fragment (# and what follows); remove it, or write %23 for a literal #"
        ),
        (.character("\u{1B}"), "the character \"\\u{1b}\" is not allowed in an address; write it percent-encoded"),
        (.escape, "a % in an address is followed by two hexadecimal digits; write %25 where a % is meant"),
        (.tooLong(limit: 8000), "an address cannot have more than 8000 bytes"),
        (
            .insecure(host: "a.example"),
            "plain http sends everything, including tokens, unencrypted to a.example; use https, or set `insecure` to true"
        ),
        (
            .unknownName("usr\n", known: ["date", "user"]),
            "the template names {usr\\u{a}}; known names: {date}, {user}"
        ),
    ]

    @Test(arguments: words) func `each problem has an explanatory message`(
        _ problem: WebAddress.Problem, _ words: String
    ) {
        #expect("\(problem)" == words)
    }
}
