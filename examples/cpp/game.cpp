// Um servidor de jogo pequeno e completo que pergunta ao market-agent pelos pedidos, por HTTP.
// C++11, cpp-httplib e nlohmann/json. O README.pt-BR.md mostra como compilar, iniciar e o que digitar.
#include <httplib.h>
#include <deque>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#ifdef _WIN32
#include <direct.h>
#include <io.h>
#else
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

using json = nlohmann::json;
using std::string;

static string setting(const char* name, const string& fallback) {
  const char* value = std::getenv(name);
  return value && *value ? value : fallback;
}
static const string agentUrl = setting("AGENT_URL", "http://127.0.0.1:8899");
static const string worldDir = setting("WORLD_DIR", "world"), worldPath = worldDir + "/world.json";
static void say(const string& text) { std::cout << text << std::endl; }

// 1. O mundo: fica na memória e é gravado inteiro depois de cada mudança. Faz o papel do banco de dados do jogo.
static json world = json::parse(R"({"offers": {}, "orders": {}, "mail": [], "full": []})");

#ifdef _WIN32
static void makeDir(const string& path) { _mkdir(path.c_str()); }
static bool syncFile(FILE* file) { return _commit(_fileno(file)) == 0; }
static bool replaceFile(const string& from, const string& to) {
  return MoveFileExA(from.c_str(), to.c_str(), MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH);
}
#else
static void makeDir(const string& path) { mkdir(path.c_str(), 0777); }
static bool syncFile(FILE* file) { return fsync(fileno(file)) == 0; }
static bool replaceFile(const string& from, const string& to) {
  static const int dir = open(worldDir.c_str(), O_RDONLY);
  return rename(from.c_str(), to.c_str()) == 0 && fsync(dir) == 0;  // o novo nome sobrevive a uma queda de energia
}
#endif

// Tudo ou nada: o arquivo tem o mundo de antes ou o de depois. Um erro aqui encerra o programa.
static void save() {
  const string temporary = worldPath + ".tmp", text = world.dump(1);
  FILE* file = std::fopen(temporary.c_str(), "wb");
  const bool isWritten = file && std::fwrite(text.data(), 1, text.size(), file) == text.size() &&
                         !std::fflush(file) && syncFile(file) && !std::fclose(file);
  if (!isWritten || !replaceFile(temporary, worldPath)) throw std::runtime_error("disco: " + worldPath);
}

// O que resta para outros compradores: as unidades de um pedido adiado estão separadas para ele.
static long left(const string& item) {
  if (!world["offers"].count(item)) return 0;
  long units = world["offers"][item]["quantity"];
  for (const json& order : world["orders"])
    if (order["item"] == item && order["result"] == "TEMPORARY") units -= order["quantity"].get<long>();
  return units < 0 ? 0 : units;
}

// 2. Um pedido: se ainda não foi decidido, decidir e entregar em uma gravação só. Depois, responder o que houve.
static json take(const json& order) {
  const string id = order["transactionId"].dump(), item = order["itemRef"];
  const long quantity = order["quantity"];
  json &offers = world["offers"], &orders = world["orders"], &full = world["full"], buyer = order["buyerCharacterRef"];
  if (!orders.count(id) || orders[id]["result"] == "TEMPORARY") {
    orders.erase(id);  // as unidades que estavam separadas são para ele
    string result = "DELIVERED";
    if (!offers.count(item)) result = "TEMPORARY";  // na dúvida: o pedido volta mais tarde
    else if (left(item) < quantity) result = "OUT_OF_STOCK";  // só com certeza: o comprador recebe o dinheiro de volta
    else if (std::find(full.begin(), full.end(), buyer) != full.end()) result = "TEMPORARY";
    if (result == "DELIVERED") {
      offers[item]["quantity"] = offers[item]["quantity"].get<long>() - quantity;
      world["mail"].push_back({{"buyer", buyer}, {"item", item}, {"quantity", quantity}, {"id", std::stoll(id)}});
    }
    orders[id] = {{"result", result}, {"item", item}, {"quantity", quantity}};
    save();
    say("pedido " + id + (result == "DELIVERED" ? ": entregue" : result == "TEMPORARY" ? ": adiado" : ": sem estoque"));
  }
  return {{"transactionId", order["transactionId"]},
          {"observedQuantity", left(item)}, {"result", orders[id]["result"]}};
}

// 3. Chamar o agente. Ele assina, envia e repete. Nenhuma destas chamadas precisa de um id.
static json call(const string& operation, const json& input) {
  httplib::Client agent(agentUrl);
  agent.set_read_timeout(40);  // o agente responde em 30 s
  // Um texto que não é UTF-8 não derruba o jogo, e uma resposta cortada não é JSON.
  const json request = {{"operation", operation}, {"input", input}};
  const string body = request.dump(-1, ' ', true, json::error_handler_t::replace);
  const auto result = agent.Post("/call", body, "application/json");
  const json answer = json::parse(result ? result->body : "", nullptr, false);
  return answer.is_object() ? answer : json({{"ok", false}, {"status", 503}});
}
static bool isOk(const json& answer) { return answer["ok"] == true; }

static string textOf(const json& answer, const string& field = "") {
  if (isOk(answer)) return field.empty() ? "ok" : answer["data"][field].get<string>();
  const int status = answer["status"];
  const bool isSure = (status == 400 || status == 403 || status == 404 || status == 409 || status == 422) &&
                      !answer.value("uncertain", false);
  return isSure ? "recusado: " + answer.value("message", "") : "sem resposta";
}

static void askForOrders(string& since) {
  const json answer = call("orders.open", {{"closedSince", since}});
  if (!isOk(answer)) return;
  for (const json& order : answer["data"]["orders"]) {
    if (order["state"] != "offered") continue;
    const json taken = call("orders.take", take(order));
    if (taken.value("status", 0) == 409) say("pedido " + order["transactionId"].dump() + ": avise a equipe");
    else if (!isOk(taken)) break;  // esta lista já pode estar velha: perguntar de novo
  }
  for (const json& order : answer["data"]["closed"]) {
    const string id = order["transactionId"].dump();
    since = order["since"];  // até este momento já viu os pedidos que acabaram
    if (!world["orders"].count(id) || world["orders"][id]["result"] != "TEMPORARY") continue;
    world["orders"][id]["result"] = "OUT_OF_STOCK";  // não será mais entregue, e as unidades separadas ficam livres
    save();
    say("pedido " + id + ": encerrado " + (order["outcome"].is_null() ? "?" : order["outcome"].get<string>()));
  }
}

static string registerOffer(const string& item, bool isFirst = false) {
  json& offer = world["offers"][item];
  const json answer = call("market.register", {
      {"itemRef", item}, {"gameItemId", item}, {"itemName", item}, {"attributes", "Item do jogo"},
      {"quantityListed", offer["quantity"]}, {"unitAmountCents", offer["cents"]},
      {"sellerCharacterRef", offer["seller"]}});
  // Um 409 depois da primeira vez: outra tentativa valeu.
  const bool isListed = isOk(answer) || (answer.value("status", 0) == 409 && !isFirst);
  if (isListed) offer["state"] = "listed";
  else if (isFirst && textOf(answer) != "sem resposta") world["offers"].erase(item);
  save();
  return isListed ? "ok" : textOf(answer);
}

// 4. Os comandos e o laço.
static string run(const string& name, std::istringstream& words) {
  string ref, character;
  long quantity = 0, cents = 0;
  words >> ref;
  json& offers = world["offers"];
  if (name == "link") return textOf(call("character.link", {{"characterRef", ref}}), "url");
  if (name == "list" && words >> character >> quantity >> cents) {
    if (offers.count(ref)) return "recusado: este item já tem anúncio";
    offers[ref] = {{"state", "registering"}, {"seller", character}, {"quantity", quantity}, {"cents", cents}};
    save();  // antes da chamada: uma queda não esquece o anúncio, e repetir não anuncia duas vezes
    return registerOffer(ref, true);
  }
  if (name == "sold" && words >> quantity) {
    if (quantity < 1 || left(ref) < quantity) return "recusado: não há tanto";
    offers[ref]["quantity"] = offers[ref]["quantity"].get<long>() - quantity;
    save();
    return textOf(call("market.adjust-stock", {{"itemRef", ref}, {"observedQuantity", left(ref)}}));
  }
  if (name == "withdraw") return textOf(call("market.withdraw", {{"itemRef", ref}}));
  if (name == "buy" && words >> quantity >> character) {
    const json purchase = {{"itemRef", ref}, {"quantity", quantity}, {"buyerCharacterRef", character}};
    return textOf(call("transaction.create", purchase), "checkoutUrl");
  }
  if (name != "full" && name != "room") return "recusado: comando desconhecido";
  json& full = world["full"];
  full.erase(std::remove(full.begin(), full.end(), json(ref)), full.end());
  if (name == "full") full.push_back(ref);
  save();
  return "ok";
}

int main() {
  makeDir(worldDir);
  std::ifstream file(worldPath);
  if (file) file >> world;
  std::deque<string> lines;
  std::mutex lock;
  std::condition_variable hasLine;
  std::thread([&] {
    for (string line; std::getline(std::cin, line); hasLine.notify_one()) {
      std::lock_guard<std::mutex> locked(lock);
      lines.push_back(line);
    }
  }).detach();
  say("pronto");
  for (string since = "1970-01-01T00:00:00.000Z";;) {
    const json offers = world["offers"];  // uma cópia: registerOffer muda o original
    for (auto offer = offers.begin(); offer != offers.end(); ++offer)
      if (offer.value()["state"] == "registering") say("anúncio " + offer.key() + ": " + registerOffer(offer.key()));
    askForOrders(since);
    std::unique_lock<std::mutex> locked(lock);
    if (!hasLine.wait_for(locked, std::chrono::seconds(1), [&] { return !lines.empty(); })) continue;
    std::istringstream words(lines.front());
    lines.pop_front();
    locked.unlock();
    string name;
    if (words >> name) say(name + ": " + run(name, words));
  }
}
