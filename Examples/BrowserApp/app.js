// SPDX-License-Identifier: Apache-2.0

// Signs in from a browser, without a server of its own: PKCE (RFC 7636), pushed requests (RFC 9126) and DPoP (RFC 9449) with
// a key that no script can read. Tokens are in memory only: a page that is loaded again signs in again, without a password
// as long as the session at the server lives.

const setting = (name) => document.querySelector(`meta[name="${name}"]`).content
const issuer = setting("issuer")
const client = setting("client")
const redirectURI = new URL("callback.html", location.href).href
const bytes = (text) => new TextEncoder().encode(text)
const base64url = (buffer) =>
    btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")
const random = () => base64url(crypto.getRandomValues(new Uint8Array(32)))
const sha256 = async (text) => base64url(await crypto.subtle.digest("SHA-256", bytes(text)))

let tokens
let metadata
// The newest nonce of each origin, for requests with and without a token: an API at the origin of the authorization server,
// such as userinfo, has nonces of its own.
const nonces = new Map()

async function discover() {
    metadata ??= await (await fetch(`${issuer}/.well-known/oauth-authorization-server`, { redirect: "error" })).json()
    // RFC 8414 section 3.3.
    if (metadata.issuer !== issuer) throw new Error("the metadata is of another issuer")
    return metadata
}

// The key stays between pages in IndexedDB, which stores it without ever showing it.
function key() {
    return new Promise((resolve, reject) => {
        const opening = indexedDB.open("keys", 1)
        opening.onupgradeneeded = () => opening.result.createObjectStore("keys")
        opening.onerror = () => reject(opening.error)
        opening.onsuccess = async () => {
            const made = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, false, ["sign"])
            // One transaction reads and writes, so two tabs that start together have one key.
            const store = opening.result.transaction("keys", "readwrite").objectStore("keys")
            const stored = store.get(client)
            stored.onerror = () => reject(stored.error)
            stored.onsuccess = () => {
                if (!stored.result) store.put(made, client)
                resolve(stored.result ?? made)
            }
        }
    })
}

// RFC 9449 section 4.2: `htu` has no query and no fragment, and `ath` goes with an access token.
async function proof(method, url, { accessToken, nonce }) {
    const pair = await key()
    const { kty, crv, x, y } = await crypto.subtle.exportKey("jwk", pair.publicKey)
    const header = { typ: "dpop+jwt", alg: "ES256", jwk: { kty, crv, x, y } }
    const claims = { jti: random(), htm: method, htu: url.split(/[?#]/, 1)[0], iat: Math.floor(Date.now() / 1000) }
    if (nonce) claims.nonce = nonce
    if (accessToken) claims.ath = await sha256(accessToken)
    const input = [header, claims].map((part) => base64url(bytes(JSON.stringify(part)))).join(".")
    const signature = await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, pair.privateKey, bytes(input))
    return `${input}.${base64url(signature)}`
}

// Sends a request with a proof, and once more where the server asks for a nonce (RFC 9449 sections 8 and 9). The proof has
// the method and the URL as `fetch` sends them (RFC 9449 sections 4.2 and 4.3): `get` becomes `GET`, a space `%20`. A redirect is
// an error: it would take token and proof to an address that the proof is not for.
async function send(method, url, options, accessToken) {
    const request = new Request(url, { method })
    const place = `${accessToken ? "API" : "server"} ${new URL(request.url).origin}`
    for (let attempt = 0; ; attempt++) {
        const used = nonces.get(place)
        const headers = { ...options.headers, DPoP: await proof(request.method, request.url, { accessToken, nonce: used }) }
        if (accessToken) headers.Authorization = `DPoP ${accessToken}`
        const response = await fetch(request.url, { ...options, method: request.method, headers, redirect: "error" })
        const nonce = response.headers.get("DPoP-Nonce")
        if (nonce) nonces.set(place, nonce)
        if (response.ok || attempt > 0 || !nonce || nonce === used) return response
        if (response.status !== 400 && response.status !== 401) return response
    }
}

async function post(url, parameters) {
    const response = await send("POST", url, { body: new URLSearchParams({ client_id: client, ...parameters }) })
    const text = await response.text()
    const answer = text ? JSON.parse(text) : {}
    if (!response.ok) throw new Error(answer.error_description ?? answer.error ?? `status ${response.status}`)
    return answer
}

// RFC 9449 section 5: a server that does not support DPoP issues tokens that any thief can use.
function bound(answer) {
    if (answer.token_type?.toLowerCase() !== "dpop") throw new Error("the token is not bound to the key")
    return answer
}

export async function startSignIn(scope) {
    const server = await discover()
    const [verifier, state] = [random(), random()]
    sessionStorage.setItem("sign-in", JSON.stringify({ verifier, state }))
    const pushed = await post(server.pushed_authorization_request_endpoint, {
        response_type: "code", redirect_uri: redirectURI, scope, state,
        code_challenge: await sha256(verifier), code_challenge_method: "S256",
    })
    location.assign(`${server.authorization_endpoint}?${new URLSearchParams({ client_id: client, request_uri: pushed.request_uri })}`)
}

export async function finishSignIn() {
    const parameters = new URLSearchParams(location.search)
    const { verifier, state } = JSON.parse(sessionStorage.getItem("sign-in") ?? "{}")
    sessionStorage.removeItem("sign-in")
    history.replaceState(null, "", location.pathname)
    if (!state || parameters.get("state") !== state) throw new Error("this sign-in was not begun here")
    // RFC 9207 section 2.4.
    if (parameters.get("iss") !== issuer) throw new Error("the answer is of another server")
    if (parameters.has("error")) throw new Error(parameters.get("error_description") ?? parameters.get("error"))
    const server = await discover()
    tokens = bound(await post(server.token_endpoint, {
        grant_type: "authorization_code", code: parameters.get("code"), redirect_uri: redirectURI, code_verifier: verifier,
    }))
}

// Calls an API of yours with the token, and a JSON value as the body if there is one. The API has to allow this origin, the
// fields `Authorization`, `DPoP` and `Content-Type`, and show `DPoP-Nonce` and `WWW-Authenticate` (CORS).
export async function callAPI(method, url, body) {
    if (!tokens) throw new Error("nobody is signed in")
    const options = body === undefined ? {} : { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } }
    const response = await send(method, url, options, tokens.access_token)
    if (!response.ok) throw new Error(response.headers.get("WWW-Authenticate") ?? `status ${response.status}`)
    return response
}

export async function userInfo() {
    const server = await discover()
    return (await callAPI("GET", server.userinfo_endpoint)).json()
}

export async function refresh() {
    const server = await discover()
    if (!tokens?.refresh_token) throw new Error("there is no refresh token: sign in again")
    const answer = await post(server.token_endpoint, { grant_type: "refresh_token", refresh_token: tokens.refresh_token })
    // RFC 6749 section 6: without a new refresh token the old one stays in use.
    tokens = { ...tokens, ...bound(answer) }
}

export async function revoke() {
    if (!tokens) return
    const server = await discover()
    // RFC 7009 section 2.1: with the refresh token, the server revokes the access token too.
    await post(server.revocation_endpoint, { token: tokens.refresh_token ?? tokens.access_token })
    tokens = undefined
}
