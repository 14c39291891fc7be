// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import AuthorizationServer

@Suite("WCAG 2.2: every page in every state")
struct PageAccessibilityTests {
    @Test(arguments: SamplePages.all + [SamplePages.formPost().html()])
    func `says its language, its title and one main heading`(html: String) throws {
        let page = try PageReader(html)
        #expect(page.all("html").first?.attributes["lang"] == "en")
        #expect(page.text(of: "title")?.contains(" – ") == true)
        #expect(page.all("h1").count == 1)
        #expect(page.all("h1").first?.ancestors.contains("main") == true)
        #expect(page.all("main").count == 1)
    }

    @Test(arguments: SamplePages.all + [SamplePages.formPost().html()])
    func `gives every field a label and every reference a target`(html: String) throws {
        let page = try PageReader(html)
        let ids = page.elements.compactMap { $0.attributes["id"] }
        #expect(Set(ids).count == ids.count)
        let labelled = page.all("label").compactMap { $0.attributes["for"] }
        for input in page.all("input") where input.attributes["type"] != "hidden" {
            #expect(labelled.contains(try #require(input.attributes["id"])))
        }
        for element in page.elements {
            for name in ["for", "aria-describedby", "aria-labelledby"] {
                guard let target = element.attributes[name] else { continue }
                #expect(ids.contains(target))
            }
            // A button in a form submits unless told otherwise; ours say so, and say what they do.
            if element.name == "button" {
                #expect(element.attributes["type"] == "submit")
                #expect(!element.text.isEmpty)
            }
        }
    }

    @Test(arguments: SamplePages.all + [SamplePages.formPost().html()])
    func `lets a phone zoom and an eye choose the colours`(html: String) throws {
        let meta = try PageReader(html).all("meta")
        let viewport = try #require(meta.first { $0.attributes["name"] == "viewport" })
        #expect(viewport.attributes["content"] == "width=device-width, initial-scale=1")
        #expect(meta.contains { $0.attributes["name"] == "color-scheme" && $0.attributes["content"] == "light dark" })
    }

    @Test(arguments: SamplePages.all)
    func `holds one script at most, no style attribute, no handler and nothing from elsewhere`(html: String) throws {
        let page = try PageReader(html)
        #expect(page.all("script").allSatisfy { $0.text == SubmitGuard.script })
        #expect(page.all("style").count == 1)
        #expect(page.all("meta").allSatisfy { $0.attributes["http-equiv"] == nil })
        for element in page.elements {
            #expect(element.attributes["style"] == nil)
            #expect(element.attributes.keys.allSatisfy { !$0.hasPrefix("on") })
            #expect(element.attributes["src"] == nil)
            let isLink = element.name == "a" && element.attributes["href"]?.hasPrefix("/") == true
            #expect(isLink || element.attributes["href"]?.hasPrefix("data:image/svg+xml,") != false)
            #expect(element.attributes["action"]?.hasPrefix("/") != false)
        }
    }

    @Test(arguments: SamplePages.all + [SamplePages.formPost().html()])
    func `stays under eight kibibytes`(html: String) {
        #expect(html.utf8.count < 8192)
    }

    @Test(arguments: SamplePages.all + [SamplePages.formPost().html()])
    func `puts the cursor in one place at most`(html: String) throws {
        let focused = try PageReader(html).elements.filter { $0.attributes["autofocus"] != nil }
        #expect(focused.count <= 1)
    }
}
