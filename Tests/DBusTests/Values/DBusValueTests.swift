import DBus
import Testing

@Suite(.timeLimit(.minutes(5))) struct DBusValueTests {
    @Test(arguments: [
        (DBusValue.byte(1), "y"), (.boolean(true), "b"), (.int16(1), "n"), (.uint16(1), "q"), (.int32(1), "i"),
        (.uint32(1), "u"),
        (.int64(1), "x"), (.uint64(1), "t"), (.double(1), "d"), (.string(""), "s"), (.objectPath("/"), "o"),
        (.signature("s"), "g"),
        (.bytes([]), "ay"), (.strings([]), "as"), (.objectPaths([]), "ao"), (.properties([:]), "a{sv}"),
        (.structure([.byte(1), .structure([.string("")])]), "(y(s))"), (.variant(.strings([])), "v"),
        (.dictionary(key: "o", value: "a{sa{sv}}", [:]), "a{oa{sa{sv}}}"), (.array(element: "(yv)", []), "a(yv)"),
    ])
    func `each value has the right signature`(_ value: DBusValue, _ signature: String) {
        #expect(value.signature == signature)
    }

    @Test func `properties are wrapped in only one variant`() {
        let properties = DBusValue.properties(["plain": .byte(1), "wrapped": .variant(.byte(2))])
        #expect(
            properties.dictionaryValue == [
                .string("plain"): .variant(.byte(1)), .string("wrapped"): .variant(.byte(2)),
            ])
        #expect(properties.propertiesValue == ["plain": .byte(1), "wrapped": .byte(2)])
    }

    @Test func `accessors read values inside variants`() {
        #expect(DBusValue.variant(.variant(.string("text"))).stringValue == "text")
        #expect(DBusValue.variant(.boolean(false)).boolValue == false)
        #expect(DBusValue.variant(.double(0.5)).doubleValue == 0.5)
        #expect(DBusValue.variant(.objectPath("/a")).pathValue == "/a")
        #expect(DBusValue.variant(.bytes([1, 2])).bytesValue == [1, 2])
        #expect(DBusValue.variant(.structure([.byte(1)])).structureValue == [.byte(1)])
        #expect(DBusValue.variant(.strings(["a"])).arrayValue == [.string("a")])
        #expect(DBusValue.variant(.properties(["a": .byte(1)])).propertiesValue == ["a": .byte(1)])
    }

    @Test func `paths and signatures are readable as text`() {
        #expect(DBusValue.objectPath("/a").stringValue == "/a")
        #expect(DBusValue.signature("as").stringValue == "as")
    }

    @Test func `integers of all types are readable if they fit`() {
        #expect(DBusValue.byte(255).intValue == 255)
        #expect(DBusValue.int16(-2).intValue == -2)
        #expect(DBusValue.uint16(2).intValue == 2)
        #expect(DBusValue.int32(-2).intValue == -2)
        #expect(DBusValue.uint32(.max).intValue == Int(UInt32.max))
        #expect(DBusValue.int64(.min).intValue == Int.min)
        #expect(DBusValue.uint64(UInt64(Int.max)).intValue == Int.max)
        #expect(DBusValue.uint64(.max).intValue == nil)
    }

    @Test func `an array of bytes is readable as bytes and as array`() {
        #expect(DBusValue.bytes([1, 2]).arrayValue == [.byte(1), .byte(2)])
        #expect(DBusValue.array(element: "y", [.byte(1), .byte(2)]).bytesValue == [1, 2])
    }

    @Test func `accessors return nil for other types`() {
        let value = DBusValue.structure([.byte(1)])
        #expect(value.stringValue == nil)
        #expect(value.boolValue == nil)
        #expect(value.intValue == nil)
        #expect(value.doubleValue == nil)
        #expect(value.pathValue == nil)
        #expect(value.bytesValue == nil)
        #expect(value.arrayValue == nil)
        #expect(value.dictionaryValue == nil)
        #expect(value.propertiesValue == nil)
        #expect(value.fileDescriptorValue == nil)
        #expect(DBusValue.byte(1).structureValue == nil)
        // A number is not a Boolean, and the keys of properties are strings.
        #expect(DBusValue.byte(1).boolValue == nil)
        #expect(DBusValue.dictionary(key: "q", value: "v", [:]).propertiesValue == nil)
    }
}
