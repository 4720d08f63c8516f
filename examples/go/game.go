// Um servidor de jogo pequeno e completo que vende itens pelo market-agent, por HTTP. Só a biblioteca padrão.
// O README.pt-BR.md diz como iniciar e o que digitar.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"
)

func setting(name, fallback string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return fallback
}

var (
	agentURL  = setting("AGENT_URL", "http://127.0.0.1:8899")
	gamePort  = setting("GAME_PORT", "9000")
	worldPath = filepath.Join(setting("WORLD_DIR", "world"), "world.txt")
	start     = time.Now().UnixMilli() // faz parte dos ids de link e buy: não se repetem depois de um reinício
)

// 1. O mundo: fica na memória e é gravado inteiro depois de cada mudança. Faz o papel do banco de dados do jogo.
// Só a goroutine principal usa o mundo; por isso nada precisa de lock.
type Offer struct {
	State, Seller          string
	Tries, Quantity, Cents int
	InDoubt                bool // uma tentativa anterior talvez tenha anunciado
}

type Order struct {
	State, Item, Buyer string
	Quantity, Tries    int
}

var (
	offers = map[string]*Offer{}
	orders = map[int64]*Order{}
	mail   []string
	full   = map[string]bool{}
	unsure = map[int64]bool{} // pedidos que vieram do arquivo
)

func load() {
	must(os.MkdirAll(filepath.Dir(worldPath), 0o777))
	text, err := os.ReadFile(worldPath)
	if os.IsNotExist(err) {
		return
	}
	must(err)
	for _, line := range strings.Split(string(text), "\n") {
		kind, rest, _ := strings.Cut(line, " ")
		var key string
		switch kind {
		case "offer":
			o := &Offer{}
			_, err = fmt.Sscan(rest, &key, &o.State, &o.Tries, &o.Seller, &o.Quantity, &o.Cents)
			o.InDoubt = o.State == "registering" // a chamada pode ter saído antes da queda
			offers[key] = o
		case "order":
			var id int64
			o := &Order{}
			_, err = fmt.Sscan(rest, &id, &o.State, &o.Item, &o.Quantity, &o.Buyer, &o.Tries)
			orders[id] = o
			unsure[id] = true
		case "mail":
			mail = append(mail, rest)
		case "full":
			full[rest] = true
		}
		must(err)
	}
}

// save grava tudo ou nada: o arquivo tem o mundo de antes ou o de depois.
func save() {
	var text bytes.Buffer
	for item, o := range offers {
		fmt.Fprintln(&text, "offer", item, o.State, o.Tries, o.Seller, o.Quantity, o.Cents)
	}
	for id, o := range orders {
		fmt.Fprintln(&text, "order", id, o.State, o.Item, o.Quantity, o.Buyer, o.Tries)
	}
	for _, words := range mail {
		fmt.Fprintln(&text, "mail", words)
	}
	for character := range full {
		fmt.Fprintln(&text, "full", character)
	}
	file, err := os.Create(worldPath + ".tmp")
	must(err)
	_, err = file.Write(text.Bytes())
	must(err)
	must(file.Sync())
	must(file.Close())
	must(os.Rename(worldPath+".tmp", worldPath))
	if dir, err := os.Open(filepath.Dir(worldPath)); err == nil {
		dir.Sync() // o novo nome também tem de estar no disco; o Windows não precisa
		dir.Close()
	}
}

// must encerra o programa: a memória não pode saber mais do que o disco.
func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// observed diz o que resta para outros compradores: sem as unidades dos pedidos que ainda serão entregues.
func observed(item string) int {
	left := 0
	if offer := offers[item]; offer != nil {
		left = offer.Quantity
	}
	for _, o := range orders {
		if o.Item == item && (o.State == "taken" || o.State == "put-off") {
			left -= o.Quantity
		}
	}
	if left < 0 {
		return 0
	}
	return left
}

// 2. Chamar o agente. Sem resposta, a mesma chamada vai de novo com o mesmo id, e continua sendo uma só.
type Answer struct {
	OK, Uncertain bool
	Status        int
	Code, Message string
	Data          struct{ URL, CheckoutURL, DeliveryStatus string }
}

var client = &http.Client{Timeout: 40 * time.Second} // o agente responde em 30 s

func call(operation string, input map[string]any, id string) Answer {
	request := map[string]any{"operation": operation, "input": input}
	if id != "" {
		request["id"] = id
	}
	body, _ := json.Marshal(request)
	deadline := time.Now().Add(40 * time.Second)
	for tries := 0; tries < 5 && time.Now().Before(deadline); tries++ {
		if tries > 0 {
			time.Sleep(time.Second)
		}
		response, err := client.Post(agentURL+"/call", "application/json", bytes.NewReader(body))
		if err != nil {
			continue
		}
		text, err := io.ReadAll(response.Body)
		response.Body.Close()
		var answer Answer
		if err == nil && json.Unmarshal(text, &answer) == nil {
			return answer
		}
	}
	return Answer{Uncertain: true} // sem resposta
}

// isRefused: uma recusa certa. O resto é dúvida, ou passa: tenta-se de novo.
func isRefused(answer Answer) bool {
	switch answer.Status {
	case 401, 408, 425, 429:
		return false
	}
	return !answer.OK && !answer.Uncertain && answer.Status >= 400 && answer.Status < 500
}

func result(answer Answer, text string) string {
	if answer.OK {
		return text
	}
	if isRefused(answer) {
		return "recusado: " + answer.Message
	}
	return "sem resposta"
}

// 3. Anunciar. O número da tentativa faz parte do id e é gravado antes da chamada.
func register(item string) string {
	offer := offers[item]
	answer := call("market.register", map[string]any{
		"itemRef": item, "gameItemId": item, "itemName": item, "attributes": "Item do jogo",
		"quantityListed": offer.Quantity, "unitAmountCents": offer.Cents, "sellerCharacterRef": offer.Seller,
	}, fmt.Sprintf("register-%s-%d", item, offer.Tries))
	switch {
	case answer.OK || offer.InDoubt && answer.Status == 409: // na dúvida, o 409 diz que uma tentativa anterior valeu
		offer.State = "listed"
	case answer.Uncertain || answer.Code == "ID_REUSED":
		offer.InDoubt = offer.InDoubt || answer.Uncertain // talvez tenha valido
		offer.Tries++                                     // a próxima volta tenta com outro id
	case isRefused(answer):
		offer.State = "refused"
	}
	save()
	if offer.State == "listed" {
		return "ok"
	}
	return result(answer, "ok")
}

// 4. Aceitar um pedido: primeiro gravar, depois responder. O mesmo pedido pode chegar mais de uma vez.
type Event struct {
	Event             string
	TransactionID     int64
	ItemRef           string
	Quantity          int
	BuyerCharacterRef string
	Outcome           string
}

func takeOrder(event Event) map[string]any {
	id, tries := event.TransactionID, 0
	known := orders[id]
	if known != nil {
		tries = known.Tries
	}
	if known == nil || known.State == "put-off" {
		orders[id] = &Order{"taken", event.ItemRef, event.BuyerCharacterRef, event.Quantity, tries}
		save()
		sayOrder(id, "recebido")
	}
	return map[string]any{"observedQuantity": observed(event.ItemRef)}
}

// tasks leva trabalho à goroutine principal, a única que usa o mundo.
var tasks = make(chan func())

// handleOrder espera até que o evento esteja gravado; só então o agente recebe a resposta.
func handleOrder(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Content-Type") != "application/json" { // uma página da web não consegue enviar este tipo
		http.Error(w, "só JSON", http.StatusUnsupportedMediaType)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 65536))
	var event Event
	if err != nil || json.Unmarshal(body, &event) != nil {
		http.Error(w, "não é um evento", http.StatusBadRequest)
		return
	}
	reply := make(chan any, 1)
	task := func() {
		if event.Event == "transfer_order" {
			reply <- takeOrder(event)
		} else {
			reply <- endOrder(event)
		}
	}
	select {
	case tasks <- task:
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(<-reply)
	case <-r.Context().Done(): // o agente desistiu de esperar, e oferece de novo
	}
}

// 5. Entregar, ou dizer por que não. Só a certeza devolve o dinheiro; na dúvida, TEMPORARY.
func workOrder(id int64) {
	if unsure[id] && !isAwaited(id) {
		return // o aviso do fim está a caminho
	}
	order := orders[id]
	offer := offers[order.Item]
	switch {
	case offer != nil && offer.Quantity < order.Quantity:
		order.State = "out-of-stock"
		save() // a decisão fica gravada antes do reembolso, que não tem volta
	case offer != nil && !full[order.Buyer]:
		offer.Quantity -= order.Quantity
		mail = append(mail, fmt.Sprint(order.Buyer, " ", order.Item, " ", order.Quantity, " ", id))
		order.State = "delivered"
		save() // o estoque, o correio e o pedido mudam juntos
		sayOrder(id, "entregue")
	default:
		if reportFailure(id, "TEMPORARY").OK {
			order.State = "put-off" // a plataforma envia o pedido de novo
			order.Tries++
			save()
			sayOrder(id, "adiado")
		}
	}
}

// isAwaited: um pedido lido do arquivo pode ter acabado enquanto este servidor estava parado. A plataforma sabe.
func isAwaited(id int64) bool {
	answer := call("transaction.get", map[string]any{"transactionId": id}, "")
	if answer.OK && answer.Data.DeliveryStatus == "AGUARDANDO_SERVIDOR" {
		delete(unsure, id)
	}
	return !unsure[id]
}

func reportFailure(id int64, reason string) Answer {
	left := observed(orders[id].Item)
	input := map[string]any{"transactionId": id, "reason": reason, "observedQuantity": left}
	return call("transaction.delivery-failure", input, "")
}

func reportOutOfStock(id int64) {
	finish(id, "closed", reportFailure(id, "OUT_OF_STOCK"), "sem estoque")
}

// 6. Confirmar a entrega, até a resposta ser certa. Repetir não faz mal.
func confirm(id int64) {
	finish(id, "confirmed", call("transaction.delivery", map[string]any{"transactionId": id}, ""), "confirmado")
}

func finish(id int64, state string, answer Answer, text string) {
	if !answer.OK && !isRefused(answer) {
		return // a próxima volta tenta de novo
	}
	if !answer.OK {
		state, text = "closed", "recusado, avise a equipe: "+answer.Message
	}
	orders[id].State = state
	save()
	sayOrder(id, text)
}

// 7. O fim de um pedido: o que não foi entregue não será mais.
func endOrder(event Event) map[string]any {
	if order := orders[event.TransactionID]; order != nil {
		if order.State != "closed" {
			order.State = "closed"
			save()
		}
		sayOrder(event.TransactionID, "encerrado "+event.Outcome)
	}
	return map[string]any{}
}

// 8. Os comandos e o laço.
func say(words ...any) { fmt.Println(words...) }

func sayOrder(id int64, text string) { fmt.Printf("pedido %d: %s\n", id, text) }

var calls int

func newID(name string) string {
	calls++
	return fmt.Sprintf("%s-%d-%d", name, start, calls)
}

func run(line string) {
	name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	var ref, character string
	var quantity, cents int
	scan := func(into ...any) bool {
		n, err := fmt.Sscan(rest, into...)
		return err == nil && n == len(strings.Fields(rest)) && quantity >= 0
	}
	text := "recusado: comando desconhecido"
	switch {
	case name == "":
		return
	case name == "link" && scan(&ref):
		answer := call("character.link", map[string]any{"characterRef": ref}, newID(name))
		text = result(answer, answer.Data.URL)
	case name == "list" && scan(&ref, &character, &quantity, &cents):
		text = list(ref, Offer{State: "registering", Seller: character, Quantity: quantity, Cents: cents, Tries: 1})
	case name == "sold" && scan(&ref, &quantity):
		text = sold(ref, quantity)
	case name == "withdraw" && scan(&ref):
		answer := call("market.withdraw", map[string]any{"itemRef": ref}, "")
		if answer.OK && offers[ref] != nil {
			offers[ref].State = "withdrawn"
			save()
		}
		text = result(answer, "ok")
	case name == "buy" && scan(&ref, &quantity, &character):
		purchase := map[string]any{"itemRef": ref, "quantity": quantity, "buyerCharacterRef": character}
		answer := call("transaction.create", purchase, newID(name))
		text = result(answer, answer.Data.CheckoutURL)
	case name == "full" && scan(&ref):
		full[ref] = true
		save()
		text = "ok"
	case name == "room" && scan(&ref):
		delete(full, ref)
		save()
		text = "ok"
	}
	say(name + ": " + text)
}

func list(item string, offer Offer) string {
	if known := offers[item]; known != nil {
		if known.State != "refused" {
			return "recusado: este item já tem anúncio"
		}
		offer.Tries = known.Tries + 1 // depois de uma recusa cuja causa foi corrigida, o id é outro
	}
	offers[item] = &offer
	save()
	return register(item)
}

func sold(item string, quantity int) string {
	offer := offers[item]
	if offer == nil || offer.Quantity < quantity {
		return "recusado: não há tanto"
	}
	offer.Quantity -= quantity
	save()
	input := map[string]any{"itemRef": item, "observedQuantity": observed(item)}
	return result(call("market.adjust-stock", input, ""), "ok") // a próxima observação corrige uma falha
}

func ordersIn(state string) []int64 {
	ids := []int64{}
	for id, order := range orders {
		if order.State == state {
			ids = append(ids, id)
		}
	}
	sort.Slice(ids, func(a, b int) bool { return ids[a] < ids[b] })
	return ids
}

// runWaiting faz o que chegou até agora, sem esperar.
func runWaiting() {
	for {
		select {
		case task := <-tasks:
			task()
		default:
			return
		}
	}
}

// tick é uma volta de um segundo. Um pedido é entregue na volta depois daquela que o viu.
func tick(seen map[int64]bool) map[int64]bool {
	for item, offer := range offers {
		if offer.State == "registering" {
			say("anúncio " + item + ": " + register(item))
		}
	}
	for _, id := range ordersIn("out-of-stock") {
		reportOutOfStock(id)
	}
	taken := map[int64]bool{}
	for _, id := range ordersIn("taken") {
		taken[id] = true
		runWaiting() // o pedido pode ter terminado enquanto uma chamada esperava
		if seen[id] && orders[id].State == "taken" {
			workOrder(id)
		}
	}
	for _, id := range ordersIn("delivered") {
		confirm(id)
	}
	return taken
}

func main() {
	load()
	listener, err := net.Listen("tcp", "127.0.0.1:"+gamePort)
	must(err)
	server := &http.Server{Handler: http.HandlerFunc(handleOrder), ReadTimeout: 10 * time.Second}
	go func() { must(server.Serve(listener)) }()
	go func() {
		for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
			line := lines.Text()
			tasks <- func() { run(line) }
		}
	}()
	say("pronto")
	seen := map[int64]bool{}
	for ticker := time.NewTicker(time.Second); ; {
		select {
		case task := <-tasks:
			task()
		case <-ticker.C:
			seen = tick(seen)
		}
	}
}
