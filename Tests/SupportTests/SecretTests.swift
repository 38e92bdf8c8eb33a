import Foundation
import Support
import Testing

@Suite(.timeLimit(.minutes(5))) struct SecretTests {
    private let secret = Secret("s3cr/et+ t\"&k€n")

    @Test func `a secret is not shown in descriptions or dumps`() {
        var dumped = ""
        dump([secret], to: &dumped)
        let shown = [
            "\(secret)", String(reflecting: secret), String(describing: [secret]), "\(Optional(secret) as Any)", dumped,
        ]
        for text in shown {
            #expect(!text.contains("cr"))
            #expect(text.contains("•••••"))
        }
        #expect(secret.reveal() == "s3cr/et+ t\"&k€n")
    }

    @Test(arguments: [
        "s3cr/et+ t\"&k€n", "s3cr%2Fet%2B%20t%22%26k%E2%82%ACn", "s3cr%2fet%2b+t%22%26k%e2%82%acn",
        "%73%33%63%72%2F%65%74%2B%20%74%22%26%6B%E2%82%AC%6E", "s3cr\\/et+ t\\\"&k\\u20acn",
        "s3cr/et\\u002b t\\\"\\u0026k\\u20ACn",
        "s3cr/et+ t&quot;&amp;k€n", "s3cr&#47;et&#x2B; t&#34;&#x26;k&#8364;n",
    ])
    func `every encoded form of a secret is replaced`(spelling: String) {
        #expect(secret.scrubbed(from: spelling) == "•••••")
        #expect(secret.scrubbed(from: "token \(spelling), \(spelling)!") == "token •••••, •••••!")
    }

    @Test(arguments: ["", "a", "ab", "abc", "ada:", "user:"], ["", "x", "xy", "xyz"])
    func `a secret within Base64 text is replaced with all its bits`(before: String, behind: String) {
        let secret = "tøken?>~ÿ"
        let whole = Data((before + secret + behind).utf8).base64EncodedString()
        // Six bits per character; a character with bits of the secret and of other text belongs to the secret.
        let first = before.utf8.count * 8 / 6, end = ((before + secret).utf8.count * 8 + 5) / 6
        let expected = String(whole.prefix(first) + "•••••" + whole.dropFirst(end))
        let inURL = { (text: String) in text.replacing("+", with: "-").replacing("/", with: "_") }
        #expect(Secret(secret).scrubbed(from: "Basic \(whole) refused") == "Basic \(expected) refused")
        #expect(Secret(secret).scrubbed(from: "Basic \(inURL(whole)) refused") == "Basic \(inURL(expected)) refused")
        let escaped = whole.replacing("/", with: "\\/").replacing("+", with: "%2B")
        #expect(Secret(secret).scrubbed(from: escaped).count <= expected.count + 6)
    }

    @Test func `overlapping occurrences are replaced as a whole`() {
        #expect(Secret("aba").scrubbed(from: "xababax") == "x•••••x")
        #expect(Secret("%%").scrubbed(from: "%25%25 %%% %25%") == "••••• ••••• •••••")
    }

    @Test func `text without the secret stays unchanged`() {
        #expect(secret.scrubbed(from: "s3cr/et") == "s3cr/et")
        #expect(secret.scrubbed(from: "\r\n🚶‍♀️ 8123 steps") == "\r\n🚶‍♀️ 8123 steps")
        #expect(Secret("").scrubbed(from: "text") == "text")
        #expect(Secret("abc").scrubbed(from: "") == "")
        #expect(Secret("abc").scrubbed(from: "ABC") == "ABC")
    }
}
