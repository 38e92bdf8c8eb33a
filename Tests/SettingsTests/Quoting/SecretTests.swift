import Foundation
import Quoting
import Testing

@Suite struct SecretTests {
    private let secret = Secret("s3cr/et+ t\"&k€n")

    @Test func nothingShowsASecret() {
        var dumped = ""
        dump([secret], to: &dumped)
        let shown = ["\(secret)", String(reflecting: secret), String(describing: [secret]), "\(Optional(secret) as Any)", dumped]
        for text in shown {
            #expect(!text.contains("cr"))
            #expect(text.contains("•••••"))
        }
        #expect(secret.reveal() == "s3cr/et+ t\"&k€n")
    }

    @Test(arguments: [
        "s3cr/et+ t\"&k€n", "s3cr%2Fet%2B%20t%22%26k%E2%82%ACn", "s3cr%2fet%2b+t%22%26k%e2%82%acn",
        "%73%33%63%72%2F%65%74%2B%20%74%22%26%6B%E2%82%AC%6E", "s3cr\\/et+ t\\\"&k\\u20acn", "s3cr/et\\u002b t\\\"\\u0026k\\u20ACn",
        "s3cr/et+ t&quot;&amp;k€n", "s3cr&#47;et&#x2B; t&#34;&#x26;k&#8364;n",
    ])
    func everySpellingIsReplaced(spelling: String) {
        #expect(secret.scrubbed(from: spelling) == "•••••")
        #expect(secret.scrubbed(from: "token \(spelling), \(spelling)!") == "token •••••, •••••!")
    }

    @Test(arguments: ["", "a", "ab", "abc", "ada:", "user:"], ["", "x", "xy", "xyz"])
    func withinBase64ItIsReplaced(before: String, behind: String) {
        let whole = Data("\(before)tøken?>~ÿ\(behind)".utf8).base64EncodedString()
        for encoded in [whole, whole.replacing("+", with: "-").replacing("/", with: "_"), whole.replacing("/", with: "\\/").replacing("+", with: "%2B")] {
            let scrubbed = Secret("tøken?>~ÿ").scrubbed(from: "Authorization: Basic \(encoded) refused")
            #expect(scrubbed.hasPrefix("Authorization: Basic "))
            #expect(scrubbed.hasSuffix(" refused"))
            #expect(scrubbed.contains("•••••"))
            // Only what stands before and behind is left, so that nothing that is left can be decoded to it.
            let left = scrubbed.dropFirst("Authorization: Basic ".count).dropLast(" refused".count).replacing("•••••", with: "")
            #expect(left.count <= before.utf8.count * 2 + behind.utf8.count * 2 + 2, "\(scrubbed)")
        }
    }

    @Test func occurrencesThatOverlapAreReplacedWhole() {
        #expect(Secret("aba").scrubbed(from: "xababax") == "x•••••x")
        #expect(Secret("%%").scrubbed(from: "%25%25 %%% %25%") == "••••• ••••• •••••")
    }

    @Test func otherTextStaysAsItIs() {
        #expect(secret.scrubbed(from: "s3cr/et") == "s3cr/et")
        #expect(secret.scrubbed(from: "\r\n🚶‍♀️ 8123 steps") == "\r\n🚶‍♀️ 8123 steps")
        #expect(Secret("").scrubbed(from: "text") == "text")
        #expect(Secret("abc").scrubbed(from: "") == "")
        #expect(Secret("abc").scrubbed(from: "ABC") == "ABC")
    }
}
