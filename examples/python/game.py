#!/usr/bin/env python3
"""Um servidor de jogo pequeno e completo que vende itens pelo market-agent, por HTTP. Só a biblioteca padrão."""
import http.client
import json
import os
import queue
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

AGENT = urlsplit(os.environ.get("AGENT_URL", "http://127.0.0.1:8899"))
GAME_PORT = int(os.environ.get("GAME_PORT", "9000"))
WORLD_DIR = os.environ.get("WORLD_DIR", "world")
START = int(time.time() * 1000)


def say(text):
    print(text, flush=True)


# 1. O mundo: fica na memória e é gravado inteiro depois de cada mudança. É o banco de dados do jogo.
offers, orders, mail, full = {}, {}, [], set()
lock = threading.Lock()  # o laço principal e os pedidos que chegam mudam o mesmo mundo
world_path = os.path.join(WORLD_DIR, "world.txt")


def load():
    os.makedirs(WORLD_DIR, exist_ok=True)
    if not os.path.exists(world_path):
        return
    with open(world_path, encoding="utf-8") as file:
        for kind, *words in (line.split() for line in file if line.strip()):
            if kind == "offer":
                item, state, tries, seller, quantity, cents = words
                offers[item] = {"state": state, "try": int(tries), "seller": seller,
                                "quantity": int(quantity), "cents": int(cents)}
            elif kind == "order":
                id, state, item, quantity, buyer, tries = words
                orders[int(id)] = {"state": state, "item": item, "quantity": int(quantity),
                                   "buyer": buyer, "tries": int(tries)}
            elif kind == "mail":
                mail.append(words)
            elif kind == "full":
                full.add(words[0])


def save():
    """Tudo ou nada: quem lê o arquivo vê o mundo de antes ou o de depois."""
    lines = [f"offer {item} {o['state']} {o['try']} {o['seller']} {o['quantity']} {o['cents']}"
             for item, o in offers.items()]
    lines += [f"order {id} {o['state']} {o['item']} {o['quantity']} {o['buyer']} {o['tries']}"
              for id, o in orders.items()]
    lines += ["mail " + " ".join(words) for words in mail]
    lines += [f"full {character}" for character in full]
    try:
        with open(world_path + ".tmp", "w", encoding="utf-8") as file:
            file.write("".join(line + "\n" for line in lines))
            file.flush()
            os.fsync(file.fileno())
        os.replace(world_path + ".tmp", world_path)
    except OSError as error:
        say(f"o mundo não pôde ser gravado: {error}")
        os._exit(1)  # a memória não pode saber mais do que o disco


def observed(item):
    """O que resta para outros compradores: sem as unidades dos pedidos que ainda serão entregues."""
    waiting = sum(o["quantity"] for o in orders.values() if o["item"] == item and o["state"] in ("taken", "put-off"))
    return max(0, offers[item]["quantity"] - waiting) if item in offers else 0


# 2. Chamar o agente. Sem resposta, repete com o mesmo id: assim a chamada continua sendo uma só.
def call(operation, input, id=None):
    body = json.dumps({"operation": operation, "input": input, **({"id": id} if id else {})})
    for _ in range(4):
        connection = http.client.HTTPConnection(AGENT.hostname, AGENT.port or 80, timeout=40)  # o agente responde em 30 s
        try:
            connection.request("POST", "/call", body.encode(), {"Content-Type": "application/json"})
            return json.loads(connection.getresponse().read())
        except (OSError, http.client.HTTPException, ValueError):
            time.sleep(1)
        finally:
            connection.close()
    return {"ok": False, "status": 503, "message": "sem resposta", "uncertain": True}


def is_refused(answer):
    """Uma recusa certa. Todo o resto é dúvida ou passa: tenta-se de novo."""
    status = answer.get("status", 0)
    return (not answer["ok"] and not answer.get("uncertain")
            and 400 <= status < 500 and status not in (401, 408, 425, 429))


def result(answer):
    return f"recusado: {answer['message']}" if is_refused(answer) else "sem resposta"


# 3. Anunciar. O número da tentativa faz parte do id e é gravado antes da chamada.
def register(item):
    offer = offers[item]
    answer = call("market.register", {
        "itemRef": item, "gameItemId": item, "itemName": item, "attributes": "Item do jogo",
        "quantityListed": offer["quantity"], "unitAmountCents": offer["cents"], "sellerCharacterRef": offer["seller"],
    }, f"register-{item}-{offer['try']}")
    with lock:
        if answer["ok"] or (answer.get("status") == 409 and offer["try"] > 1):
            offer["state"] = "listed"  # 409 depois de uma dúvida: a tentativa anterior valeu
        elif is_refused(answer):
            offer["state"] = "refused"
        elif answer.get("uncertain"):
            offer["try"] += 1  # talvez tenha valido: o próximo tique pergunta com outro id
        save()
    return "ok" if offer["state"] == "listed" else result(answer)


# 4. Receber um pedido: primeiro gravar, depois responder. O mesmo pedido pode chegar mais de uma vez.
def take_order(event):
    id, item = event["transactionId"], event["itemRef"]
    with lock:
        order = orders.get(id)
        if order is None or order["state"] == "put-off":
            orders[id] = {"state": "taken", "item": item, "quantity": event["quantity"],
                          "buyer": event["buyerCharacterRef"], "tries": order["tries"] if order else 0}
            save()
            say(f"pedido {id}: recebido")
        return {"observedQuantity": observed(item)}


class OrdersHandler(BaseHTTPRequestHandler):
    timeout = 10

    def do_POST(self):
        event = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        reply = take_order(event) if event["event"] == "transfer_order" else end_order(event)
        body = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


# 5. Entregar, ou dizer por que não. Só o que é certo devolve o dinheiro; na dúvida, TEMPORARY.
def work_order(id):
    order = orders[id]
    item, quantity, buyer = order["item"], order["quantity"], order["buyer"]
    with lock:
        if order["state"] != "taken":
            return
        is_sure = item in offers
        if is_sure and offers[item]["quantity"] < quantity:
            order["state"] = "out-of-stock"
            save()  # a decisão fica gravada antes do reembolso, que não tem volta
            return
        if is_sure and buyer not in full:
            offers[item]["quantity"] -= quantity
            mail.append([buyer, item, str(quantity), str(id)])
            order["state"] = "delivered"
            save()  # estoque, correio e pedido mudam juntos
            say(f"pedido {id}: entregue")
            return
        left = observed(item)
    report = {"transactionId": id, "reason": "TEMPORARY", "observedQuantity": left,
              "detail": "correio cheio" if is_sure else "oferta desconhecida"}
    answer = call("transaction.delivery-failure", report, f"failed-{id}-{order['tries'] + 1}")
    with lock:
        if answer["ok"] and order["state"] == "taken":
            order["state"] = "put-off"  # o pedido virá de novo
            order["tries"] += 1
            save()
            say(f"pedido {id}: adiado")


def report_out_of_stock(id):
    item = orders[id]["item"]
    report = {"transactionId": id, "reason": "OUT_OF_STOCK", "observedQuantity": observed(item)}
    finish(id, "out-of-stock", "closed", call("transaction.delivery-failure", report), "sem estoque")


# 6. Confirmar a entrega, até a resposta ser certa. Repetir não faz mal.
def confirm(id):
    finish(id, "delivered", "confirmed", call("transaction.delivery", {"transactionId": id}), "confirmado")


def finish(id, before, after, answer, text):
    with lock:
        if orders[id]["state"] != before or not (answer["ok"] or is_refused(answer)):
            return  # já acabou, ou o próximo tique tenta de novo
        orders[id]["state"] = after if answer["ok"] else "closed"
        save()
    say(f"pedido {id}: {text if answer['ok'] else 'recusado, avise a equipe: ' + answer['message']}")


# 7. O fim de um pedido: o que não foi entregue não será mais.
def end_order(event):
    id = event["transactionId"]
    with lock:
        if id in orders:
            if orders[id]["state"] != "closed":
                orders[id]["state"] = "closed"
                save()
            say(f"pedido {id}: encerrado {event.get('outcome')}")
    return {}


# 8. Os comandos e o laço.
def run(line):
    name, *words = line.split()
    say(f"{name}: {COMMANDS[name](*words)}" if name in COMMANDS else f"{name}: comando desconhecido")


def link(character):
    answer = call("character.link", {"characterRef": character}, next_id("link"))
    return answer["data"]["url"] if answer["ok"] else result(answer)


def list_offer(item, seller, quantity, cents):
    if item in offers and offers[item]["state"] != "refused":
        return "recusado: este item já tem oferta"
    with lock:
        tries = offers[item]["try"] + 1 if item in offers else 1  # um id novo depois de uma recusa corrigida
        offers[item] = {"state": "registering", "try": tries, "seller": seller,
                        "quantity": int(quantity), "cents": int(cents)}
        save()
    return register(item)


def sold(item, quantity):
    with lock:
        if offers[item]["quantity"] < int(quantity):
            return "recusado: não há tanto"
        offers[item]["quantity"] -= int(quantity)
        save()
        left = observed(item)
    answer = call("market.adjust-stock", {"itemRef": item, "observedQuantity": left})
    return "ok" if answer["ok"] else result(answer)  # a próxima observação corrige


def withdraw(item):
    answer = call("market.withdraw", {"itemRef": item})
    if not answer["ok"]:
        return result(answer)
    with lock:
        offers[item]["state"] = "withdrawn"
        save()
    return "ok"


def buy(item, quantity, buyer):
    purchase = {"itemRef": item, "quantity": int(quantity), "buyerCharacterRef": buyer}
    answer = call("transaction.create", purchase, next_id("buy"))
    return answer["data"]["checkoutUrl"] if answer["ok"] else result(answer)


def set_full(character):
    with lock:
        full.add(character)
        save()
    return "ok"


def set_room(character):
    with lock:
        full.discard(character)
        save()
    return "ok"


COMMANDS = {"link": link, "list": list_offer, "sold": sold, "withdraw": withdraw, "buy": buy,
            "full": set_full, "room": set_room}
calls = 0


def next_id(name):
    global calls
    calls += 1
    return f"{name}-{START}-{calls}"


def orders_in(state):
    with lock:
        return [id for id, order in orders.items() if order["state"] == state]


def tick(seen):
    """Uma volta de um segundo. Um pedido é entregue na volta depois daquela que o viu."""
    with lock:
        registering = [item for item, offer in offers.items() if offer["state"] == "registering"]
    for item in registering:
        say(f"oferta {item}: {register(item)}")
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
            commands.put(line)


def main():
    load()
    server = ThreadingHTTPServer(("127.0.0.1", GAME_PORT), OrdersHandler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    commands = queue.Queue()
    threading.Thread(target=read_commands, args=(commands,), daemon=True).start()
    say("pronto")
    seen, next_tick = [], time.monotonic() + 1
    while True:
        try:
            line = commands.get(timeout=max(0.001, next_tick - time.monotonic()))
            try:
                run(line)
            except (KeyError, TypeError, ValueError):
                say(f"{line.split()[0]}: recusado: argumentos errados")
        except queue.Empty:
            seen = tick(seen)
            next_tick = time.monotonic() + 1


main()
