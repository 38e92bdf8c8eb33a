internal import Glibc

/// Rules for host names.
package enum HostName {
    /// A name (RFC 1123, section 2.1, with the underscore that home networks use) or an address, an IPv6 zone included.
    package static func isValid(_ host: String) -> Bool {
        if isIPv6(host) { return true }
        guard (1...253).contains(host.utf8.count), !host.hasPrefix("-"), !host.hasPrefix(".") else { return false }
        return host.utf8.allSatisfy { $0.isAlphanumeric || ".-_".utf8.contains($0) }
    }

    /// This machine: `localhost` and names below it (RFC 6761, section 6.3), 127.0.0.0/8 and ::1.
    package static func isLoopback(_ host: String) -> Bool {
        let name = host.lowercased()
        if name == "localhost" || name.hasSuffix(".localhost") { return true }
        var four = in_addr()
        // Strictly four numbers: other forms of an address, such as 127.1, would be one more source of errors.
        if inet_pton(AF_INET, host, &four) == 1 { return UInt32(bigEndian: four.s_addr) >> 24 == 127 }
        var six = in6_addr()
        guard inet_pton(AF_INET6, host, &six) == 1 else { return false }
        return withUnsafeBytes(of: six) { $0.dropLast().allSatisfy { $0 == 0 } && $0.last == 1 }
    }

    private static func isIPv6(_ host: String) -> Bool {
        let parts = host.split(separator: "%", omittingEmptySubsequences: false)
        guard parts.count <= 2, let address = parts.first else { return false }
        let zone = parts.count == 2 ? parts[1] : "lo"
        guard (1...15).contains(zone.utf8.count), zone.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) else {
            return false
        }
        var six = in6_addr()
        return inet_pton(AF_INET6, String(address), &six) == 1
    }
}
