// Um servidor de jogo pequeno e completo que pergunta ao market-agent pelos pedidos. Só a biblioteca padrão.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"os"
	"strings"
	"time"
)

// 1. O mundo: fica na memória e é gravado inteiro depois de cada mudança. Faz o papel do banco de dados do jogo.
type Offer struct {
	State    string `json:"state"` // registering ou listed
	Seller   string `json:"seller"`
	Quantity int    `json:"quantity"`
	Cents    int    `json:"cents"`
}
type Order struct {
	Result   string `json:"result"` // DELIVERED, OUT_OF_STOCK ou TEMPORARY
	Item     string `json:"item"`
	Quantity int    `json:"quantity"`
}
type object = map[string]any

var agentURL, worldDir = "http://127.0.0.1:8899", "world"
var world = struct {
	Offers map[string]*Offer `json:"offers"`
	Orders map[int]Order     `json:"orders"`
	Mail   []object          `json:"mail"`
	Full   map[string]bool   `json:"full"`
}{map[string]*Offer{}, map[int]Order{}, []object{}, map[string]bool{}}

func save() { // tudo ou nada: o arquivo tem o mundo de antes ou o de depois
	file, err := os.Create(worldDir + "/world.tmp")
	must(err)
	must(json.NewEncoder(file).Encode(world))
	must(file.Sync())
	must(file.Close())
	must(os.Rename(worldDir+"/world.tmp", worldDir+"/world.json"))
	folder, _ := os.Open(worldDir)
	folder.Sync() // o novo nome também sobrevive a uma queda de energia; o Windows não precisa disto
	folder.Close()
}
func must(err error) {
	if err != nil {
		panic(err) // encerra o programa: a memória não pode saber mais do que o disco
	}
}
func left(item string) (units int) { // para outros compradores: as de um pedido adiado estão separadas para ele
	if offer := world.Offers[item]; offer != nil {
		units = offer.Quantity
	}
	for _, order := range world.Orders {
		if order.Item == item && order.Result == "TEMPORARY" {
			units -= order.Quantity
		}
	}
	return int(math.Max(0, float64(units)))
}

// 2. Um pedido: se ainda não foi decidido, decidir e entregar em uma gravação só. Depois, responder o que aconteceu.
func take(id int, item string, quantity int, buyer string) object {
	if known := world.Orders[id].Result; known == "" || known == "TEMPORARY" {
		delete(world.Orders, id) // as unidades que estavam separadas são para ele
		offer, result, said := world.Offers[item], "DELIVERED", "entregue"
		if offer != nil && left(item) < quantity {
			result, said = "OUT_OF_STOCK", "sem estoque" // só com certeza: o comprador recebe o dinheiro de volta
		} else if offer == nil || world.Full[buyer] {
			result, said = "TEMPORARY", "adiado" // na dúvida: o pedido volta mais tarde
		} else {
			offer.Quantity -= quantity
			world.Mail = append(world.Mail, object{"buyer": buyer, "item": item, "quantity": quantity, "id": id})
		}
		world.Orders[id] = Order{result, item, quantity}
		save()
		fmt.Printf("pedido %d: %s\n", id, said)
	}
	return object{"transactionId": id, "observedQuantity": left(item), "result": world.Orders[id].Result}
}
func askForOrders(since string) string { // já viu os pedidos que acabaram até este momento
	open, said := call("orders.open", object{"closedSince": since})
	for _, o := range open.Data.Orders {
		if o.State == "offered" && said == "ok" { // depois de uma falha, só uma lista nova vale
			_, said = call("orders.take", take(o.TransactionID, o.ItemRef, o.Quantity, o.BuyerCharacterRef))
			fmt.Printf("pedido %d: resposta ao agente: %s\n", o.TransactionID, said)
		}
	}
	for _, o := range open.Data.Closed {
		if since = o.Since; world.Orders[o.TransactionID].Result == "TEMPORARY" {
			delete(world.Orders, o.TransactionID) // não será entregue, e as unidades separadas ficam livres
			save()
			fmt.Printf("pedido %d: encerrado %s\n", o.TransactionID, o.Outcome)
		}
	}
	return since
}

// 3. Chamar o agente. Ele assina, envia e repete. Nenhuma destas chamadas precisa de um id.
type Answer struct {
	OK, Uncertain bool
	Status        int
	Message       string
	Data          struct {
		URL, CheckoutURL string
		Orders, Closed   []struct {
			TransactionID, Quantity                           int
			ItemRef, BuyerCharacterRef, State, Outcome, Since string
		}
	}
}

func call(operation string, input object) (answer Answer, said string) {
	body, _ := json.Marshal(object{"operation": operation, "input": input})
	client := http.Client{Timeout: 40 * time.Second} // o agente responde em 30 s
	if response, err := client.Post(agentURL+"/call", "application/json", strings.NewReader(string(body))); err == nil {
		json.NewDecoder(response.Body).Decode(&answer) // de meia resposta não fica nada
		response.Body.Close()
	}
	if answer.OK {
		return answer, strings.Fields(answer.Data.URL + answer.Data.CheckoutURL + " ok")[0]
	} else if strings.Contains("400,403,404,409,422", fmt.Sprintf("%03d", answer.Status)) && !answer.Uncertain {
		return answer, "recusado: " + answer.Message
	}
	return answer, "sem resposta"
}
func register(item string, isFirst bool) string {
	offer := world.Offers[item]
	answer, said := call("market.register", object{
		"itemRef": item, "gameItemId": item, "itemName": item, "attributes": "Item do jogo",
		"quantityListed": offer.Quantity, "unitAmountCents": offer.Cents, "sellerCharacterRef": offer.Seller})
	if answer.OK || answer.Status == 409 && !isFirst { // 409: uma tentativa anterior valeu
		offer.State = "listed"
	} else if isFirst && said != "sem resposta" {
		delete(world.Offers, item)
	}
	save()
	return said
}

// 4. Os comandos e o laço.
func run(name, item, second, third, fourth string) (said string) {
	number := func(text string) (n int) { fmt.Sscan(text, &n); return n }
	said = "recusado: comando desconhecido, item já anunciado ou não há tanto"
	switch offer := world.Offers[item]; {
	case name == "link":
		_, said = call("character.link", object{"characterRef": item})
	case name == "list" && offer == nil:
		world.Offers[item] = &Offer{"registering", second, number(third), number(fourth)}
		save() // antes da chamada: uma queda não esquece o anúncio, e repetir não anuncia duas vezes
		said = register(item, true)
	case name == "sold" && number(second) > 0 && number(second) <= left(item):
		offer.Quantity -= number(second)
		save()
		_, said = call("market.adjust-stock", object{"itemRef": item, "observedQuantity": left(item)})
	case name == "withdraw":
		_, said = call("market.withdraw", object{"itemRef": item})
	case name == "buy":
		_, said = call("transaction.create", object{"itemRef": item, "quantity": number(second), "buyerCharacterRef": third})
	case name == "full" || name == "room":
		world.Full[item], said = name == "full", "ok"
		save()
	}
	return said
}
func main() {
	for name, setting := range map[string]*string{"AGENT_URL": &agentURL, "WORLD_DIR": &worldDir} {
		if value := os.Getenv(name); value != "" {
			*setting = value
		}
	}
	must(os.MkdirAll(worldDir, 0o777))
	if text, err := os.ReadFile(worldDir + "/world.json"); !os.IsNotExist(err) {
		must(err)
		must(json.Unmarshal(text, &world))
	}
	lines := make(chan string)
	go func() {
		for input := bufio.NewScanner(os.Stdin); input.Scan(); {
			lines <- input.Text()
		}
	}()
	fmt.Println("pronto")
	for since := "1970-01-01T00:00:00.000Z"; ; since = askForOrders(since) {
		for item, offer := range world.Offers {
			if offer.State == "registering" {
				register(item, false)
			}
		}
		select {
		case line := <-lines:
			w := append(strings.Fields(line), "", "", "", "", "")
			fmt.Println(w[0]+":", run(w[0], w[1], w[2], w[3], w[4]))
		case <-time.After(time.Second):
		}
	}
}
