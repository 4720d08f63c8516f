// Um servidor de jogo pequeno e completo que recebe os pedidos do market-agent por POST. .NET Framework 4 ou Mono.
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net;
using System.Text;
using System.Threading;
using System.Web.Script.Serialization;

public static class Game {
    static readonly string AgentUrl = Setting("AGENT_URL", "http://127.0.0.1:8899");
    static readonly string Token = Setting("SERVICE_WEBHOOK_FORWARD_TOKEN", "");
    static readonly string Folder = Setting("WORLD_DIR", "world");
    static readonly string WorldFile = Path.Combine(Folder, "world.json");
    static readonly JavaScriptSerializer Json = new JavaScriptSerializer { MaxJsonLength = int.MaxValue };

    static string Setting(string name, string fallback) { return Environment.GetEnvironmentVariable(name) ?? fallback; }

    // 1. O mundo: fica na memória e é gravado inteiro depois de cada mudança. Faz o papel do banco de dados do jogo.
    public class Offer { public string state = "registering", seller; public long quantity, cents; } // ou listed
    public class Order { public string result, item; public long quantity; } // DELIVERED, OUT_OF_STOCK ou TEMPORARY
    public class Mail { public string buyer, item; public long quantity, id; }
    public class World {
        public Dictionary<string, Offer> offers = new Dictionary<string, Offer>();
        public Dictionary<string, Order> orders = new Dictionary<string, Order>();
        public List<Mail> mail = new List<Mail>();
        public List<string> full = new List<string>();
    }

    static World world = new World();
    static readonly object Gate = new object(); // só quem tem esta trava lê ou muda o mundo

    static void Save() { // tudo ou nada: o arquivo tem o mundo de antes ou o de depois
        try {
            byte[] text = Encoding.UTF8.GetBytes(Json.Serialize(world));
            using (var file = new FileStream(WorldFile + ".tmp", FileMode.Create)) {
                file.Write(text, 0, text.Length);
                file.Flush(true);
            }
            if (File.Exists(WorldFile)) File.Replace(WorldFile + ".tmp", WorldFile, null);
            else File.Move(WorldFile + ".tmp", WorldFile);
        } catch (Exception problem) {
            Console.Error.WriteLine(problem.Message);
            Environment.Exit(1); // a memória não pode saber mais do que o disco
        }
    }
    static long Left(string item) { // para outros compradores: as unidades de um pedido adiado estão separadas
        long aside = world.orders.Values.Where(o => o.item == item && o.result == "TEMPORARY").Sum(o => o.quantity);
        return world.offers.ContainsKey(item) ? Math.Max(0, world.offers[item].quantity - aside) : 0;
    }

    // 2. Um pedido: se ainda não foi decidido, decidir e entregar em uma gravação só. Depois, responder o que houve.
    public class Event {
        public string @event, itemRef, buyerCharacterRef, outcome; public long transactionId, quantity;
    }
    static object Take(Event e) {
        string id = e.transactionId.ToString(), item = e.itemRef;
        if (!world.orders.ContainsKey(id) || world.orders[id].result == "TEMPORARY") {
            world.orders.Remove(id); // as unidades que estavam separadas são para ele
            bool isKnown = world.offers.ContainsKey(item);
            string result = "DELIVERED", buyer = e.buyerCharacterRef;
            if (isKnown && Left(item) < e.quantity) {
                result = "OUT_OF_STOCK"; // só com certeza: o comprador recebe o dinheiro de volta
            } else if (!isKnown || world.full.Contains(buyer)) {
                result = "TEMPORARY"; // na dúvida: o pedido volta mais tarde
            } else {
                world.offers[item].quantity -= e.quantity;
                world.mail.Add(new Mail { buyer = buyer, item = item, quantity = e.quantity, id = e.transactionId });
            }
            world.orders[id] = new Order { result = result, item = item, quantity = e.quantity };
            Save();
            Console.WriteLine("pedido " + id + ": " + (result == "DELIVERED" ? "entregue" : result));
        }
        return new { observedQuantity = Left(item), world.orders[id].result };
    }
    static object End(Event e) { // o que não foi entregue não será mais, e as unidades separadas ficam livres
        string id = e.transactionId.ToString();
        if (!world.orders.ContainsKey(id)) world.orders[id] = new Order { item = e.itemRef };
        if (world.orders[id].result != "DELIVERED") world.orders[id].result = "OUT_OF_STOCK";
        Save();
        Console.WriteLine("pedido " + id + ": encerrado " + e.outcome);
        return new { };
    }
    static void Serve(HttpListenerContext context) {
        string reply = "";
        context.Response.StatusCode = 400; // até que seja um evento
        try {
            if (context.Request.Headers["Authorization"] != "Bearer " + Token) context.Response.StatusCode = 401;
            else lock (Gate) {
                var e = Json.Deserialize<Event>(new StreamReader(context.Request.InputStream).ReadToEnd());
                if (e.@event == "transfer_order") reply = Json.Serialize(Take(e));
                if (e.@event == "transaction_terminal") reply = Json.Serialize(End(e));
                if (reply != "") context.Response.StatusCode = 200;
            }
        } catch (Exception problem) { Console.Error.WriteLine("POST: " + problem.Message); }
        try { context.Response.Close(Encoding.UTF8.GetBytes(reply), true); }
        catch (Exception) { } // a conexão caiu: o agente envia de novo
    }

    // 3. Chamar o agente. Ele assina, envia e repete. Nenhuma destas chamadas precisa de um id.
    public class Answer {
        public bool ok, uncertain; public int status; public string message; public Dictionary<string, object> data;
        public string Say(string field = null) {
            if (ok) return field == null ? "ok" : data[field].ToString();
            bool isSure = !uncertain && new[] { 400, 403, 404, 409, 422 }.Contains(status);
            return isSure ? "recusado: " + message : "sem resposta";
        }
    }
    static Answer Call(string operation, object input) {
        Monitor.Exit(Gate); // um pedido não espera por esta chamada
        try {
            return Json.Deserialize<Answer>(Post(Json.Serialize(new { operation, input }))) ?? new Answer();
        } catch (Exception) { // sem conexão, ou meia resposta
            return new Answer();
        } finally {
            Monitor.Enter(Gate);
        }
    }
    static string Post(string body) {
        var request = (HttpWebRequest)WebRequest.Create(AgentUrl + "/call");
        request.Method = "POST";
        request.ContentType = "application/json";
        request.Timeout = request.ReadWriteTimeout = 40000; // o agente responde em 30 s
        request.Proxy = null;
        request.ServicePoint.Expect100Continue = false;
        WebResponse response;
        using (var writer = new StreamWriter(request.GetRequestStream())) writer.Write(body);
        try { response = request.GetResponse(); }
        catch (WebException refusal) { response = refusal.Response; }
        using (var reader = new StreamReader(response.GetResponseStream())) return reader.ReadToEnd();
    }

    static string Register(string item, bool isFirst) {
        Offer offer = world.offers[item];
        Answer answer = Call("market.register", new {
            itemRef = item, gameItemId = item, itemName = item, attributes = "Item do jogo",
            quantityListed = offer.quantity, unitAmountCents = offer.cents, sellerCharacterRef = offer.seller });
        if (answer.ok || answer.status == 409 && !isFirst) offer.state = "listed"; // 409: outra tentativa valeu
        else if (isFirst && answer.Say() != "sem resposta") world.offers.Remove(item);
        Save();
        return answer.Say();
    }

    // 4. Os comandos e o laço.
    static string Run(string[] w) {
        string item = w[1];
        switch (w[0]) {
            case "link": return Call("character.link", new { characterRef = item }).Say("url");
            case "withdraw": return Call("market.withdraw", new { itemRef = item }).Say();
            case "buy":
                var purchase = new { itemRef = item, quantity = long.Parse(w[2]), buyerCharacterRef = w[3] };
                return Call("transaction.create", purchase).Say("checkoutUrl");
            case "list":
                if (world.offers.ContainsKey(item)) return "recusado: este item já tem anúncio";
                var offer = new Offer { seller = w[2], quantity = long.Parse(w[3]), cents = long.Parse(w[4]) };
                world.offers[item] = offer;
                Save(); // antes da chamada: uma queda não esquece o anúncio, e repetir não anuncia duas vezes
                return Register(item, true);
            case "sold":
                long sold = long.Parse(w[2]);
                if (sold < 1 || sold > Left(item)) return "recusado: não há tanto";
                world.offers[item].quantity -= sold;
                Save();
                return Call("market.adjust-stock", new { itemRef = item, observedQuantity = Left(item) }).Say();
            case "full": world.full.Add(item); break;
            case "room": world.full.RemoveAll(buyer => buyer == item); break;
            default: return "recusado: comando desconhecido";
        }
        Save();
        return "ok";
    }

    static void Main() {
        if (Token == "") throw new Exception("defina SERVICE_WEBHOOK_FORWARD_TOKEN com o mesmo valor que no agente");
        Console.OutputEncoding = new UTF8Encoding(false);
        Directory.CreateDirectory(Folder);
        if (File.Exists(WorldFile)) world = Json.Deserialize<World>(File.ReadAllText(WorldFile));
        var listener = new HttpListener();
        listener.Prefixes.Add("http://127.0.0.1:" + Setting("GAME_PORT", "9000") + "/orders/");
        listener.Start();
        for (int n = 0; n < 10; n++) new Thread(() => { while (true) Serve(listener.GetContext()); }).Start();
        var lines = new BlockingCollection<string>();
        new Thread(() => { for (string line; (line = Console.ReadLine()) != null; ) lines.Add(line); }).Start();
        Console.WriteLine("pronto");
        while (true) {
            string line;
            lines.TryTake(out line, 1000);
            lock (Gate) {
                foreach (string item in world.offers.Keys.Where(i => world.offers[i].state == "registering").ToList())
                    Register(item, false);
                if (line == null) continue;
                string[] words = (line + "    ").Split(' ');
                try { Console.WriteLine(words[0] + ": " + Run(words)); }
                catch (FormatException wrong) { Console.WriteLine(words[0] + ": recusado: " + wrong.Message); }
            }
        }
    }
}
