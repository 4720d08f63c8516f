#!/usr/bin/env python3
"""Um servidor de jogo que informa as entregas por conta própria. Só a biblioteca padrão.

Quase todos os servidores de jogo ficam menores e mais seguros com ../python/game.py, em que o agente informa por eles.
"""
import http.client
import json
import os
import queue
import re
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

AGENT = urlsplit(os.environ.get("AGENT_URL", "http://127.0.0.1:8899"))
GAME_PORT = int(os.environ.get("GAME_PORT", "9000"))
WORLD_DIR = os.environ.get("WORLD_DIR", "world")
TOKEN = os.environ.get("SERVICE_WEBHOOK_FORWARD_TOKEN") or sys.exit("defina SERVICE_WEBHOOK_FORWARD_TOKEN")


def say(text):
    sys.stdout.write(text + "\n")  # em uma escrita só: outra thread também mostra linhas
    sys.stdout.flush()


# 1. O mundo: fica na memória e é gravado inteiro depois de cada mudança. Faz o papel do banco de dados.
offers, orders, mail, full = {}, {}, [], set()
unsure = set()  # pedidos que vieram do arquivo
report_at = {}  # quando tentar de novo um aviso que não foi aceito
lock = threading.Lock()  # o laço principal e os pedidos que chegam mudam o mesmo mundo
world_path = os.path.join(WORLD_DIR, "world.txt")


def record(names, words):
    return {name: int(word) if name in ("quantity", "cents") else word for name, word in zip(names, words)}


def load():
    os.makedirs(WORLD_DIR, exist_ok=True)
    if not os.path.exists(world_path):
        return
    with open(world_path, encoding="utf-8") as file:
        for kind, name, *words in (line.split() for line in file if line.strip()):
            if kind == "offer":
                offers[name] = record(("state", "seller", "quantity", "cents"), words)
            elif kind == "order":
                orders[int(name)] = record(("state", "item", "quantity", "buyer"), words)
                unsure.add(int(name))
            elif kind == "mail":
                mail.append([name, *words])
            elif kind == "full":
                full.add(name)


def save():
    """Tudo ou nada: o arquivo tem o mundo de antes ou o de depois."""
    lines = [["offer", item, *offer.values()] for item, offer in offers.items()]
    lines += [["order", id, *order.values()] for id, order in orders.items()]
    lines += [["mail", *words] for words in mail] + [["full", character] for character in full]
    try:
        with open(world_path + ".tmp", "w", encoding="utf-8") as file:
            file.write("".join(" ".join(map(str, line)) + "\n" for line in lines))
            file.flush()
            os.fsync(file.fileno())
        os.replace(world_path + ".tmp", world_path)
        if os.name == "posix":  # o novo nome também deve sobreviver a uma queda de energia
            folder = os.open(WORLD_DIR, os.O_RDONLY)
            os.fsync(folder)
            os.close(folder)
    except OSError as error:
        say(f"o mundo não pôde ser gravado: {error}")
        os._exit(1)  # a memória não pode saber mais do que o disco


def observed(item):
    """O que resta para outros compradores: sem as unidades dos pedidos que ainda serão entregues."""
    waiting = sum(o["quantity"] for o in orders.values() if o["item"] == item and o["state"] in ("taken", "put-off"))
    return max(0, offers[item]["quantity"] - waiting) if item in offers else 0


# 2. Chamar o agente. Ele assina, envia e repete. Nenhuma destas chamadas precisa de um id.
def call(operation, input):
    connection = http.client.HTTPConnection(AGENT.hostname, AGENT.port or 80, timeout=40)  # o agente responde em 30 s
    try:
        body = json.dumps({"operation": operation, "input": input})
        connection.request("POST", "/call", body.encode(), {"Content-Type": "application/json"})
        return {"status": 200, **json.loads(connection.getresponse().read())}
    except (OSError, http.client.HTTPException, ValueError):
        return {"ok": False, "status": 503}
    finally:
        connection.close()


def is_refused(answer):
    """Uma recusa certa. O resto é dúvida, ou passa: tenta-se de novo."""
    return not answer["ok"] and not answer.get("uncertain") and answer["status"] in (400, 403, 404, 409, 422)


def failure(answer):
    return f"recusado: {answer['message']}" if is_refused(answer) else "sem resposta"


# 3. Anunciar. Um itemRef só vale uma vez: repetir não anuncia de novo, e 409 significa que uma tentativa anterior valeu.
def register(item, is_first=False):
    offer = offers[item]
    answer = call("market.register", {
        "itemRef": item, "gameItemId": item, "itemName": item, "attributes": "Item do jogo",
        "quantityListed": offer["quantity"], "unitAmountCents": offer["cents"], "sellerCharacterRef": offer["seller"],
    })
    with lock:
        if answer["ok"] or (answer["status"] == 409 and not is_first):
            offer["state"] = "listed"
        elif is_first and is_refused(answer):
            del offers[item]
        save()
    return "ok" if offer["state"] == "listed" else failure(answer)


# 4. Aceitar um pedido: primeiro gravar, depois responder. O mesmo pedido pode chegar mais de uma vez.
def take_order(event):
    id, item = event["transactionId"], event["itemRef"]
    with lock:
        order = orders.get(id)
        if order is None or order["state"] == "put-off":
            orders[id] = {"state": "taken", "item": item, "quantity": event["quantity"],
                          "buyer": event["buyerCharacterRef"]}
            save()
            say(f"pedido {id}: recebido")
        return {"observedQuantity": observed(item)}


class OrdersHandler(BaseHTTPRequestHandler):
    timeout = 10

    def do_POST(self):
        if self.headers["Authorization"] != f"Bearer {TOKEN}":
            return self.send_error(401)  # não é o agente
        try:
            event = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        except ValueError:
            return self.send_error(400)
        reply = take_order(event) if event["event"] == "transfer_order" else end_order(event)
        body = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


# 5. Entregar, ou dizer por que não. Só a certeza devolve o dinheiro; na dúvida, TEMPORARY.
def is_awaited(id):
    """Um pedido lido do arquivo pode ter acabado enquanto este servidor estava parado. A plataforma sabe."""
    answer = call("transaction.get", {"transactionId": id})
    if answer["ok"] and answer["data"]["deliveryStatus"] == "AGUARDANDO_SERVIDOR":
        unsure.discard(id)
    return id not in unsure


def free_for(id, item):
    """O que resta para um pedido: sem as unidades dos pedidos adiados e dos que chegaram antes dele."""
    others = sum(o["quantity"] for other, o in orders.items() if o["item"] == item and other != id
                 and (o["state"] == "put-off" or o["state"] == "taken" and other < id))
    return offers[item]["quantity"] - others


def work_order(id):
    if id in unsure and not is_awaited(id):
        return  # o aviso de encerramento está a caminho
    order = orders[id]
    item, quantity, buyer = order["item"], order["quantity"], order["buyer"]
    with lock:
        if order["state"] != "taken":
            return
        is_sure = item in offers
        if is_sure and free_for(id, item) < quantity:
            order["state"] = "out-of-stock"
            save()  # a decisão fica gravada antes do estorno, que não tem volta
            return
        if is_sure and buyer not in full:
            offers[item]["quantity"] -= quantity
            mail.append([buyer, item, quantity, id])
            order["state"] = "delivered"
            save()  # o estoque, o correio e o pedido mudam juntos
            say(f"pedido {id}: entregue")
            return
        left = observed(item)
    report = {"transactionId": id, "reason": "TEMPORARY", "observedQuantity": left,
              "detail": "correio cheio" if is_sure else "anúncio desconhecido"}
    answer = call("transaction.delivery-failure", report)
    with lock:
        if answer["ok"] and order["state"] == "taken":
            order["state"] = "put-off"  # a plataforma envia o pedido de novo
            save()
            say(f"pedido {id}: adiado")


def report_out_of_stock(id):
    item = orders[id]["item"]
    report = {"transactionId": id, "reason": "OUT_OF_STOCK", "observedQuantity": observed(item)}
    finish(id, "out-of-stock", "closed", call("transaction.delivery-failure", report), "sem estoque")


# 6. Confirmar a entrega, até ser aceita ou até o pedido ser encerrado. Repetir não faz mal. Durante uma disputa a plataforma
# recusa, e depois pode voltar a aceitar: por isso uma recusa não encerra nada.
def confirm(id):
    finish(id, "delivered", "confirmed", call("transaction.delivery", {"transactionId": id}), "confirmado")


def finish(id, before, after, answer, text):
    with lock:
        if not answer["ok"]:
            report_at[id] = time.monotonic() + 5
            return
        if orders[id]["state"] != before:
            return  # já acabou
        orders[id]["state"] = after
        save()
    say(f"pedido {id}: {text}")


# 7. O aviso de encerramento: o que não foi entregue não será mais.
def end_order(event):
    id = event["transactionId"]
    with lock:
        unknown = {"state": "closed", "item": event["itemRef"], "quantity": 0, "buyer": "-"}
        orders.setdefault(id, unknown)["state"] = "closed"
        save()
        say(f"pedido {id}: encerrado {event.get('outcome')}")
    return {}


# 8. Os comandos e o laço.
def link(character):
    answer = call("character.link", {"characterRef": character})
    return answer["data"]["url"] if answer["ok"] else failure(answer)


def list_offer(item, seller, quantity, cents):
    with lock:
        if item in offers:
            return "recusado: este item já tem anúncio"
        offers[item] = {"state": "registering", "seller": seller, "quantity": int(quantity), "cents": int(cents)}
        save()  # antes da chamada: uma queda não esquece o anúncio
    return register(item, is_first=True)


def sold(item, quantity):
    with lock:
        if not 0 < int(quantity) <= observed(item):
            return "recusado: não há tanto"
        offers[item]["quantity"] -= int(quantity)
        save()
        left = observed(item)
    answer = call("market.adjust-stock", {"itemRef": item, "observedQuantity": left})
    return "ok" if answer["ok"] else failure(answer)  # a próxima observação corrige


def withdraw(item):
    answer = call("market.withdraw", {"itemRef": item})
    if not answer["ok"] or item not in offers:
        return "ok" if answer["ok"] else failure(answer)
    return change(lambda: offers[item].update(state="withdrawn"))


def buy(item, quantity, buyer):
    purchase = {"itemRef": item, "quantity": int(quantity), "buyerCharacterRef": buyer}
    answer = call("transaction.create", purchase)
    return answer["data"]["checkoutUrl"] if answer["ok"] else failure(answer)


def change(act):
    with lock:
        act()
        save()
    return "ok"


COMMANDS = {
    r"link (\S+)": link,
    r"list (\S+) (\S+) (\d+) (\d+)": list_offer,
    r"sold (\S+) (\d+)": sold,
    r"withdraw (\S+)": withdraw,
    r"buy (\S+) (\d+) (\S+)": buy,
    r"full (\S+)": lambda character: change(lambda: full.add(character)),
    r"room (\S+)": lambda character: change(lambda: full.discard(character)),
}


def run(line):
    for pattern, command in COMMANDS.items():
        match = re.fullmatch(pattern, line)
        if match:
            return say(f"{line.split()[0]}: {command(*match.groups())}")
    say(f"{line.split()[0]}: recusado: comando desconhecido")


def orders_in(state):
    with lock:
        now = time.monotonic()
        return [id for id, order in orders.items() if order["state"] == state and report_at.get(id, now) <= now]


def tick(seen):
    """Uma volta de trabalho. Um pedido é entregue na volta depois daquela que o viu primeiro."""
    for item in [item for item, offer in offers.items() if offer["state"] == "registering"]:
        say(f"anúncio {item}: {register(item)}")
    for id in orders_in("out-of-stock"):
        report_out_of_stock(id)
    taken = orders_in("taken")
    for id in taken:
        if id in seen:
            work_order(id)
    for id in orders_in("delivered"):
        confirm(id)
    return taken


def read_commands(commands):
    for line in sys.stdin:
        if line.strip():
            commands.put(line.strip())


def main():
    load()
    server = ThreadingHTTPServer(("127.0.0.1", GAME_PORT), OrdersHandler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    commands = queue.Queue()
    threading.Thread(target=read_commands, args=(commands,), daemon=True).start()
    say("pronto")
    seen, tick_at = [], time.monotonic() + 1
    while True:
        try:
            run(commands.get(timeout=max(0.001, tick_at - time.monotonic())))
        except queue.Empty:
            seen, tick_at = tick(seen), time.monotonic() + 1


main()
