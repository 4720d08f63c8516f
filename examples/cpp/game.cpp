// Um servidor de jogo pequeno e completo que vende itens pelo market-agent, por HTTP. Ele pergunta pelos pedidos.
// C++11, os sockets do sistema e nlohmann/json. O README.pt-BR.md diz como compilar, iniciar e o que digitar.
#include <nlohmann/json.hpp>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <iostream>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

// O que muda entre Windows e os outros sistemas.
#ifdef _WIN32
#include <winsock2.h>
#include <ws2tcpip.h>

#include <direct.h>
#include <io.h>
static const DWORD callTimeout = 40000;  // acima dos 30 s que uma chamada pode durar
static void prepare() {
  WSADATA data;
  WSAStartup(MAKEWORD(2, 2), &data);
  SetConsoleOutputCP(CP_UTF8);
}
static void makeDir(const std::string& path) { _mkdir(path.c_str()); }
static bool syncFile(FILE* file) { return _commit(_fileno(file)) == 0; }
static bool replaceFile(const std::string& from, const std::string& to, const std::string&) {
  return MoveFileExA(from.c_str(), to.c_str(), MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH);
}
#else
#include <fcntl.h>
#include <netdb.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>
static const timeval callTimeout = {40, 0};  // acima dos 30 s que uma chamada pode durar
static void prepare() { signal(SIGPIPE, SIG_IGN); }
static void closesocket(int connection) { close(connection); }
static void makeDir(const std::string& path) { mkdir(path.c_str(), 0777); }
static bool syncFile(FILE* file) { return fsync(fileno(file)) == 0; }
static bool replaceFile(const std::string& from, const std::string& to, const std::string& dir) {
  if (rename(from.c_str(), to.c_str()) != 0) return false;
  const int opened = open(dir.c_str(), O_RDONLY);  // o novo nome também tem de estar no disco
  const bool synced = fsync(opened) == 0;
  close(opened);
  return synced;
}
#endif

using json = nlohmann::json;
using std::string;

static string setting(const char* name, const string& fallback) {
  const char* value = std::getenv(name);
  return value && *value ? value : fallback;
}

static const string agentUrl = setting("AGENT_URL", "http://127.0.0.1:8899");
static const string worldDir = setting("WORLD_DIR", "world");
static const string worldPath = worldDir + "/world.txt";
// Faz parte dos ids de link e buy: assim eles não se repetem depois de um reinício.
static const string start = std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(
    std::chrono::system_clock::now().time_since_epoch()).count());

static void say(const string& line) { std::cout << line << std::endl; }

// 1. O mundo: fica na memória e é gravado inteiro depois de cada mudança. Faz o papel do banco de dados do jogo.
struct Offer { string state; int tries; string seller; long quantity; long cents; bool inDoubt; };
struct Order { string state; string item; long quantity; string buyer; int tries; };
static std::map<string, Offer> offers;
static std::map<long long, Order> orders;
static std::vector<string> mail;
static std::set<string> full;
static std::set<long long> unsure;  // pedidos que vieram do arquivo

static void load() {
  makeDir(worldDir);
  std::ifstream file(worldPath);
  for (string line; std::getline(file, line);) {
    std::istringstream words(line);
    string kind, key;
    words >> kind;
    if (kind == "offer") {
      Offer o;
      words >> key >> o.state >> o.tries >> o.seller >> o.quantity >> o.cents;
      o.inDoubt = o.state == "registering";  // a chamada pode ter saído antes da queda
      offers[key] = o;
    } else if (kind == "order") {
      long long id;
      Order o;
      words >> id >> o.state >> o.item >> o.quantity >> o.buyer >> o.tries;
      orders[id] = o;
      unsure.insert(id);
    } else if (kind == "mail") {
      mail.push_back(line);
    } else if (kind == "full") {
      words >> key;
      full.insert(key);
    }
  }
}

// Tudo ou nada: o arquivo tem o mundo de antes ou o de depois. Se o disco falha, a exceção encerra o programa:
// a memória não pode saber mais do que o disco.
static void save() {
  std::ostringstream text;
  for (auto& o : offers)
    text << "offer " << o.first << ' ' << o.second.state << ' ' << o.second.tries << ' ' << o.second.seller << ' '
         << o.second.quantity << ' ' << o.second.cents << '\n';
  for (auto& o : orders)
    text << "order " << o.first << ' ' << o.second.state << ' ' << o.second.item << ' ' << o.second.quantity << ' '
         << o.second.buyer << ' ' << o.second.tries << '\n';
  for (auto& line : mail) text << line << '\n';
  for (auto& buyer : full) text << "full " << buyer << '\n';
  const string temporary = worldPath + ".tmp", content = text.str();
  FILE* file = std::fopen(temporary.c_str(), "wb");
  const bool written = file && std::fwrite(content.data(), 1, content.size(), file) == content.size() &&
                       !std::fflush(file) && syncFile(file) && !std::fclose(file);
  if (!written || !replaceFile(temporary, worldPath, worldDir)) throw std::runtime_error("disco: " + worldPath);
}

// 2. Chamar o agente. O texto da resposta fica vazio se não há resposta.
static string post(const string& path, const string& body) {
  const string address = agentUrl.substr(agentUrl.find("//") + 2);
  const size_t colon = address.find(':');
  addrinfo hints = addrinfo(), *found = nullptr;
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  if (getaddrinfo(address.substr(0, colon).c_str(), address.substr(colon + 1).c_str(), &hints, &found)) return "";
  auto connection = socket(found->ai_family, found->ai_socktype, found->ai_protocol);
  setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, (const char*)&callTimeout, sizeof callTimeout);
  setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, (const char*)&callTimeout, sizeof callTimeout);
  const string request = "POST " + path + " HTTP/1.1\r\nHost: " + address + "\r\nContent-Type: application/json\r\n" +
                         "Content-Length: " + std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" + body;
  string answer;
  if (!connect(connection, found->ai_addr, found->ai_addrlen)) {
    int n = 0;
    for (size_t sent = 0; sent < request.size() && n >= 0; sent += n)
      n = send(connection, request.data() + sent, request.size() - sent, 0);
    char part[4096];
    while ((n = recv(connection, part, sizeof part, 0)) > 0) answer.append(part, n);
  }
  closesocket(connection);
  freeaddrinfo(found);
  const size_t head = answer.find("\r\n\r\n");
  return head == string::npos ? "" : answer.substr(head + 4);
}

// Sem resposta, a mesma chamada vai de novo com o mesmo id, e continua sendo uma só.
static json call(const string& operation, const json& input, const string& id = "") {
  json request = {{"operation", operation}, {"input", input}};
  if (!id.empty()) request["id"] = id;
  // Um texto que não é UTF-8 não pode derrubar o jogo.
  const string body = request.dump(-1, ' ', false, json::error_handler_t::replace);
  const auto stop = std::chrono::steady_clock::now() + std::chrono::seconds(40);
  for (int tries = 0; tries < 5 && std::chrono::steady_clock::now() < stop; tries++) {
    if (tries > 0) std::this_thread::sleep_for(std::chrono::seconds(1));
    json answer = json::parse(post("/call", body), nullptr, false);  // uma resposta cortada não é JSON
    if (answer.is_object()) return answer;
  }
  return {{"ok", false}, {"uncertain", true}};  // sem resposta
}

static bool isOk(const json& answer) { return answer.value("ok", false); }

// Uma recusa certa. O resto é dúvida, ou passa: tenta-se de novo.
static bool isRefused(const json& answer) {
  const int status = answer.value("status", 0);
  const bool passes = status == 401 || status == 408 || status == 425 || status == 429;
  return !isOk(answer) && !answer.value("uncertain", false) && status >= 400 && status < 500 && !passes;
}

static string failure(const json& answer) {
  return isRefused(answer) ? "recusado: " + answer.value("message", "") : "sem resposta";
}

// O que resta para outros compradores: sem as unidades dos pedidos que ainda serão entregues.
static long observed(const string& item) {
  long left = offers.count(item) ? offers[item].quantity : 0;
  for (auto& o : orders)
    if (o.second.item == item && (o.second.state == "taken" || o.second.state == "put-off")) left -= o.second.quantity;
  return left < 0 ? 0 : left;
}

// 3. Anunciar. O número da tentativa faz parte do id e é gravado antes da chamada.
static string registerOffer(const string& item) {
  Offer& offer = offers[item];
  const json answer = call("market.register",
      {{"itemRef", item}, {"gameItemId", item}, {"itemName", item}, {"attributes", "Item do jogo"},
       {"quantityListed", offer.quantity}, {"unitAmountCents", offer.cents}, {"sellerCharacterRef", offer.seller}},
      "register-" + item + "-" + std::to_string(offer.tries));
  if (isOk(answer) || (offer.inDoubt && answer.value("status", 0) == 409)) {
    offer.state = "listed";  // na dúvida, o 409 diz que uma tentativa anterior valeu
  } else if (answer.value("uncertain", false) || answer.value("code", "") == "ID_REUSED") {
    offer.inDoubt = offer.inDoubt || answer.value("uncertain", false);  // talvez tenha valido
    offer.tries++;  // a próxima volta tenta com outro id
  } else if (isRefused(answer)) {
    offer.state = "refused";
  }
  save();
  return offer.state == "listed" ? "ok" : failure(answer);
}

static void sayOrder(long long id, const string& what) { say("pedido " + std::to_string(id) + ": " + what); }

// 4. Aceitar um pedido: primeiro gravar, depois responder. O mesmo pedido pode chegar mais de uma vez.
static void takeOrder(const json& event) {
  const long long id = event.at("transactionId");
  const string item = event.at("itemRef");
  const auto known = orders.find(id);
  if (known == orders.end() || known->second.state == "put-off") {
    const int tries = known == orders.end() ? 0 : known->second.tries;
    orders[id] = Order{"taken", item, event.at("quantity"), event.at("buyerCharacterRef"), tries};
    save();
    sayOrder(id, "recebido");
  }
  const json answer = call("orders.take", {{"transactionId", id}, {"observedQuantity", observed(item)}});
  if (answer.value("status", 0) == 409) unsure.insert(id);  // acabou entre a pergunta e a resposta
}

// 5. Entregar, ou dizer por que não. Só a certeza devolve o dinheiro; na dúvida, TEMPORARY.
static json reportFailure(long long id, const string& reason) {
  const long left = observed(orders[id].item);
  return call("transaction.delivery-failure", {{"transactionId", id}, {"reason", reason}, {"observedQuantity", left}});
}

// Um pedido lido do arquivo pode ter acabado enquanto este servidor estava parado. A plataforma sabe.
static bool isAwaited(long long id) {
  const json answer = call("transaction.get", {{"transactionId", id}});
  if (isOk(answer) && answer.at("data").at("deliveryStatus") == "AGUARDANDO_SERVIDOR") unsure.erase(id);
  return !unsure.count(id);
}

static void workOrder(long long id) {
  if (unsure.count(id) && !isAwaited(id)) return;  // o aviso do fim está a caminho
  Order& order = orders[id];
  const auto offer = offers.find(order.item);
  const bool isKnown = offer != offers.end();
  if (isKnown && offer->second.quantity < order.quantity) {
    order.state = "out-of-stock";
    save();  // a decisão fica gravada antes do reembolso, que não tem volta
  } else if (isKnown && !full.count(order.buyer)) {
    offer->second.quantity -= order.quantity;
    mail.push_back("mail " + order.buyer + ' ' + order.item + ' ' + std::to_string(order.quantity) + ' ' +
                   std::to_string(id));
    order.state = "delivered";
    save();  // o estoque, o correio e o pedido mudam juntos
    sayOrder(id, "entregue");
  } else if (isOk(reportFailure(id, "TEMPORARY"))) {
    order.state = "put-off";  // a plataforma envia o pedido de novo
    order.tries++;
    save();
    sayOrder(id, "adiado");
  }
}

static void finish(long long id, const string& state, const json& answer, const string& text) {
  if (!isOk(answer) && !isRefused(answer)) return;  // a próxima volta tenta de novo
  orders[id].state = isOk(answer) ? state : "closed";
  save();
  sayOrder(id, isOk(answer) ? text : "recusado, avise a equipe: " + answer.value("message", ""));
}

static void reportOutOfStock(long long id) { finish(id, "closed", reportFailure(id, "OUT_OF_STOCK"), "sem estoque"); }

// 6. Confirmar a entrega, até a resposta ser certa. Repetir não faz mal.
static void confirm(long long id) {
  finish(id, "confirmed", call("transaction.delivery", {{"transactionId", id}}), "confirmado");
}

// 7. O fim de um pedido: o que não foi entregue não será mais.
static void endOrder(const json& event) {
  const auto order = orders.find(event.at("transactionId"));
  const json& outcome = event.at("outcome");
  if (order == orders.end() || order->second.state == "closed" || outcome.is_null()) return;
  order->second.state = "closed";
  save();
  sayOrder(order->first, "encerrado " + outcome.get<string>());
}

static void askOrders() {
  const json answer = call("orders.open", json::object());
  if (!isOk(answer)) return;
  for (auto& order : answer.at("data").at("closed")) endOrder(order);
  for (auto& order : answer.at("data").at("orders"))
    if (order.at("state") == "offered") takeOrder(order);
}

// 8. Os comandos e o laço.
static string newId(const string& name) {
  static int count = 0;
  return name + "-" + start + "-" + std::to_string(++count);
}

static string run(const string& name, std::istringstream& words) {
  string ref, character;
  long quantity, cents;
  words >> ref;
  if (name == "link" && words) {
    const json answer = call("character.link", {{"characterRef", ref}}, newId(name));
    return isOk(answer) ? answer.at("data").at("url").get<string>() : failure(answer);
  }
  if (name == "list" && words >> character >> quantity >> cents) {
    const auto known = offers.find(ref);
    if (known != offers.end() && known->second.state != "refused") return "recusado: este item já tem anúncio";
    const int tries = known == offers.end() ? 1 : known->second.tries + 1;  // depois de uma recusa o id é outro
    offers[ref] = Offer{"registering", tries, character, quantity, cents, false};
    save();
    return registerOffer(ref);
  }
  if (name == "sold" && words >> quantity) {
    if (!offers.count(ref) || offers[ref].quantity < quantity || quantity < 0) return "recusado: não há tanto";
    offers[ref].quantity -= quantity;
    save();
    const json answer = call("market.adjust-stock", {{"itemRef", ref}, {"observedQuantity", observed(ref)}});
    return isOk(answer) ? "ok" : failure(answer);  // a próxima observação corrige
  }
  if (name == "withdraw" && words) {
    const json answer = call("market.withdraw", {{"itemRef", ref}});
    if (isOk(answer) && offers.count(ref)) {
      offers[ref].state = "withdrawn";
      save();
    }
    return isOk(answer) ? "ok" : failure(answer);
  }
  if (name == "buy" && words >> quantity >> character) {
    const json purchase = {{"itemRef", ref}, {"quantity", quantity}, {"buyerCharacterRef", character}};
    const json answer = call("transaction.create", purchase, newId(name));
    return isOk(answer) ? answer.at("data").at("checkoutUrl").get<string>() : failure(answer);
  }
  if ((name == "full" || name == "room") && words) {
    if (name == "full") full.insert(ref); else full.erase(ref);
    save();
    return "ok";
  }
  return "recusado: comando desconhecido";
}

static std::vector<long long> ordersIn(const string& state) {
  std::vector<long long> ids;
  for (auto& order : orders)
    if (order.second.state == state) ids.push_back(order.first);
  return ids;
}

// Uma volta. Um pedido é entregue na volta depois daquela que o recebeu.
static void tick() {
  for (auto& offer : offers)
    if (offer.second.state == "registering") say("anúncio " + offer.first + ": " + registerOffer(offer.first));
  for (long long id : ordersIn("out-of-stock")) reportOutOfStock(id);
  for (long long id : ordersIn("taken")) workOrder(id);
  for (long long id : ordersIn("delivered")) confirm(id);
  askOrders();
}

int main() {
  prepare();
  std::deque<string> lines;
  std::mutex linesLock;
  std::condition_variable lineCame;
  load();
  say("pronto");
  std::thread([&] {
    for (string line; std::getline(std::cin, line);) {
      std::lock_guard<std::mutex> lock(linesLock);
      lines.push_back(line);
      lineCame.notify_one();
    }
  }).detach();
  for (;;) {
    string line, name;
    {
      std::unique_lock<std::mutex> lock(linesLock);
      lineCame.wait_for(lock, std::chrono::seconds(1), [&] { return !lines.empty(); });
      if (!lines.empty()) { line = lines.front(); lines.pop_front(); }
    }
    std::istringstream words(line);
    if (words >> name) say(name + ": " + run(name, words));
    tick();
  }
}
