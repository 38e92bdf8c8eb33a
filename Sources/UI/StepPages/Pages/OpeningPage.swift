/// A file that leads a browser on to an address of the local page.
package enum OpeningPage {
    /// - Parameter address: with the token. It is the one address in all pages that is not of the same server; it is written by the program.
    package static func source(leadingTo address: String) -> String {
        let document =
            Markup.doctype
            + Element.html(Attribute(.lang, "en")) {
                Element.head {
                    Element.meta(Attribute(.charset, "utf-8"))
                    Element.meta(Attribute(.httpEquiv, "refresh"), Attribute(.content, "0; url=\(address)"))
                    Element.title { "istep" }
                }
                Element.body { Element.p { "Your pages open now." } }
            }
        return document.source
    }
}
