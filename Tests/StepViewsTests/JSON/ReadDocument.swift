import Foundation

@testable import StepViews

/// What a program reads of a view's JSON: `document.hours[7].steps == 812`.
@dynamicMemberLookup
struct ReadDocument: Equatable, CustomStringConvertible {
    private let value: NSObject

    init(_ view: some View) throws {
        self.init(try JSONSerialization.jsonObject(with: Data(view.json().utf8)))
    }

    private init(_ value: Any?) { self.value = value as? NSObject ?? ReadDocument.missing }

    /// A key that is not there is equal to no value, not even to null.
    private static var missing: NSObject { NSObject() }
    static var null: ReadDocument { ReadDocument(NSNull()) }

    subscript(dynamicMember key: String) -> ReadDocument { ReadDocument((value as? [String: Any])?[key]) }
    subscript(index: Int) -> ReadDocument { ReadDocument(list.indices.contains(index) ? list[index].value : nil) }
    var list: [ReadDocument] { (value as? [Any] ?? []).map { ReadDocument($0) } }
    var description: String { value.description }
}

extension ReadDocument: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral
{
    init(integerLiteral value: Int) { self.init(value as NSNumber) }
    init(floatLiteral value: Double) { self.init(value as NSNumber) }
    init(stringLiteral value: String) { self.init(value as NSString) }
    init(booleanLiteral value: Bool) { self.init(value as NSNumber) }
    init(arrayLiteral elements: ReadDocument...) { self.init(elements.map(\.value) as NSArray) }
}
