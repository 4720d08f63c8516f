#!/usr/bin/env bash
# Writes accepted.json: envelopes that every verifier must open, signed by the openssl command line and not by our code.
# Needs bash, openssl and coreutils. RS256 is deterministic, so the same keys give the same bytes on every machine.
#
#   bash test/vectors/make-vectors.sh            writes accepted.json next to this script
#   bash test/vectors/make-vectors.sh FILE       writes FILE
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=${1:-$here/accepted.json}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

now=1767225600 # 2026-01-01T00:00:00Z
game_server=test-game-server-1
platform=test-platform-1
origin=https://platform.example

base64url() { openssl base64 -A | tr '+/' '-_' | tr -d '='; }

# A JSON string of $1, which holds no control character but line feeds.
json() {
  local text=$1 quote='"'
  text=${text//\\/\\\\}
  text=${text//$quote/\\$quote}
  text=${text//$'\n'/\\n}
  printf '"%s"' "$text"
}

repeat() { printf "%.0s$1" $(seq "$2"); }

separator=''

# vector NAME WHY DIRECTION METHOD PATH NOW HEADER: one entry, over the body in $work/body. METHOD and PATH are - for webhooks.
vector() {
  local name=$1 why=$2 direction=$3 method=$4 path=$5 at=$6 header=$7 owner=game-server protected payload signature
  [ "$direction" = webhook ] && owner=platform
  protected=$(printf %s "$header" | base64url)
  payload=$(base64url <"$work/body")
  signature=$(printf %s "$protected.$payload" |
    openssl dgst -sha256 -sign "$here/keys/test-only-$owner-private-key.pem" | base64url)
  printf '%s\n    {\n' "$separator"
  printf '      "name": %s,\n      "why": %s,\n      "direction": "%s",\n' "$(json "$name")" "$(json "$why")" "$direction"
  [ "$method" = - ] || printf '      "method": "%s",\n      "path": %s,\n' "$method" "$(json "$path")"
  printf '      "nowS": %s,\n' "$at"
  printf '      "protectedHeader": %s,\n' "$(json "$header")"
  printf '      "bodyBase64": "%s",\n' "$(openssl base64 -A <"$work/body")"
  printf '      "signingInput": "%s",\n' "$protected.$payload"
  printf '      "signature": "%s",\n' "$signature"
  printf '      "headerLines": ["%s"]\n    }' "$protected..$signature"
  separator=','
}

body() { printf %s "$1" >"$work/body"; }

# key KID DIRECTION OWNER
key() {
  printf '    { "kid": "%s", "direction": "%s", "publicKeyPem": %s }' \
    "$1" "$2" "$(json "$(cat "$here/keys/test-only-$3-public-key.pem")"$'\n')"
}

listings=/v1/api/market/listings
put() { vector "$1" "$2" request PUT "$listings" "${4:-$now}" "$3"; }
webhook() { vector "$1" "$2" webhook - - "${4:-$now}" "$3"; }

# A partner header. $1 jti, $2 exp, $3 what follows htu.
partner() {
  printf '{"alg":"RS256","kid":"%s","jti":"%s","iat":%s,"exp":%s,"htm":"PUT","htu":"%s"%s}' \
    "$game_server" "$1" "$now" "$2" "$origin$listings" "${3:-}"
}

# A webhook's header. $1 jti.
event() { printf '{"alg":"RS256","kid":"%s","jti":"%s","iat":%s,"exp":%s}' "$platform" "$1" "$now" $((now + 300)); }

adjustment='{"itemRef":"espada-élfica-★-剣","observedQuantity":7,"action":"ADJUST_STOCK"}'
order='{"event":"transfer_order","transactionId":90071992,"itemRef":"espada-élfica-★-剣","quantity":2,"buyerCharacterRef":"Zé da Silva","sellerCharacterRef":"Ações & Cia","paidAt":"2026-01-01T00:00:00Z"}'
terminal='{"event":"transaction_terminal","transactionId":90071992,"itemRef":"espada-élfica-★-剣","paymentStatus":"ESTORNADO","deliveryStatus":"FALHOU","reason":"OUT_OF_STOCK","occurredAt":"2026-01-01T00:00:00Z"}'

vectors() {
  body "$adjustment"
  put 'partner request with a body' 'PUT with UTF-8 text' \
    "$(partner 018f4e2a-0001-7000-8000-000000000001 $((now + 30)))"

  body ''
  local eligibility='/v1/api/market/eligibility/Z%C3%A9%20da%20Silva%2F1'
  vector 'partner request without a body' 'GET: the payload is empty, so the signing input ends with its dot' \
    request GET "$eligibility" "$now" \
    '{"alg":"RS256","kid":"'$game_server'","jti":"018f4e2a-0002-7000-8000-000000000002","iat":'$now',"exp":'$((now + 30))',"htm":"GET","htu":"'$origin$eligibility'"}'

  body '{}'
  vector 'partner request with an empty object' 'POST .../delivery: two bytes are signed, not none' \
    request POST /v1/api/transactions/90071992/delivery "$now" \
    '{"alg":"RS256","kid":"'$game_server'","jti":"018f4e2a-0003-7000-8000-000000000003","iat":'$now',"exp":'$((now + 30))',"htm":"POST","htu":"'$origin'/v1/api/transactions/90071992/delivery"}'

  body "$order"
  webhook 'transfer_order webhook' 'neither htm nor htu' "$(event 018f4e2a-0004-7000-8000-000000000004)"
  body "$terminal"
  webhook 'transaction_terminal webhook' 'neither htm nor htu' "$(event 018f4e2a-0005-7000-8000-000000000005)"

  # What passes at its limit.
  body "$adjustment"
  put 'exp exactly 600 seconds ahead' 'the furthest exp that passes' "$(partner exp-600 $((now + 600)))"
  put 'exp one second ahead' 'the nearest exp that passes' "$(partner exp-1 $((now + 1)))"
  put 'exp with a fraction' 'a finite number, whole or not' "$(partner exp-fraction $((now + 30)).5)"
  put 'jti of one character' 'the shortest jti' "$(partner j $((now + 30)))"
  put 'jti of 255 characters' 'the longest jti' "$(partner "$(repeat j 255)" $((now + 30)))"

  # 4096 = 3752 for the header, 2 dots, 342 for 256 bytes of signature; 3752 characters are 2814 bytes of JSON.
  local bare
  bare=$(partner line-4096 $((now + 30)) ',"note":""')
  put 'header line of exactly 4096 bytes' 'the longest line that passes' \
    "$(partner line-4096 $((now + 30)) ',"note":"'"$(repeat n $((2814 - ${#bare})))"'"')"

  put 'unknown header fields' 'fields that nobody reserves are ignored' \
    "$(partner unknown-fields $((now + 30)) ',"typ":"JOSE","cty":"json","x-note":{"list":[1,null,true,"é"]},"x5tS256":"not x5t#S256"')"
  put 'header names in another order' 'the order of names means nothing' \
    '{"htu":"'$origin$listings'","exp":'$((now + 30))',"jti":"other-order","htm":"PUT","iat":'$now',"kid":"'$game_server'","alg":"RS256"}'
  put 'header with white space and escapes' 'any spelling in JSON that has one meaning' \
    ' { "alg" : "RS\u0032\u00356", "kid":"'$game_server'", "\u006ati":"spelled", "exp":'$((now + 30))' } '
  put 'request without iat, htm and htu' 'only alg, kid, jti and exp are required' \
    '{"alg":"RS256","kid":"'$game_server'","jti":"required-only","exp":'$((now + 30))'}'
  put 'htu of another origin' 'a proxy may stand between: the path of htu counts' \
    '{"alg":"RS256","kid":"'$game_server'","jti":"other-origin","exp":'$((now + 30))',"htm":"PUT","htu":"http://127.0.0.1:8787'$listings'"}'

  printf '\0\377\376\r\n.\200' >"$work/body"
  put 'body that is no text' 'bytes are signed, whatever they are' "$(partner binary-body $((now + 30)))"
  body "$adjustment"$'\n'
  put 'body that ends with a line feed' 'the line feed is signed too' "$(partner body-line-feed $((now + 30)))"

  body "$order"
  webhook 'webhook 29 seconds past its exp' 'inside the leeway of 30 seconds' "$(event leeway)" $((now + 329))
  webhook 'webhook without jti and iat' 'a webhook is asked for alg, kid and exp alone' \
    '{"alg":"RS256","kid":"'$platform'","exp":'$((now + 300))'}'
}

{
  printf '{\n  "what": "Envelopes that must be opened. Test keys: published, never to be used elsewhere. See README.md.",\n'
  printf '  "leewayS": { "request": 0, "webhook": 30 },\n  "keys": [\n'
  key $game_server request game-server
  printf ',\n'
  key $platform webhook platform
  printf '\n  ],\n  "accepted": ['
  vectors
  printf '\n  ]\n}\n'
} >"$work/accepted.json"
mv "$work/accepted.json" "$out"
