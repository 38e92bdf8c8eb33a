import Testing

@testable import Sharing

/// Challenges of servers (RFC 9110, section 11.6.1).
@Suite(.timeLimit(.minutes(5))) struct ChallengeTests {
    @Test(arguments: [
        ("", []), (",, ,", []), ("realm=\"x\"", []), ("Negotiate", ["negotiate"]),
        ("Basic realm=\"a, Digest b\"", ["basic realm=a, Digest b"]),
        ("Bearer abc==", ["bearer abc=="]),
        (
            "Newauth realm=\"apps\", type=1, title=\"Login to \\\"apps\\\"\", Basic realm = \"simple\"",
            ["newauth realm=apps title=Login to \"apps\" type=1", "basic realm=simple"]
        ),
        ("Digest\tRealm=x,QOP=\"auth,auth-int\" ", ["digest qop=auth,auth-int realm=x"]),
        ("Digest nonce=\"never closed, Basic", ["digest nonce=never closed, Basic"]),
    ]) func `a header can have several challenges`(_ header: String, _ expected: [String]) {
        let found = Challenge.all(inHeader: header).map { challenge in
            ([challenge.scheme] + challenge.parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" })
                .joined(separator: " ")
        }
        #expect(found == expected)
    }

    @Test(arguments: [
        ("Digest realm=x", true), ("Digest algorithm=MD5-sess", true), ("Digest algorithm=\"SHA-256\", qop=auth", true),
        ("Digest algorithm=SHA-512-256", false), ("Digest qop=auth-int", false),
        ("Digest qop=\"auth-int, auth\"", true),
    ]) func `of Digest, the forms of libcurl are known`(_ header: String, _ isSupported: Bool) {
        #expect(Challenge.all(inHeader: header).map(\.isSupportedDigest) == [isSupported])
    }
}
