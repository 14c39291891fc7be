// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthSystem

/// HAProxy with a Lua action.
enum HAProxyTemplate {
    /// The configuration for an API and others beside it, each with a host of its own, all on one port.
    static func text(_ settings: ProxySettings, others: [ProxySettings] = []) -> String {
        """
        \(settings.comment("HAProxy 2.6 or later, with Lua; tried with 2.6.", "/etc/haproxy/haproxy.cfg", others: others))
        # The Lua action: keybound gateway config haproxy --lua > \(settings.luaFile)
        global
            # What is set here comes before the action, which is loaded where it stands and reads it.
        .if version_atleast(2.9)
            # A question is asked once, since it uses up the proof, and may take as long as behind the other proxies.
            httpclient.retries 0
            setenv KEYBOUND_TIMEOUT 5000
        .endif
            setenv KEYBOUND_GATEWAY \(settings.gateway.path.map { "unix@\($0)" } ?? "ipv4@\(settings.gateway.text)")
            lua-load-per-thread \(settings.luaFile)
        \(user(settings))
            maxconn 1000

        defaults
            mode http
            timeout client 30s
            timeout server 30s
            timeout connect 2s
            timeout tunnel 1h
            http-reuse safe
            # Fields behind a body are not read here: an API behind an older HAProxy must not take them for header fields.
        .if version_atleast(3.2)
            option http-drop-request-trailers
        .endif

        frontend keybound_frontend
        \(bind(settings, others))
        \(cors([settings] + others))\
            # Nothing else has an answer: to the gateway it would look like a mistake in this file.
            http-request return status 400 unless { path_beg / } { req.hdr(host) -m reg . }
        \(hosts(settings, others))\
            # CGI, WSGI and PHP programs read X_Keybound_Subject and X.Keybound.Subject as X-Keybound-Subject.
            http-request del-header ^x-keybound -m reg
            http-request del-header [^A-Za-z0-9-] -m reg
            # No other protocol than WebSocket: after a change to HTTP/2 (h2c), whole requests would pass that nobody checks.
            http-request set-header Upgrade websocket if { req.fhdr(Upgrade) -i -m str websocket }
            http-request del-header Upgrade unless { req.fhdr(Upgrade) -m str websocket }
            http-request del-header HTTP2-Settings
            # What the client lists in Connection, a proxy between this one and the API would remove: X-Keybound-Subject, say.
            http-request del-header Connection unless { req.hdr(Upgrade) -m found }
            http-request set-header Connection upgrade if { req.hdr(Upgrade) -m found }
            # Path and query as they were sent; "url" is the whole address for HTTP/2.
            http-request set-var(txn.keybound_uri) pathq
            # To the API as the gateway gets it (RFC 9112 section 3.2.1). In an absolute address, HAProxy and the API could find
            # different paths: in https://x?@api.example.com/health it is /health, or the empty one.
            http-request set-uri %[var(txn.keybound_uri)]
            # Some frameworks let these replace the method, the path or the host that the gateway decided about.
        \(ProxySettings.overridingFields.map { "    http-request del-header \($0)" }.joined(separator: "\n"))
            # RFC 9728: the gateway answers.
            acl keybound_metadata path /.well-known/oauth-protected-resource
            acl keybound_metadata path_beg /.well-known/oauth-protected-resource/
            http-request set-header X-Forwarded-Host %[req.hdr(host)] if keybound_metadata
            use_backend keybound if keybound_metadata
            http-request lua.keybound if !keybound_metadata
            # HAProxy goes on after an error in a Lua action: what did not pass must not reach the API.
            http-request return status 503 hdr Retry-After 2 hdr Cache-Control no-store if !keybound_metadata !{ var(txn.keybound_passed) -m found }
            http-request del-header authorization
            http-request del-header dpop
            http-response add-header DPoP-Nonce %[var(txn.keybound_nonce)] if { var(txn.keybound_nonce) -m found }
            http-response add-header Access-Control-Expose-Headers "DPoP-Nonce, WWW-Authenticate" if { var(txn.keybound_nonce) -m found }
        \(backends(settings, others))

        backend keybound
            timeout server 5s
            # As for questions without an answer.
            http-after-response set-status 503 if { status 502 504 }
            http-after-response set-header Retry-After 2 if { status 503 }
            http-after-response set-header Cache-Control no-store if { status 503 }
            server keybound \(settings.gateway.haproxyAddress)

        """
    }

    /// As whom HAProxy runs after its start; it keeps no further groups of the user, so the one here must open the socket.
    private static func user(_ settings: ProxySettings) -> String {
        guard settings.gateway.path != nil else {
            return """
                    user haproxy
                    group haproxy
                """
        }
        return """
                user haproxy
                # The group of the gateway's socket, the only one that HAProxy keeps: with keybound-gateway.socket it is SocketGroup.
                group keybound
                # No chroot, as in Debian's file: the path of the socket would begin in its folder.
            """
    }

    /// Rules for all answers, those of HAProxy itself too.
    private static func cors(_ apis: [ProxySettings]) -> String {
        let origins = apis.compactMap { api in api.cors.map { origin(of: api, $0, isAlone: apis.count == 1) } }
        guard !origins.isEmpty else { return "" }
        let isCORS = "{ var(txn.keybound_cors) -m found }"
        let dropped = CORSPolicy.apiFields.map { "    http-response del-header \($0) if \(isCORS)" }
        let exposed = "res.hdr(Access-Control-Expose-Headers) -i -m str"
        let missing = CORSPolicy.responseFields.split(atText: ", ").map { "\(isCORS) !{ \(exposed) \($0) }" }
        return """
            \(origins.joined())\
                http-request return status 204 hdr Access-Control-Allow-Methods "\(CORSPolicy.methods)" hdr Access-Control-Allow-Headers "\(CORSPolicy.requestFields)" hdr Access-Control-Max-Age \(CORSPolicy.maximumAge) if \(isCORS) { method OPTIONS } { req.fhdr(Origin) -m found } { req.fhdr(Access-Control-Request-Method) -m found }
                # What an API that answers CORS itself says: two values are none to a browser.
            \(dropped.joined(separator: "\n"))
                http-after-response set-header Access-Control-Allow-Origin %[var(txn.keybound_cors)] if \(isCORS)
                http-after-response add-header Vary Origin if \(isCORS)
                http-after-response add-header Access-Control-Expose-Headers "\(CORSPolicy.responseFields)" if \(missing.joined(separator: " or "))

            """
    }

    private static func origin(of api: ProxySettings, _ cors: CORSPolicy, isAlone: Bool) -> String {
        """
            # CORS: scripts of \(cors.origin) may call the API. No preflight reaches the gateway or the API.
            http-request set-var(txn.keybound_cors) str(\(cors.origin))\(isAlone ? "" : " if \(isHost([api]))")

        """
    }

    private static func bind(_ settings: ProxySettings, _ others: [ProxySettings]) -> String {
        guard !settings.isPlain else { return "    bind \(settings.host):\(settings.port)" }
        // Files with a certificate and its key each; one may be that of several hosts.
        var files: [String] = []
        for file in ([settings] + others).map(\.certificate) where !files.contains(file) { files.append(file) }
        return "    bind :\(settings.port) ssl \(files.map { "crt \($0) " }.joined())alpn h2,http/1.1"
    }

    /// Whether a request is for one of the APIs; a name with a final dot is the same name (RFC 1034 section 3.1), and the gateway
    /// compares without it too.
    private static func isHost(_ apis: [ProxySettings]) -> String {
        "{ req.fhdr(host),host_only -i \(apis.map { "\($0.host) \($0.host)." }.joined(separator: " ")) }"
    }

    /// With several APIs: nothing for another host.
    private static func hosts(_ settings: ProxySettings, _ others: [ProxySettings]) -> String {
        guard !others.isEmpty else { return "" }
        return """
                # The host decides which API it is, for the gateway and below.
                http-request return status 421 unless \(isHost([settings] + others))

            """
    }

    /// Where requests go, and the servers of the APIs; several have no default, so that none gets what is another's.
    private static func backends(_ settings: ProxySettings, _ others: [ProxySettings]) -> String {
        guard !others.isEmpty else {
            return """
                    default_backend keybound_api
                \(backend("keybound_api", settings))
                """
        }
        let apis = [settings] + others
        let choices = apis.map { "    use_backend keybound_api_\($0.label) if \(isHost([$0]))" }
        return (choices + apis.map { backend("keybound_api_\($0.label)", $0) }).joined(separator: "\n")
    }

    private static func backend(_ name: String, _ settings: ProxySettings) -> String {
        """

        backend \(name)
            # Its public address, whatever port and spelling the client wrote: the gateway has compared the host.
            http-request set-header Host \(settings.authority)
            http-request set-header X-Forwarded-Host \(settings.authority)
            http-request set-header X-Forwarded-Proto \(settings.api.scheme)
            http-request set-header X-Forwarded-For %[src]
            server api \(settings.upstream.haproxyAddress)
        """
    }

    /// The Lua action.
    static func action(_ settings: ProxySettings) -> String {
        let identity = settings.identityFields.map { "\"\($0.lowercased())\"" }.joined(separator: ", ")
        return """
            -- Asks the Keybound gateway about each request, and refuses it with the gateway's answer.
            local gateway = os.getenv("KEYBOUND_GATEWAY") or "unix@/run/keybound/gateway.sock"
            -- Before 2.9, HAProxy asks up to four times if no answer comes in time: five seconds in all.
            local timeout = tonumber(os.getenv("KEYBOUND_TIMEOUT")) or 1250
            -- Besides these, only the fields by which the gateway decides are sent to it.
            local asked = { "authorization", "dpop", "origin", "access-control-request-method", "x-request-id", "traceparent" }
            local identity = { \(identity) }
            local passed = { "www-authenticate", "dpop-nonce", "access-control-expose-headers", "retry-after", "cache-control" }
            \(functions)
            """
    }

    private static let functions = """

        local function values(headers, name)
            local list = {}
            local found = headers[name]
            if found then
                local index = found[0] and 0 or 1
                while found[index] do
                    list[#list + 1] = found[index]
                    index = index + 1
                end
            end
            return list
        end

        local function refuse(txn, status, headers)
            local reply = txn:reply({ status = status })
            for _, name in ipairs(passed) do
                for _, value in ipairs(values(headers, name)) do reply:add_header(name, value) end
            end
            if status == 503 and not headers["retry-after"] then
                reply:add_header("retry-after", "2")
                reply:add_header("cache-control", "no-store")
            end
            txn:done(reply)
        end

        core.register_action("keybound", { "http-req" }, function(txn)
            local received = txn.http:req_get_headers()
            local headers = {
                ["host"] = { "keybound" },
                ["x-forwarded-method"] = { txn.sf:method() },
                ["x-forwarded-proto"] = { txn.sf:ssl_fc() == "1" and "https" or "http" },
                ["x-forwarded-host"] = values(received, "host"),
                ["x-forwarded-uri"] = { txn:get_var("txn.keybound_uri") },
                ["x-forwarded-for"] = { txn.sf:src() },
            }
            for _, name in ipairs(asked) do
                local list = values(received, name)
                if #list > 0 then headers[name] = list end
            end
            local answer = core.httpclient():get({
                url = "http://keybound/check", dst = gateway, headers = headers, timeout = timeout,
            })
            if not answer or not answer.headers or answer.headers["x-keybound-status"] == nil then
                return refuse(txn, 503, {})
            end
            if answer.status ~= 200 then return refuse(txn, answer.status, answer.headers) end
            for _, name in ipairs(identity) do
                local list = values(answer.headers, name)
                txn.http:req_set_header(name, list[1] or "-")
            end
            -- Where its buffer has no room, HAProxy leaves a field out and says nothing. The client filled the buffer (RFC 6585
            -- section 5).
            local sent = txn.http:req_get_headers()
            for _, name in ipairs(identity) do
                if #values(sent, name) ~= 1 then return refuse(txn, 431, {}) end
            end
            local nonce = values(answer.headers, "dpop-nonce")[1]
            if nonce then txn:set_var("txn.keybound_nonce", nonce) end
            txn:set_var("txn.keybound_passed", "1")
        end)

        """
}
