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

# must ID ACTION FIELDS: a call that has to succeed.
must() {
  call "$@"
  [ "$(field ok)" = true ] || { echo "$2: $(field status) $(field message)" >&2; exit 1; }
}

must "register-$item" market.register "\"itemRef\":\"$item\",\"gameItemId\":\"sword-9\",\"itemName\":\"Espada +9\",\"attributes\":\"Ataque 120\",\"quantityListed\":1,\"unitAmountCents\":1050,\"sellerCharacterRef\":\"$seller\""
echo "listed $item as listing $(field listingId)"

must "buy-$item" transaction.create "\"itemRef\":\"$item\",\"quantity\":1,\"buyerCharacterRef\":\"$buyer\""
# The stub answers with transactionId. The interface promises checkoutUrl alone: elsewhere the order brings the number.
transaction=$(field transactionId)
echo "the buyer pays here: $(field checkoutUrl)"

asked=0
while :; do
  asked=$((asked + 1))
  must "ask-$transaction-$asked" transaction.get "\"transactionId\":$transaction"
  case "$(field paymentStatus)/$(field deliveryStatus)" in
    PAGO/AGUARDANDO_SERVIDOR) break ;;
    AGUARDANDO_PAGAMENTO/*) sleep 0.5 ;;
    *) echo "the purchase ended as $(field paymentStatus)" >&2; exit 1 ;;
  esac
done
echo "paid: the item goes to $buyer"

# Here the game server puts the item into storage that survives a crash. Only then:
must "deliver-$transaction" transaction.delivery "\"transactionId\":$transaction"
echo "delivered: $(field paymentStatus) / $(field deliveryStatus)"
