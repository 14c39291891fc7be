// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import StrictJSON

/// How the server signs users in without a browser.
struct FirstPartyRules {
    var isOffered = true
    var password = "secret"
    /// The offers after a right password, whose right answer is `code=123456`; none means a code at once.
    var secondSteps: [JSONValue] = []
    /// Whether each response has a new `auth_session`, as ours has.
    var replacesSessions = true

    func announce(in metadata: inout JSONObject) {
        guard isOffered else { return }
        metadata["authorization_challenge_endpoint"] = "https://auth.example/authorize-challenge"
    }
}

/// What the server remembers of sign-ins without a browser.
struct FirstPartyLog {
    struct Place {
        let first: FormParameters
        var isPasswordProven = false
    }

    /// Open sign-ins by `auth_session`.
    var open: [String: Place] = [:]
    /// The values of finished sign-ins, each with its key.
    var finished: [String: String] = [:]
    /// Every form that was received, in order.
    var forms: [FormParameters] = []
}

extension FakeServer {
    /// The forms that the authorization challenge endpoint received.
    var challengeForms: [FormParameters] { firstParty.forms }

    /// The endpoint of OAuth 2.0 for First-Party Applications section 5.
    func challenge(_ form: FormParameters, _ proof: ReceivedProof) -> HTTPResponse {
        firstParty.forms.append(form)
        return form.text("step") == nil ? first(form, proof) : answer(form, proof)
    }

    private func first(_ form: FormParameters, _ proof: ReceivedProof) -> HTTPResponse {
        guard form.text("response_type") == "code", form.text("code_challenge") != nil,
            form.text("dpop_jkt") == proof.thumbprint
        else { return .error(400, "invalid_request") }
        if let earlier = form.text("auth_session") {
            guard firstParty.finished[earlier] == proof.thumbprint else { return .error(400, "invalid_session") }
            firstParty.finished[earlier] = nil
            return code(for: form, proof)
        }
        return steps([["type": "password"], ["type": "redirect_to_web"]], FirstPartyLog.Place(first: form))
    }

    private func answer(_ form: FormParameters, _ proof: ReceivedProof) -> HTTPResponse {
        guard let session = form.text("auth_session"), var place = firstParty.open[session],
            place.first.text("dpop_jkt") == proof.thumbprint
        else { return .error(400, "invalid_session") }
        firstParty.open[session] = nil
        switch form.text("step") {
        case "redirect_to_web": return redirect(place.first)
        case "password" where form.text("password") != rules.firstParty.password:
            return steps([["type": "password"], ["type": "redirect_to_web"]], place, "wrong_answer", instead: session)
        case "password" where rules.firstParty.secondSteps.isEmpty: return code(for: place.first, proof)
        case "password":
            place.isPasswordProven = true
            return steps(rules.firstParty.secondSteps, place, instead: session)
        case .some where place.isPasswordProven && form.text("code") == "123456": return code(for: place.first, proof)
        default: return steps(rules.firstParty.secondSteps, place, "wrong_answer", instead: session)
        }
    }

    private func steps(
        _ steps: [JSONValue],
        _ place: FirstPartyLog.Place,
        _ problem: String? = nil,
        instead old: String? = nil
    ) -> HTTPResponse {
        let keeps = old != nil && !rules.firstParty.replacesSessions
        counter += 1
        let session = keeps ? old ?? "" : "session-\(counter)"
        firstParty.open[session] = place
        var body: JSONObject = ["error": "insufficient_authorization", "steps": .array(steps)]
        if !keeps { body["auth_session"] = .string(session) }
        body["auth_session_expires_in"] = 287
        body["problem"] = problem.map { .string($0) }
        return .json(403, body)
    }

    private func code(for form: FormParameters, _ proof: ReceivedProof) -> HTTPResponse {
        counter += 1
        let (code, session) = ("code-\(counter)", "finished-\(counter)")
        codes[code] = form
        firstParty.finished[session] = proof.thumbprint
        return .json(
            200,
            [
                "authorization_code": .string(code), "auth_session": .string(session),
                "auth_session_expires_in": 28_800,
            ]
        )
    }

    private func redirect(_ form: FormParameters) -> HTTPResponse {
        guard form.text("redirect_uri") != nil else { return .error(403, "redirect_to_web") }
        counter += 1
        let reference = "urn:ietf:params:oauth:request_uri:\(counter)"
        pushed[reference] = form
        return .json(
            403,
            ["error": "redirect_to_web", "request_uri": .string(reference), "expires_in": 590]
        )
    }
}

extension FormParameters {
    /// The value of a parameter that occurs once.
    func text(_ name: String) -> String? {
        (try? value(for: name)) ?? nil
    }
}
