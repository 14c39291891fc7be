// SPDX-License-Identifier: Apache-2.0

// DPoP with golang-jwt and crypto/ecdsa: signature and JSON by the libraries, the rest here.
package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"math/big"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/golang-jwt/jwt"
)

const maximumAge = 300

var (
	encoding       = base64.RawURLEncoding
	errRefused     = errors.New("refused")
	parser         = jwt.Parser{ValidMethods: []string{"ES256"}}
	privateMembers = []string{"d", "p", "q", "dp", "dq", "qi", "oth", "k"}
)

type entry struct{ Check, Proof, JKT string }

type request struct {
	Method, URI, AccessToken, Nonce string
	Now                             int64
	WarmUp                          int
	Proofs, Forged                  []entry
	seen                            map[string]struct{}
}

type claims struct {
	JTI   string `json:"jti"`
	HTM   string `json:"htm"`
	HTU   string `json:"htu"`
	IAT   int64  `json:"iat"`
	ATH   string `json:"ath"`
	Nonce string `json:"nonce"`
}

// Valid is called by the library; the claims of a proof need the request, so they are checked after it.
func (claims) Valid() error { return nil }

func hash(text string) string {
	digest := sha256.Sum256([]byte(text))
	return encoding.EncodeToString(digest[:])
}

func importKey(jwk map[string]interface{}) (*ecdsa.PublicKey, string, error) {
	kty, _ := jwk["kty"].(string)
	crv, _ := jwk["crv"].(string)
	x, _ := jwk["x"].(string)
	y, _ := jwk["y"].(string)
	xBytes, xError := encoding.DecodeString(x)
	yBytes, yError := encoding.DecodeString(y)
	if kty != "EC" || crv != "P-256" || xError != nil || yError != nil || len(xBytes) != 32 || len(yBytes) != 32 {
		return nil, "", errRefused
	}
	key := &ecdsa.PublicKey{Curve: elliptic.P256(), X: new(big.Int).SetBytes(xBytes), Y: new(big.Int).SetBytes(yBytes)}
	if !key.Curve.IsOnCurve(key.X, key.Y) {
		return nil, "", errRefused
	}
	return key, hash(`{"crv":"P-256","kty":"EC","x":"` + x + `","y":"` + y + `"}`), nil
}

func (r *request) verify(proof, jkt string) error {
	var found claims
	var thumbprint string
	_, err := parser.ParseWithClaims(proof, &found, func(token *jwt.Token) (interface{}, error) {
		jwk, isObject := token.Header["jwk"].(map[string]interface{})
		if token.Header["typ"] != "dpop+jwt" || !isObject {
			return nil, errRefused
		}
		for _, name := range privateMembers {
			if _, isThere := jwk[name]; isThere {
				return nil, errRefused
			}
		}
		key, print, err := importKey(jwk)
		thumbprint = print
		return key, err
	})
	if err != nil {
		return err
	}
	age := r.Now - found.IAT
	if found.HTM != r.Method || found.HTU != r.URI || age > maximumAge || age < -maximumAge ||
		found.ATH != hash(r.AccessToken) || found.Nonce != r.Nonce || thumbprint != jkt || found.JTI == "" {
		return errRefused
	}
	key := jkt + found.JTI
	if _, isThere := r.seen[key]; isThere {
		return errRefused
	}
	r.seen[key] = struct{}{}
	return nil
}

type sample struct {
	jwk                map[string]interface{}
	message, signature string
}

func newSample(proof string) sample {
	last := strings.LastIndexByte(proof, '.')
	head, err := encoding.DecodeString(proof[:strings.IndexByte(proof, '.')])
	var header struct {
		JWK map[string]interface{} `json:"jwk"`
	}
	if err != nil || json.Unmarshal(head, &header) != nil {
		log.Fatal("a proof without a header")
	}
	return sample{header.JWK, proof[:last], proof[last+1:]}
}

func (s sample) check() error {
	key, _, err := importKey(s.jwk)
	if err != nil {
		return err
	}
	return jwt.SigningMethodES256.Verify(s.message, s.signature, key)
}

func (r *request) create(key *ecdsa.PrivateKey, jwk map[string]string) error {
	var identifier [16]byte
	if _, err := rand.Read(identifier[:]); err != nil {
		return err
	}
	token := jwt.NewWithClaims(jwt.SigningMethodES256, claims{
		encoding.EncodeToString(identifier[:]), r.Method, r.URI, time.Now().Unix(), hash(r.AccessToken), r.Nonce,
	})
	token.Header["typ"] = "dpop+jwt"
	token.Header["jwk"] = jwk
	_, err := token.SignedString(key)
	return err
}

func (r *request) accepts(e entry) bool {
	if e.Check == "jti" && r.verify(e.Proof, e.JKT) != nil {
		return false
	}
	return r.verify(e.Proof, e.JKT) == nil
}

func processorMicroseconds() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		log.Fatal(err)
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e3
}

func (r *request) measure(operation func(int) error) float64 {
	start := 0.0
	for number := range r.Proofs {
		if number == r.WarmUp {
			start = processorMicroseconds()
		}
		if err := operation(number); err != nil {
			log.Fatal(err)
		}
	}
	return (processorMicroseconds() - start) / float64(len(r.Proofs)-r.WarmUp)
}

func main() {
	text, err := os.ReadFile(os.Args[1])
	r := request{seen: map[string]struct{}{}}
	if err != nil || json.Unmarshal(text, &r) != nil {
		log.Fatal("not a file of proofs")
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		log.Fatal(err)
	}
	coordinate := func(value *big.Int) string { return encoding.EncodeToString(value.FillBytes(make([]byte, 32))) }
	jwk := map[string]string{"kty": "EC", "crv": "P-256", "x": coordinate(key.X), "y": coordinate(key.Y)}
	samples := []sample{}
	for _, e := range r.Proofs {
		samples = append(samples, newSample(e.Proof))
	}
	accepted := []string{}
	for _, e := range r.Forged {
		if r.accepts(e) {
			accepted = append(accepted, e.Check)
		}
	}
	answer, err := json.Marshal(map[string]interface{}{"accepted": accepted, "rows": map[string]float64{
		"dpop-verify":       r.measure(func(n int) error { return r.verify(r.Proofs[n].Proof, r.Proofs[n].JKT) }),
		"jwk-import-verify": r.measure(func(n int) error { return samples[n].check() }),
		"dpop-create":       r.measure(func(int) error { return r.create(key, jwk) }),
	}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(answer))
}
