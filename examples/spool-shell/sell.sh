#!/bin/sh
# Lists an item and sells it with nothing but files: what a game server does that knows no HTTP.
#
#   SERVICE_SPOOL_DIR=/var/spool/market-agent ./sell.sh ITEM_REF SELLER BUYER
#
# A request is a file that appears whole in outbox/, its answer a file that appears whole in inbox/. Reading an answer
# means: read it, act on it, then delete it.
set -eu

spool=${SERVICE_SPOOL_DIR:?set it to the directory that market-agent watches}
item=${1:?usage: sell.sh ITEM_REF SELLER BUYER}
seller=${2:?usage: sell.sh ITEM_REF SELLER BUYER}
buyer=${3:?usage: sell.sh ITEM_REF SELLER BUYER}

# call ID ACTION FIELDS: leaves the answer in $answer. The same ID within ten minutes is the same call, so a script that
# was cut off may simply be started again.
call() {
  printf '{"id":"%s","action":"%s",%s}' "$1" "$2" "$3" > "$spool/outbox/.$1.tmp"
  mv "$spool/outbox/.$1.tmp" "$spool/outbox/$1.json"
  waited=0
  while [ ! -f "$spool/inbox/$1.json" ]; do
    waited=$((waited + 1))
    [ "$waited" -lt 600 ] || { echo "no answer to $1 within 60 s: is market-agent running?" >&2; exit 1; }
    sleep 0.1
  done
  answer=$(cat "$spool/inbox/$1.json")
  rm "$spool/inbox/$1.json"
}

# field NAME: a text or number of $answer. Enough for one flat line of ASCII; a real program has a JSON parser.
field() {
  printf '%s' "$answer" | sed -n "s/.*\"$1\":\"\{0,1\}\([^,\"}]*\)\"\{0,1\}.*/\1/p"
}

# reply NAME JSON: answers the file of this name in events/. The agent removes both.
reply() {
  printf '%s' "$2" > "$spool/replies/.$1.tmp"
  mv "$spool/replies/.$1.tmp" "$spool/replies/$1"
}

# must ID ACTION FIELDS: a call that has to succeed.
must() {
  call "$@"
  [ "$(field ok)" = true ] || { echo "$2: $(field status) $(field message)" >&2; exit 1; }
}

must "register-$item" market.register "\"itemRef\":\"$item\",\"gameItemId\":\"sword-9\",\"itemName\":\"Espada +9\",\"attributes\":\"Ataque 120\",\"quantityListed\":1,\"unitAmountCents\":1050,\"sellerCharacterRef\":\"$seller\""
echo "listed $item as listing $(field listingId)"

must "buy-$item" transaction.create "\"itemRef\":\"$item\",\"quantity\":1,\"buyerCharacterRef\":\"$buyer\""
echo "the buyer pays here: $(field checkoutUrl)"

# A paid order is a file that appears whole in events/, whenever the buyer pays.
order=
while [ -z "$order" ]; do
  sleep 0.1
  order=$(grep -ls "\"itemRef\":\"$item\"" "$spool"/events/transfer_order-*.json | head -n 1)
done
answer=$(cat "$order")
transaction=$(field transactionId)
echo "paid: the item goes to $(field buyerCharacterRef)"

# Here the game server stores the order on disk. Only then it replies with what is left for further buyers.
reply "$(basename "$order")" '{"observedQuantity":0}'

# Here the game server puts the item into storage that survives a crash. Only then:
must "deliver-$transaction" transaction.delivery "\"transactionId\":$transaction"
echo "delivered: $(field paymentStatus) / $(field deliveryStatus)"

end=transaction_terminal-$transaction.json
until [ -f "$spool/events/$end" ]; do sleep 0.1; done
answer=$(cat "$spool/events/$end")
reply "$end" '{}'
echo "ended: $(field outcome)"
