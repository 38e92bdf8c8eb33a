internal import CRsvg
internal import Glibc
internal import StepDomain
internal import Synchronization

/// A picture of a day, for a post: drawn by the program, sent by a destination.
public struct DayPicture: Hashable, Sendable {
    /// An SVG document with a size of its own.
    public var svg: String
    /// In pixels.
    public var width, height: Int
    /// A description as text, for users who cannot see the picture.
    public var description: String

    public init(svg: String, width: Int, height: Int, description: String) {
        self.svg = svg
        self.width = width
        self.height = height
        self.description = description
    }

    /// The picture as a PNG file, by librsvg.
    ///
    /// - Parameter library: its file's name.
    /// - Throws: `misconfigured` if the library is missing; `rejected` if it cannot draw the picture.
    func png(library: String = Self.library) throws(ShareFailure) -> [UInt8] {
        if let problem = Self.problem(library: library) {
            throw ShareFailure(.misconfigured, problem, advice: Self.advice)
        }
        var bytes: UnsafeMutablePointer<UInt8>?
        var size = 0
        var reason = [CChar](repeating: 0, count: 300)
        let source = Array(svg.utf8)
        guard crsvg_png(source, source.count, Int32(width), Int32(height), &bytes, &size, &reason, reason.count),
            let bytes
        else {
            let text = String(decoding: reason.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            throw ShareFailure(
                .rejected, "the picture cannot be drawn: \(text)", advice: "Post without it: picture = false")
        }
        defer { free(bytes) }
        return Array(UnsafeBufferPointer(start: bytes, count: size))
    }

    static let library = "librsvg-2.so.2"
    private static let advice =
        "Install librsvg (Debian and Ubuntu: sudo apt-get install librsvg2-2), or post without a picture: picture = false"
    private static let loading = Mutex(())

    /// Why pictures cannot be drawn on this machine; nil if they can.
    static func problem(library: String = Self.library) -> String? {
        loading.withLock { _ in
            crsvg_load(library).map { "`picture` needs librsvg, which cannot be loaded: \(String(cString: $0))" }
        }
    }
}
