#!/bin/sh
# Um servidor de jogo pequeno e completo em shell POSIX. Fala com o market-agent só por arquivos.
# Os comandos (link, list, buy...) são linhas escritas em WORLD_DIR/console.txt.
set -u
export LC_ALL=C
spool=${SERVICE_SPOOL_DIR:-spool} dir=${WORLD_DIR:-world}
start=$(date +%s)-$$ count=0 # os nomes das chamadas: nunca se repetem
nl='
'

# put_file ARQUIVO TEXTO: tudo ou nada, mesmo em uma queda de energia. Um erro encerra o programa.
put_file() {
  new=${1%/*}/.${1##*/}.tmp
  printf '%s' "$2" > "$new" && sync "$new" && mv "$new" "$1" && sync "${1%/*}" || exit 1
}

# 1. O mundo: linhas na memória, gravadas inteiras depois de cada mudança. Faz o papel do banco de dados do jogo.
# offer ITEM STATE SELLER QUANTITY CENTS, order ID RESULT ITEM QUANTITY, mail BUYER ITEM QUANTITY ID, full BUYER

mkdir -p "$dir" || exit 1
world=
[ ! -e "$dir/world.txt" ] || world=$(cat "$dir/world.txt")$nl || exit 1
save() { put_file "$dir/world.txt" "$world"; }

# find "order 17": deixa em $rest o que vem depois, na linha que começa assim.
find() {
  while IFS= read -r line; do
    case "$line " in "$1 "*) rest=${line#"$1"} rest=${rest# }; return 0 ;; esac
  done <<EOF
$world
EOF
  return 1
}

# drop "order 17": tira a linha que começa assim.
drop() { world=$(printf '%s' "$world" | awk -v key="$1 " 'index($0 " ", key) != 1')$nl || exit 1; }

# put "order 17" "DELIVERED espada 1": troca a linha que começa assim, ou acrescenta uma.
put() { drop "$1"; world=$world$1${2:+ $2}$nl; }

offer() { find "offer $1" && read -r state seller stock cents <<EOF
$rest
EOF
}

# left ITEM: o que resta para outros compradores. As unidades de um pedido adiado estão separadas para ele.
left() {
  printf '%s' "$world" | awk -v item="$1" '
    $1 " " $2 == "offer " item { n += $5 }
    $1 " " $3 " " $4 == "order TEMPORARY " item { n -= $5 }
    END { print (n > 0 ? n : 0) }'
}

# 2. Um pedido: se ainda não foi decidido, decidir e entregar em uma gravação só. Depois, responder o que aconteceu.
# take EVENTO: a resposta fica em $reply.
take() {
  id=$(field transactionId "$1") item=$(field itemRef "$1") quantity=$(field quantity "$1")
  buyer=$(field buyerCharacterRef "$1") result=TEMPORARY text=adiado # na dúvida: o pedido volta mais tarde
  case $id$item$quantity$buyer in *[!A-Za-z0-9._-]*) echo "pedido $id: nome não aceito: $1" >&2; return 1 ;; esac
  ! find "order $id" || result=${rest%% *}
  if [ "$result" = TEMPORARY ]; then
    drop "order $id" # as unidades que estavam separadas são para ele, ou ficam livres
    units=$(left "$item") || exit 1
    if [ "$(field event "$1")" = transaction_terminal ]; then
      result=OUT_OF_STOCK text="encerrado $(field outcome "$1")" # acabou sem entrega: não será mais entregue
    elif offer "$item" && [ "$units" -lt "$quantity" ]; then
      result=OUT_OF_STOCK text='sem estoque' # só com certeza: o comprador recebe o dinheiro de volta
    elif offer "$item" && [ "$units" -ge "$quantity" ] && ! find "full $buyer"; then
      put "offer $item" "$state $seller $((stock - quantity)) $cents"
      put "mail $buyer $item $quantity $id"
      result=DELIVERED text=entregue
    fi
    put "order $id" "$result $item ${quantity:-0}"
    save
    echo "pedido $id: $text"
  fi
  reply="{\"observedQuantity\":$(left "$item"),\"result\":\"$result\"}"
}

# Cada evento é um arquivo; a resposta tem o mesmo nome, em replies/. Os encerramentos vêm primeiro.
read_events() {
  for path in "$spool"/events/t*.json; do
    name=${path##*/}
    [ ! -e "$spool/replies/$name" ] || continue # o agente ainda vai ler a resposta e apagar os dois
    event=$(cat "$path" 2> /dev/null) || continue # não há nenhum, ou o agente acaba de apagar
    # Depois de actUntil, o agente pode estar parado, e o comprador, com o dinheiro de volta.
    actUntil=$(field actUntil "$event" | tr -cd 0-9)
    [ "${actUntil:-$(date -u +%Y%m%d%H%M%S)000}" -ge "$(date -u +%Y%m%d%H%M%S)000" ] || continue
    ! take "$event" || put_file "$spool/replies/$name" "$reply"
  done
}

# 3. Chamar o agente: um arquivo em outbox/, a resposta em inbox/. Ele assina, envia e repete.
# field NOME JSON: um texto ou número de um objeto simples, em uma linha.
field() {
  printf '%s\n' "$2" |
    sed -n -e "s/.*\"$1\":\"\([^\"\\\\]*\(\\\\.[^\"\\\\]*\)*\)\".*/\1/p; t" -e "s/.*\"$1\":\([^\",} ]*\).*/\1/p" |
    sed -e 's/\\u0026/\&/g' -e 's/\\\(["\\/]\)/\1/g'
}

# call AÇÃO CAMPOS: deixa a resposta em $answer e em $result: ok, refused (com certeza) ou unknown (não se sabe).
call() {
  count=$((count + 1)) result=unknown answer= tries=400 # o agente responde em 30 s
  put_file "$spool/outbox/$start-$count.json" "{\"action\":\"$1\",$2}"
  until [ -f "$spool/inbox/$start-$count.json" ]; do
    tries=$((tries - 1)) # sem agente, a chamada não fica para depois
    [ "$tries" -gt 0 ] || { rm -f "$spool/outbox/$start-$count.json"; return; }
    sleep 0.1
  done
  answer=$(cat "$spool/inbox/$start-$count.json") && rm "$spool/inbox/$start-$count.json"
  case "$(field ok "$answer") $(field uncertain "$answer") $(field status "$answer")" in
    'true '*) result=ok ;;
    'false  400' | 'false  403' | 'false  404' | 'false  409' | 'false  422') result=refused ;;
  esac
}
# tell NOME [TEXTO]: a linha que responde a um comando.
tell() {
  case $result in
    ok) echo "$1: ${2:-ok}" ;;
    refused) echo "$1: recusado: $(field message "$answer")" ;;
    *) echo "$1: sem resposta" ;;
  esac
}

# register ITEM [first]: repetido, um 409 significa que outra tentativa valeu.
register() {
  offer "$1"
  call market.register "\"itemRef\":\"$1\",\"gameItemId\":\"$1\",\"itemName\":\"$1\",\"attributes\":\"Item do jogo\",\
\"quantityListed\":$stock,\"unitAmountCents\":$cents,\"sellerCharacterRef\":\"$seller\""
  case "$result $(field status "$answer") ${2:-}" in
    ok* | 'refused 409 ') result=ok; put "offer $1" "listed $seller $stock $cents" ;;
    refused*first) drop "offer $1" ;;
  esac
  save
}

# 4. Os comandos e o laço.
link() { call character.link "\"characterRef\":\"$1\""; tell link "$(field url "$answer")"; }
list() { # ITEM SELLER QUANTITY CENTS
  if offer "$1"; then echo 'list: recusado: este item já tem anúncio'; return; fi
  put "offer $1" "registering $2 $3 $4"
  save # antes da chamada: uma queda não esquece o anúncio, e repetir não anuncia duas vezes
  register "$1" first
  tell list
}
sold() { # ITEM QUANTITY
  units=$(left "$1") || exit 1
  if ! [ "$units" -ge "$2" ]; then echo 'sold: recusado: não há tanto'; return; fi
  offer "$1" && put "offer $1" "$state $seller $((stock - $2)) $cents"
  save
  call market.adjust-stock "\"itemRef\":\"$1\",\"observedQuantity\":$((units - $2))"
  tell sold
}
withdraw() { # ITEM
  call market.withdraw "\"itemRef\":\"$1\""
  if [ "$result" = ok ] && offer "$1"; then put "offer $1" "withdrawn $seller $stock $cents"; save; fi
  tell withdraw
}
buy() { # ITEM QUANTITY BUYER
  call transaction.create "\"itemRef\":\"$1\",\"quantity\":$2,\"buyerCharacterRef\":\"$3\""
  tell buy "$(field checkoutUrl "$answer")"
}
full() { put "full $1"; save; echo 'full: ok'; }
room() { drop "full $1"; save; echo 'room: ok'; }

# run COMANDO ARGUMENTOS. Os nomes fazem parte do mundo e do JSON: só letras, números, ponto, _ e -.
run() {
  case "$1 $#" in
    'link 2' | 'withdraw 2' | 'full 2' | 'room 2') is_name "$2" ;;
    'list 5') is_name "$2$3" && is_number "$4" && is_number "$5" ;;
    'sold 3') is_name "$2" && is_number "$3" ;;
    'buy 4') is_name "$2$4" && is_number "$3" ;;
    *) false ;;
  esac || set -- unknown "$1"
  "$@"
}
unknown() { echo "$1: recusado: comando desconhecido"; }
is_name() { case $1 in *[!A-Za-z0-9._-]*) return 1 ;; esac; }
is_number() { case $1 in 0* | *[!0-9]*) return 1 ;; esac; }
read_console() {
  [ -s "$dir/console.txt" ] || return 0
  lines=$(tr -d '\r' < "$dir/console.txt") && rm "$dir/console.txt"
  set -f # um asterisco não é uma lista de arquivos
  while read -r words; do
    [ -z "$words" ] || run $words
  done <<EOF
$lines
EOF
  set +f
}

echo pronto
while :; do
  for key in $(printf '%s' "$world" | sed -n 's/^offer \([^ ]*\) registering .*/\1/p'); do
    register "$key"; tell "$key"
  done
  read_events
  read_console
  sleep 1
done
