import DBus
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5))) struct ObjectPathTests {
    @Test(arguments: ["/", "/a", "/org/bluez/hci0/dev_C0_DE_00_00_00_01", "/_/0/Z9"])
    func `a valid path is accepted`(_ text: String) {
        #expect(ObjectPath(text)?.string == text)
    }

    @Test(arguments: ["", "a", "//", "/a/", "/a//b", "/a-b", "/a.b", "/ä", "/a b", "/a\0", "/a\u{301}"])
    func `an invalid path is rejected`(_ text: String) {
        #expect(ObjectPath(text) == nil)
    }

    @Test func `a path has a parent and accepts new elements`() {
        #expect(ObjectPath.root.appending("a").appending("b_1") == "/a/b_1")
        #expect(ObjectPath("/a/b_1").parent == "/a")
        #expect(ObjectPath("/a").parent == .root)
        #expect(ObjectPath.root.parent == nil)
        #expect(ObjectPath("/a/b_1").lastElement == "b_1")
        #expect(ObjectPath.root.lastElement == "")
    }

    @Test func `the subtree check compares whole path elements`() {
        let path: ObjectPath = "/org/bluez/hci0"
        #expect(path.isInside("/"))
        #expect(path.isInside("/org/bluez"))
        #expect(path.isInside(path))
        #expect(!path.isInside("/org/blue"))
        #expect(!path.isInside("/org/bluez/hci0/dev"))
        #expect(!ObjectPath("/org/bluez/hci01").isInside(path))
    }

    @Test func `a path is encoded and decoded as text`() throws {
        let path: ObjectPath = "/org/bluez"
        let json = try JSONEncoder().encode([path])
        #expect(try JSONDecoder().decode([ObjectPath].self, from: json) == [path])
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([ObjectPath].self, from: Data(#"["no path"]"#.utf8))
        }
    }
}
