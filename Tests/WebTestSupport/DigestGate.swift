internal import Foundation
internal import Glibc

/// What a server knows and checks in Digest authentication with `qop=auth` (RFC 7616).
public struct DigestGate: Sendable {
    public enum Algorithm: String, CaseIterable, Sendable {
        case md5 = "MD5"
        case sha256 = "SHA-256"
    }

    private let user: String
    private let password: String
    private let realm: String
    private let algorithm: Algorithm

    public init(user: String, password: String, realm: String = "steps", algorithm: Algorithm = .sha256) {
        (self.user, self.password, self.realm, self.algorithm) = (user, password, realm, algorithm)
    }

    /// The header of an answer (401) that asks for credentials.
    public func challenge(nonce: String, isStale: Bool = false) -> (String, String) {
        let stale = isStale ? ", stale=true" : ""
        return (
            "WWW-Authenticate",
            "Digest realm=\"\(realm)\", qop=\"auth\", algorithm=\(algorithm.rawValue), nonce=\"\(nonce)\"\(stale)"
        )
    }

    /// Whether the request has the right answer to a challenge with this nonce.
    public func admits(_ request: ReceivedRequest, nonce: String) -> Bool {
        guard let values = Self.values(request), values["nonce"] == nonce, values["username"] == user,
            values["realm"] == realm, values["uri"] == request.target, values["qop"] == "auth",
            values["algorithm"] == algorithm.rawValue, let count = values["nc"], let own = values["cnonce"]
        else { return false }
        let expected = response(
            method: request.method, target: request.target, nonce: nonce, count: count, clientNonce: own)
        return values["response"] == expected
    }

    /// Section 3.4.1.
    public func response(method: String, target: String, nonce: String, count: String, clientNonce: String) -> String {
        let secret = hash("\(user):\(realm):\(password)")
        return hash("\(secret):\(nonce):\(count):\(clientNonce):auth:\(hash("\(method):\(target)"))")
    }

    /// The values of the header `Authorization: Digest`; nil if it has another form.
    private static func values(_ request: ReceivedRequest) -> [String: String]? {
        guard let header = request.header("Authorization"), header.hasPrefix("Digest ") else { return nil }
        let pairs = header.dropFirst(7).matches(of: /([a-z]+)=("((?:[^"\\]|\\.)*)"|[^", ]+)/).map {
            (String($0.1), String($0.3 ?? $0.2).replacing(/\\(.)/) { String($0.1) })
        }
        return Dictionary(pairs) { first, _ in first }
    }

    private func hash(_ text: String) -> String { LibCrypto.hash(algorithm.rawValue, text) }
}

/// OpenSSL, which the tests have for certificates.
private enum LibCrypto {
    private typealias Hash =
        @convention(c) (
            OpaquePointer?, UnsafePointer<CChar>, UnsafePointer<CChar>?, UnsafeRawPointer?, Int,
            UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<Int>
        ) -> Int32

    private static let function: Hash = {
        guard let library = dlopen("libcrypto.so.3", RTLD_NOW), let symbol = dlsym(library, "EVP_Q_digest") else {
            fatalError("libcrypto.so.3 is missing: .ci/packages --test installs it")
        }
        return unsafeBitCast(symbol, to: Hash.self)
    }()

    static func hash(_ name: String, _ text: String) -> String {
        let bytes = Array(text.utf8)
        var result = [UInt8](repeating: 0, count: 64)
        var size = 0
        guard function(nil, name, nil, bytes, bytes.count, &result, &size) == 1 else {
            fatalError("OpenSSL does not know \(name)")
        }
        return result.prefix(size).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}
