#!/bin/sh
# Um servidor de jogo completo em shell: vende pelo market-agent usando apenas arquivos.
#
#   SERVICE_SPOOL_DIR=spool WORLD_DIR=world sh game.sh
#
# Os comandos (link, list, buy...) são linhas escritas em WORLD_DIR/console.txt.
set -u
LC_ALL=C
export LC_ALL
spool=${SERVICE_SPOOL_DIR:-spool}
dir=${WORLD_DIR:-world}
start=$(date +%s)-$$ # diferente a cada início: faz parte dos ids
count=0
nl='
'

die() { echo "game.sh: $1" >&2; exit 1; }

# put_file ARQUIVO TEXTO: o arquivo aparece inteiro ou não aparece, mesmo se faltar energia.
put_file() {
  temporary=${1%/*}/.${1##*/}.tmp
  printf '%s\n' "$2" > "$temporary" && sync "$temporary" && mv "$temporary" "$1" && sync "${1%/*}"
}

# 1. O mundo: linhas de texto, na memória e em world.txt. No seu jogo, é o banco de dados.

load() {
  mkdir -p "$dir" || die "não foi possível criar $dir"
  world=
  [ ! -e "$dir/world.txt" ] || world=$(cat "$dir/world.txt") || die "não foi possível ler $dir/world.txt"
}

save() { put_file "$dir/world.txt" "$world" || die "não foi possível gravar $dir/world.txt"; }

# find "order 17": deixa em $rest o que vem depois, na linha que começa assim.
find() {
  while IFS= read -r line; do
    case "$line " in "$1 "*) rest=${line#"$1"}; return 0 ;; esac
  done <<EOF
$world
EOF
  return 1
}

# put "order 17" "taken espada 1 ana 0": troca a linha que começa assim, ou acrescenta uma.
put() {
  lines= isNew=1
  while IFS= read -r line; do
    case "$line " in "$1 "*) line="$1 $2" isNew= ;; esac
    lines=$lines${line:+$line$nl}
  done <<EOF
$world
EOF
  world=${lines%"$nl"}
  [ -z "$isNew" ] || world=${world:+$world$nl}"$1${2:+ $2}"
}

offer() { find "offer $1" && read -r offerState try seller left cents <<EOF
$rest
EOF
}

order() { find "order $1" && read -r state item quantity buyer tries <<EOF
$rest
EOF
}

# all order taken: as chaves de todos os pedidos neste estado.
all() {
  printf '%s\n' "$world" | while read -r kind key stateOfIt _; do
    [ "$kind $stateOfIt" != "$1 $2" ] || echo "$key"
  done
}

# Unidades livres para outros compradores: as de pedidos pagos e ainda não entregues ficam de fora.
observed() (
  offer "$1" || left=0
  for id in $(all order taken) $(all order put-off); do
    order "$id"
    [ "$item" != "$1" ] || left=$((left - quantity))
  done
  [ "$left" -gt 0 ] || left=0
  echo "$left"
)

# 2. Chamar o agente: um arquivo em outbox/, a resposta em inbox/.

# field NOME JSON: um texto ou número de um objeto simples, em uma linha.
field() {
  printf '%s\n' "$2" |
    sed -n -e "s/.*\"$1\" *: *\"\([^\"\\\\]*\(\\\\.[^\"\\\\]*\)*\)\".*/\1/p; t" -e "s/.*\"$1\" *: *\([^\",} ]*\).*/\1/p" |
    sed -e 's/\\u0026/\&/g' -e 's/\\\(["\\/]\)/\1/g'
}

# new_id NOME: um id que nunca foi usado, em $id.
new_id() { count=$((count + 1)); id=$1-$start-$count; }

# call ID AÇÃO CAMPOS: deixa a resposta em $answer e em $result: ok, refused (recusa certa) ou unknown (não se sabe).
call() {
  answerFile=$spool/inbox/$1.json result=unknown answer=
  # Uma resposta que chegou antes de uma queda nossa vale: o id é da mesma chamada.
  [ -f "$answerFile" ] || put_file "$spool/outbox/$1.json" "{\"action\":\"$2\",$3}" || return 0
  waits=600
  until [ -f "$answerFile" ]; do
    waits=$((waits - 1))
    # O agente não está rodando: retira o pedido, se ele ainda estiver lá.
    [ "$waits" -gt 0 ] || { rm -f "$spool/outbox/$1.json"; echo "$1: sem resposta" >&2; return 0; }
    sleep 0.1
  done
  answer=$(cat "$answerFile")
  case "$(field ok "$answer") $(field uncertain "$answer") $(field status "$answer") $(field code "$answer")" in
    'true '*) result=ok ;;
    'false  401 '* | 'false  408 '* | 'false  425 '* | 'false  429 '* | *' ID_REUSED') ;; # passam, ou outro id resolve
    'false  4'*) result=refused ;;
  esac
  [ "$result" = ok ] || printf '%s\n' "$1: $answer" >&2
}

# Apaga a resposta. Só depois de agir e gravar.
forget() { rm -f "$answerFile"; }

# tell COMANDO [TEXTO]: a linha de resposta de um comando.
tell() {
  case $result in
    ok) echo "$1: ${2:-ok}" ;;
    refused) echo "$1: recusado: $(field message "$answer")" ;;
    *) echo "$1: sem resposta" ;;
  esac
}

# 3. Anunciar. O estado é gravado antes da chamada; enquanto for "registering", o tick a repete.

# register ITEM [again]
register() {
  offer "$1"
  call "register-$1-$try" market.register "\"itemRef\":\"$1\",\"gameItemId\":\"$1\",\"itemName\":\"$1\",\"attributes\":\"Item do jogo\",\"quantityListed\":$left,\"unitAmountCents\":$cents,\"sellerCharacterRef\":\"$seller\""
  # Uma tentativa anterior ficou em dúvida, e o itemRef já foi usado: foi ela que anunciou.
  [ "$result $(field status "$answer") ${2:-}" != 'refused 409 again' ] || result=ok
  case $result in
    ok) put "offer $1" "listed $try $seller $left $cents" ;;
    refused) put "offer $1" "refused $try $seller $left $cents" ;;
    *) put "offer $1" "registering $((try + 1)) $seller $left $cents" ;;
  esac
  save
  forget
}

# list ITEM SELLER QUANTITY CENTS
list() {
  try=0
  if offer "$1" && [ "$offerState" != refused ]; then echo "list: recusado: $1 já foi anunciado"; return; fi
  put "offer $1" "registering $((try + 1)) $2 $3 $4"
  save
  register "$1"
  tell list
}

# sold ITEM QUANTITY: vendido dentro do jogo.
sold() {
  if ! offer "$1" || [ "$left" -lt "$2" ]; then echo "sold: recusado: não há $2 de $1"; return; fi
  put "offer $1" "$offerState $try $seller $((left - $2)) $cents"
  save
  new_id adjust
  call "$id" market.adjust-stock "\"itemRef\":\"$1\",\"observedQuantity\":$(observed "$1")"
  forget
  tell sold
}

# withdraw ITEM
withdraw() {
  new_id withdraw
  call "$id" market.withdraw "\"itemRef\":\"$1\""
  if [ "$result" = ok ] && offer "$1"; then put "offer $1" "withdrawn $try $seller $left $cents"; save; fi
  forget
  tell withdraw
}

# 4. Receber um pedido: primeiro gravar, depois responder. O mesmo pedido pode vir mais de uma vez.

# take ID EVENTO NOME-DO-ARQUIVO
take() {
  state= tries=0
  if ! order "$1" || [ "$state" = put-off ]; then
    item=$(field itemRef "$2") quantity=$(field quantity "$2") buyer=$(field buyerCharacterRef "$2")
    if ! is_name "$item" "$buyer" || ! is_number "$quantity"; then echo "pedido $1: nome não aceito: $2" >&2; return; fi
    put "order $1" "taken $item $quantity $buyer $tries"
    save
    echo "pedido $1: recebido"
  fi
  put_file "$spool/replies/$3" "{\"observedQuantity\":$(observed "$item")}"
}

# 5. Entregar ou relatar. Nada aqui se repete: o estado do pedido muda na mesma gravação.

# is_awaited ID: um pedido de antes deste início pode ter acabado enquanto o servidor estava parado. A plataforma sabe.
is_awaited() {
  case " $fromDisk " in *" $1 "*) ;; *) return 0 ;; esac
  new_id "ask-$1"
  call "$id" transaction.get "\"transactionId\":$1"
  forget
  [ "$(field deliveryStatus "$answer")" = AGUARDANDO_SERVIDOR ]
}

# deliver ID
deliver() {
  is_awaited "$1" || return
  order "$1"
  if ! offer "$item" || { [ "$left" -ge "$quantity" ] && find "full $buyer"; }; then
    put_off "$1"
  elif [ "$left" -lt "$quantity" ]; then
    # Um reembolso não tem volta: a decisão é gravada antes.
    put "order $1" "out-of-stock $item $quantity $buyer $tries"
    save
    echo "pedido $1: sem estoque"
  else
    put "offer $item" "$offerState $try $seller $((left - quantity)) $cents"
    put "mail $buyer $item $quantity $1" ''
    put "order $1" "delivered $item $quantity $buyer $tries"
    save
    echo "pedido $1: entregue"
  fi
}

# put_off ID: agora não dá; a plataforma envia o pedido de novo. Cada relato tem um id novo.
put_off() {
  call "failed-$1-$tries" transaction.delivery-failure "\"transactionId\":$1,\"reason\":\"TEMPORARY\",\"observedQuantity\":$(observed "$item")"
  [ "$result" != ok ] || state=put-off
  put "order $1" "$state $item $quantity $buyer $((tries + 1))"
  save
  forget
  [ "$result" != ok ] || echo "pedido $1: adiado"
}

# report_gone ID: o item acabou; o comprador recebe o dinheiro de volta.
report_gone() {
  order "$1"
  new_id "gone-$1"
  call "$id" transaction.delivery-failure "\"transactionId\":$1,\"reason\":\"OUT_OF_STOCK\",\"observedQuantity\":$(observed "$item")"
  settle "$1" closed
}

# 6. Confirmar a entrega, até haver uma resposta certa.

# confirm ID
confirm() {
  order "$1"
  new_id "deliver-$1"
  call "$id" transaction.delivery "\"transactionId\":$1"
  settle "$1" confirmed
  [ "$result" != ok ] || echo "pedido $1: confirmado"
}

# settle ID ESTADO: o estado depois de um "ok". Com uma recusa certa não adianta repetir: a equipe do jogo decide.
settle() {
  next=$2
  [ "$result" != refused ] || { next=closed; echo "pedido $1: recusado: $(field message "$answer")"; }
  [ "$result" = unknown ] || { put "order $1" "$next $item $quantity $buyer $tries"; save; }
  forget
}

# 7. O fim de um pedido. O que ainda não foi entregue não será mais.

# end_order ID EVENTO NOME-DO-ARQUIVO
end_order() {
  if order "$1"; then
    put "order $1" "closed $item $quantity $buyer $tries"
    save
    echo "pedido $1: encerrado $(field outcome "$2")"
  fi
  put_file "$spool/replies/$3" '{}'
}

# each_event NOME FUNÇÃO: chama FUNÇÃO ID EVENTO NOME-DO-ARQUIVO para cada evento que ainda não foi respondido.
each_event() {
  for path in "$spool/events/$1"-*.json; do
    name=${path##*/}
    [ ! -e "$spool/replies/$name" ] || continue # o agente ainda vai ler a resposta
    event=$(cat "$path" 2> /dev/null) || continue # não há nenhum, ou o agente acaba de apagar
    transaction=$(field transactionId "$event")
    ! is_number "$transaction" || "$2" "$transaction" "$event" "$name"
  done
}

# 8. Console e laço principal.

# Os nomes fazem parte de ids, nomes de arquivos e JSON.
is_name() { for word; do case $word in '' | [!A-Za-z0-9]* | *[!A-Za-z0-9._-]*) return 1 ;; esac; done; }
is_number() { for word; do case $word in '' | 0* | *[!0-9]*) return 1 ;; esac; done; }

link() { new_id link; call "$id" character.link "\"characterRef\":\"$1\""; forget; tell link "$(field url "$answer")"; }

# buy ITEM QUANTITY BUYER: uma compra cuja resposta se perde não faz mal: ela expira sem pagamento.
buy() {
  new_id buy
  call "$id" transaction.create "\"itemRef\":\"$1\",\"quantity\":$2,\"buyerCharacterRef\":\"$3\""
  forget
  tell buy "$(field checkoutUrl "$answer")"
}

# full CHARACTER, room CHARACTER: a caixa de correio enche, ou volta a ter espaço.
full() { put "full $1" ''; save; result=ok; tell full; }
room() { world=$(printf '%s\n' "$world" | grep -vxF "full $1"); save; result=ok; tell room; }

# run COMANDO ARGUMENTOS
run() {
  case "$1 $#" in
    'link 2') is_name "$2" ;;
    'list 5') is_name "$2" "$3" && is_number "$4" "$5" ;;
    'sold 3') is_name "$2" && is_number "$3" ;;
    'withdraw 2') is_name "$2" ;;
    'buy 4') is_name "$2" "$4" && is_number "$3" ;;
    'full 2' | 'room 2') is_name "$2" ;;
    *) false ;;
  esac || { echo "$1: recusado: comando desconhecido ou argumento errado"; return; }
  "$@"
}

read_console() {
  [ -f "$dir/console.now" ] || mv "$dir/console.txt" "$dir/console.now" 2> /dev/null || return
  commands=$(tr -d '\r' < "$dir/console.now")
  rm "$dir/console.now"
  while read -r command; do
    set -f
    set -- $command
    set +f
    [ $# -eq 0 ] || run "$@"
  done <<EOF
$commands
EOF
}

load
fromDisk=$(all order taken | tr '\n' ' ')
until [ -f "$spool/agent.json" ]; do
  echo "game.sh: esperando o agente em $spool" >&2
  sleep 1
done
echo pronto
while :; do
  read_console
  # Os fins antes das entregas: o que acabou não é mais entregue.
  each_event transaction_terminal end_order
  for key in $(all offer registering); do register "$key" again; done
  for key in $(all order out-of-stock); do report_gone "$key"; done
  for key in $(all order taken); do deliver "$key"; done
  for key in $(all order delivered); do confirm "$key"; done
  each_event transfer_order take
  sleep 1
done
