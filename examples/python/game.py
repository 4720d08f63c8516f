"""Um servidor de jogo pequeno e completo que pergunta ao market-agent pelos pedidos. Só a biblioteca padrão."""
import http.client, json, os, queue, sys, threading
from urllib.request import ProxyHandler, Request, build_opener

AGENT_URL = os.environ.get("AGENT_URL", "http://127.0.0.1:8899")
FOLDER = os.environ.get("WORLD_DIR", "world")
WORLD = os.path.join(FOLDER, "world.json")

# 1. O mundo: fica na memória e é gravado inteiro depois de cada mudança. Faz o papel do banco de dados do jogo.
os.makedirs(FOLDER, exist_ok=True)
folder = os.open(FOLDER, os.O_RDONLY) if os.name == "posix" else None
world = json.load(open(WORLD, "rb")) if os.path.exists(WORLD) else {"offers": {}, "orders": {}, "mail": [], "full": []}
world["orders"] = {int(id): order for id, order in world["orders"].items()}
offers, orders, mail, full = world["offers"], world["orders"], world["mail"], world["full"]

def save():
    """Tudo ou nada: o arquivo tem o mundo de antes ou o de depois. Um erro aqui encerra o programa."""
    with open(WORLD + ".tmp", "w", encoding="utf-8") as file:
        json.dump(world, file, indent=1)
        file.flush()
        os.fsync(file.fileno())
    os.replace(WORLD + ".tmp", WORLD)
    if folder: os.fsync(folder)  # o novo nome também sobrevive a uma queda de energia

def left(item):
    """O que resta para outros compradores: as unidades de um pedido adiado estão separadas para ele."""
    aside = sum(o["quantity"] for o in orders.values() if o["item"] == item and o["result"] == "TEMPORARY")
    return max(0, offers[item]["quantity"] - aside) if item in offers else 0

# 2. Um pedido: se ainda não foi decidido, decidir e entregar em uma gravação só. Depois, responder o que aconteceu.
def take(id, item, quantity, buyer):
    if id not in orders or orders[id]["result"] == "TEMPORARY":
        orders.pop(id, None)  # as unidades que estavam separadas são para ele
        if item in offers and left(item) < quantity:
            result = "OUT_OF_STOCK"  # só com certeza: o comprador recebe o dinheiro de volta
        elif item not in offers or buyer in full:
            result = "TEMPORARY"  # na dúvida: o pedido volta mais tarde
        else:
            result = "DELIVERED"
            offers[item]["quantity"] -= quantity
            mail.append({"buyer": buyer, "item": item, "quantity": quantity, "id": id})
        orders[id] = {"result": result, "item": item, "quantity": quantity}
        save()
        print(f"pedido {id}:", {"DELIVERED": "entregue", "OUT_OF_STOCK": "sem estoque", "TEMPORARY": "adiado"}[result])
    return {"transactionId": id, "observedQuantity": left(item), "result": orders[id]["result"]}

def ask_for_orders(since):
    data = call("orders.open", {"closedSince": since}).get("data", {"orders": [], "closed": []})
    for o in [o for o in data["orders"] if o["state"] == "offered"]:
        answer = call("orders.take", take(o["transactionId"], o["itemRef"], o["quantity"], o["buyerCharacterRef"]))
        if answer["status"] == 409: print(f"pedido {o['transactionId']}: avise a equipe: {answer['message']}")
        elif not answer["ok"]: return since  # esta lista já pode estar velha: perguntar de novo
    for o in data["closed"]:
        since, order = o["since"], orders.get(o["transactionId"])
        if order and order["result"] == "TEMPORARY":
            order["result"] = "OUT_OF_STOCK"  # não será mais entregue, e as unidades separadas ficam livres
            save()
            print(f"pedido {o['transactionId']}: encerrado {o['outcome']}")
    return since  # até este momento já viu os pedidos que acabaram

# 3. Chamar o agente. Ele assina, envia e repete. Nenhuma destas chamadas precisa de um id.
def call(operation, input):
    body = json.dumps({"operation": operation, "input": input}).encode()
    request = Request(AGENT_URL + "/call", body, {"Content-Type": "application/json"})
    try:  # o agente responde em 30 s
        return {"status": 200, **json.load(build_opener(ProxyHandler({})).open(request, timeout=40))}
    except (OSError, http.client.HTTPException, ValueError):
        return {"ok": False, "status": 503}

def say(answer, field=None):
    if answer["ok"]: return answer["data"][field] if field else "ok"
    is_sure = answer["status"] in (400, 403, 404, 409, 422) and not answer.get("uncertain")
    return f"recusado: {answer['message']}" if is_sure else "sem resposta"

def register(item, is_first=False):
    o = offers[item]
    answer = call("market.register", {
        "itemRef": item, "gameItemId": item, "itemName": item, "attributes": "Item do jogo",
        "quantityListed": o["quantity"], "unitAmountCents": o["cents"], "sellerCharacterRef": o["seller"]})
    if answer["ok"] or answer["status"] == 409 and not is_first: o["state"] = "listed"  # 409: outra tentativa valeu
    elif is_first and say(answer) != "sem resposta": del offers[item]
    save()
    return "ok" if o["state"] == "listed" else say(answer)

# 4. Os comandos e o laço.
def run(*words):
    match words:
        case "link", character: return say(call("character.link", {"characterRef": character}), "url")
        case "list", item, seller, quantity, cents:
            if item in offers: return "recusado: este item já tem anúncio"
            offers[item] = {"state": "registering", "seller": seller, "quantity": int(quantity), "cents": int(cents)}
            save()  # antes da chamada: uma queda não esquece o anúncio, e repetir não anuncia duas vezes
            return register(item, is_first=True)
        case "sold", item, quantity:
            if not 0 < int(quantity) <= left(item): return "recusado: não há tanto"
            offers[item]["quantity"] -= int(quantity)
            save()
            return say(call("market.adjust-stock", {"itemRef": item, "observedQuantity": left(item)}))
        case "withdraw", item:
            answer = call("market.withdraw", {"itemRef": item})
            if not answer["ok"] or item not in offers: return say(answer)
            offers[item]["state"] = "withdrawn"
        case "buy", item, quantity, buyer:
            purchase = {"itemRef": item, "quantity": int(quantity), "buyerCharacterRef": buyer}
            return say(call("transaction.create", purchase), "checkoutUrl")
        case "full", buyer: full[:] = {*full, buyer}
        case "room", buyer: full[:] = {*full} - {buyer}
        case _: return "recusado: comando desconhecido"
    save()
    return "ok"
lines, since = queue.Queue(), "1970-01-01T00:00:00.000Z"
threading.Thread(target=lambda: [lines.put(line.split()) for line in sys.stdin if line.split()], daemon=True).start()
sys.stdout.reconfigure(line_buffering=True)
print("pronto")
while True:
    for item in [i for i in offers if offers[i]["state"] == "registering"]: print(f"anúncio {item}:", register(item))
    since = ask_for_orders(since)
    try: words = lines.get(timeout=1)
    except queue.Empty: continue
    print(f"{words[0]}: {run(*words)}")
