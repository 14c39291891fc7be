// SPDX-License-Identifier: Apache-2.0

// Notes, with Go, behind `keybound gateway`: server PORT
package main

import (
	"encoding/json"
	"log"
	"net/http"
	"net/url"
	"os"
)

func notes(w http.ResponseWriter, r *http.Request) {
	subject := r.Header.Get("X-Keybound-Subject")
	name, err := url.PathUnescape(subject)
	if subject == "" || subject == "-" || err != nil { // compared as it came
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]string{"notes of": name})
}

func main() {
	http.HandleFunc("/notes", notes)
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Args[1], nil))
}
