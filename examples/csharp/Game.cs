// Um servidor de jogo pequeno e completo: vende itens pelo market-agent, que envia os pedidos por POST.
// Windows: C:\Windows\Microsoft.NET\Framework64\v4.0.30319\csc.exe /r:System.Web.Extensions.dll Game.cs
// Mono:    mcs -r:System.Web.Extensions.dll Game.cs && mono Game.exe

using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Net;
using System.Text;
using System.Threading;
using System.Web.Script.Serialization;

static class Game
{
    static readonly string AgentUrl = Setting("AGENT_URL", "http://127.0.0.1:8899");
    static readonly string GamePort = Setting("GAME_PORT", "9000");
    static readonly string WorldDir = Setting("WORLD_DIR", "world");

    // 1. O mundo: fica na memória e em world.txt. No seu jogo, é o banco de dados.
    // Nenhuma chamada ao agente é feita com a trava "World": um pedido que chega nunca espera.

    class Offer
    {
        public string Item, State, Seller;
        public int Tries, Quantity, Cents;
        public bool InDoubt; // uma tentativa pode ter sido aceita sem que a resposta chegasse
    }

    class Order
    {
        public long Id;
        public string State, Item, Buyer;
        public int Quantity, Tries;
        public bool FromDisk; // pode ter acabado enquanto o servidor estava parado
    }

    static readonly object World = new object();
    static readonly Dictionary<string, Offer> Offers = new Dictionary<string, Offer>();
    static readonly Dictionary<long, Order> Orders = new Dictionary<long, Order>();
    static readonly List<string> Mail = new List<string>();
    static readonly HashSet<string> Full = new HashSet<string>();

    static void Load()
    {
        Directory.CreateDirectory(WorldDir);
        string path = Path.Combine(WorldDir, "world.txt");
        if (!File.Exists(path)) return;
        foreach (string line in File.ReadAllLines(path, Encoding.UTF8))
        {
            string[] w = line.Split(' ');
            if (w[0] == "offer")
                Offers[w[1]] = new Offer
                {
                    Item = w[1], State = w[2], Tries = int.Parse(w[3]), Seller = w[4],
                    Quantity = int.Parse(w[5]), Cents = int.Parse(w[6]), InDoubt = w[2] == "registering"
                };
            if (w[0] == "order")
                Orders[long.Parse(w[1])] = new Order
                {
                    Id = long.Parse(w[1]), State = w[2], Item = w[3],
                    Quantity = int.Parse(w[4]), Buyer = w[5], Tries = int.Parse(w[6]), FromDisk = true
                };
            if (w[0] == "mail") Mail.Add(line);
            if (w[0] == "full") Full.Add(w[1]);
        }
    }

    // Grava um arquivo temporário e o renomeia: tudo ou nada. Se o disco falhar, o programa para,
    // porque a memória não pode saber mais do que o disco.
    static void Save()
    {
        var text = new StringBuilder();
        foreach (Offer o in Offers.Values)
            text.AppendFormat("offer {0} {1} {2} {3} {4} {5}\n", o.Item, o.State, o.Tries, o.Seller, o.Quantity, o.Cents);
        foreach (Order o in Orders.Values)
            text.AppendFormat("order {0} {1} {2} {3} {4} {5}\n", o.Id, o.State, o.Item, o.Quantity, o.Buyer, o.Tries);
        foreach (string line in Mail) text.Append(line + "\n");
        foreach (string character in Full) text.Append("full " + character + "\n");
        string path = Path.Combine(WorldDir, "world.txt"), temporary = Path.Combine(WorldDir, "world.tmp");
        try
        {
            using (var file = new FileStream(temporary, FileMode.Create))
            {
                byte[] bytes = Encoding.UTF8.GetBytes(text.ToString());
                file.Write(bytes, 0, bytes.Length);
                file.Flush(true);
            }
            if (File.Exists(path)) File.Replace(temporary, path, null);
            else File.Move(temporary, path);
        }
        catch (Exception problem)
        {
            Console.Error.WriteLine("world.txt: " + problem.Message);
            Environment.Exit(1);
        }
    }

    // O que sobra para os próximos compradores: as unidades dos pedidos pagos já têm dono.
    static int ObservedQuantity(string item)
    {
        lock (World)
        {
            int quantity = Offers.ContainsKey(item) ? Offers[item].Quantity : 0;
            return Math.Max(0, quantity - Orders.Values
                .Where(o => o.Item == item && (o.State == "taken" || o.State == "put-off")).Sum(o => o.Quantity));
        }
    }

    // 2. A chamada ao agente.

    public class Answer
    {
        public bool ok { get; set; }
        public bool uncertain { get; set; }
        public int status { get; set; }
        public string message { get; set; }
        public string code { get; set; }
        public Dictionary<string, object> data { get; set; }

        // Recusado com certeza: nada foi feito, e repetir não muda nada.
        public bool Refused()
        {
            return !ok && !uncertain && status >= 400 && status < 500 && status != 401 && status != 408 && status != 425 && status != 429;
        }

        public string Text()
        {
            return ok ? "ok" : Refused() ? "recusado: " + message : "sem resposta";
        }
    }

    // Se a conexão falha, repete com o mesmo id. Sem resposta nenhuma, vale o mesmo que "uncertain".
    static Answer Call(string operation, object input, string id)
    {
        object call = id == null ? (object)new { operation, input } : new { operation, input, id };
        byte[] body = Encoding.UTF8.GetBytes(new JavaScriptSerializer().Serialize(call));
        for (int attempt = 1; attempt <= 3; attempt++)
        {
            try
            {
                Answer answer = new JavaScriptSerializer().Deserialize<Answer>(Post(body));
                if (answer != null) return answer;
            }
            catch (WebException) { } // não há conexão
            catch (IOException) { } // a conexão caiu no meio
            catch (ArgumentException) { } // metade de um JSON
            Thread.Sleep(1000);
        }
        return new Answer { uncertain = true };
    }

    static string Post(byte[] body)
    {
        var request = (HttpWebRequest)WebRequest.Create(AgentUrl + "/call");
        request.Method = "POST";
        request.ContentType = "application/json";
        request.Timeout = request.ReadWriteTimeout = 40000; // o agente responde em até 30 s
        request.Proxy = null;
        request.ServicePoint.Expect100Continue = false;
        using (Stream stream = request.GetRequestStream()) stream.Write(body, 0, body.Length);
        WebResponse response;
        try
        {
            response = request.GetResponse();
        }
        catch (WebException refusal)
        {
            if (refusal.Response == null) throw;
            response = refusal.Response;
        }
        using (response)
        using (var reader = new StreamReader(response.GetResponseStream(), Encoding.UTF8)) return reader.ReadToEnd();
    }

    // 3. Anunciar. O id vem do item e do número da tentativa, gravados antes da chamada.

    static string List(string item, string seller, int quantity, int cents)
    {
        var offer = new Offer { Item = item, State = "registering", Tries = 1, Seller = seller, Quantity = quantity, Cents = cents };
        lock (World)
        {
            if (Offers.ContainsKey(item))
            {
                if (Offers[item].State != "refused") return "recusado: este item já tem anúncio";
                offer.Tries = Offers[item].Tries + 1; // depois de uma recusa, um id novo
            }
            Offers[item] = offer;
            Save();
        }
        return Register(offer);
    }

    static string Register(Offer offer)
    {
        Answer answer = Call("market.register", new
        {
            itemRef = offer.Item, gameItemId = offer.Item, itemName = offer.Item, attributes = "Item do jogo",
            quantityListed = offer.Quantity, unitAmountCents = offer.Cents, sellerCharacterRef = offer.Seller
        }, "register-" + offer.Item + "-" + offer.Tries);
        lock (World)
        {
            if (offer.State != "registering") return "ok"; // chegou um pedido: já está anunciado
            if (answer.ok || (answer.status == 409 && offer.InDoubt))
            {
                offer.State = "listed"; // o 409 veio porque a tentativa anterior foi aceita
            }
            else if (answer.uncertain || answer.code == "ID_REUSED")
            {
                offer.InDoubt = true;
                offer.Tries++;
            }
            else if (answer.Refused())
            {
                offer.State = "refused";
            }
            Save();
            if (offer.State == "registering") return "sem resposta"; // de novo na próxima volta
            return offer.State == "listed" ? "ok" : answer.Text();
        }
    }

    // 4. Receber um pedido: primeiro o disco, depois a resposta. O mesmo pedido pode vir mais de uma vez.

    public class Event
    {
        public string @event { get; set; }
        public long transactionId { get; set; }
        public string itemRef { get; set; }
        public int quantity { get; set; }
        public string buyerCharacterRef { get; set; }
        public string outcome { get; set; }
    }

    static int TakeOrder(Event order)
    {
        lock (World)
        {
            Order known;
            if (!Orders.TryGetValue(order.transactionId, out known))
                known = new Order { Id = order.transactionId, State = "new", Item = order.itemRef, Quantity = order.quantity, Buyer = order.buyerCharacterRef };
            if (known.State == "new" || known.State == "put-off")
            {
                known.State = "taken";
                known.FromDisk = false;
                Orders[known.Id] = known;
                Offer offer;
                if (Offers.TryGetValue(known.Item, out offer) && offer.State == "registering") offer.State = "listed";
                Save();
                Print("pedido " + known.Id + ": recebido");
            }
            return ObservedQuantity(order.itemRef);
        }
    }

    static void Serve(HttpListenerContext context)
    {
        try
        {
            if (context.Request.Headers["Origin"] != null)
            {
                Refuse(context, 403); // uma página web não faz pedidos
                return;
            }
            string body = new StreamReader(context.Request.InputStream, Encoding.UTF8).ReadToEnd();
            Event received = new JavaScriptSerializer().Deserialize<Event>(body);
            object reply = new { };
            if (received.@event == "transfer_order") reply = new { observedQuantity = TakeOrder(received) };
            if (received.@event == "transaction_terminal") EndOrder(received);
            context.Response.ContentType = "application/json";
            context.Response.Close(Encoding.UTF8.GetBytes(new JavaScriptSerializer().Serialize(reply)), true);
        }
        catch (Exception problem)
        {
            Console.Error.WriteLine("POST: " + problem.Message);
            Refuse(context, 500); // o agente envia de novo
        }
    }

    static void Refuse(HttpListenerContext context, int status)
    {
        try
        {
            context.Response.StatusCode = status;
            context.Response.Close();
        }
        catch (Exception) { } // a conexão já caiu
    }

    // 5. Entregar, ou dizer por que não. Só a certeza devolve o dinheiro; na dúvida, TEMPORARY.

    static void WorkOrder(Order order)
    {
        if (order.FromDisk && !IsAwaited(order)) return;
        Offer offer;
        lock (World)
        {
            if (order.State != "taken") return;
            if (Offers.TryGetValue(order.Item, out offer) && offer.Quantity < order.Quantity)
            {
                order.State = "out-of-stock";
                Save(); // a decisão fica gravada antes do reembolso, que não tem volta
                return;
            }
            if (offer != null && !Full.Contains(order.Buyer))
            {
                offer.Quantity -= order.Quantity;
                Mail.Add("mail " + order.Buyer + " " + order.Item + " " + order.Quantity + " " + order.Id);
                order.State = "delivered";
                Save(); // estoque, correio e pedido mudam juntos
                Print("pedido " + order.Id + ": entregue");
                return;
            }
        }
        Answer answer = Report(order, "TEMPORARY", offer == null ? "anúncio desconhecido" : "correio cheio");
        lock (World)
        {
            if (!answer.ok || order.State != "taken") return; // a próxima volta tenta de novo
            order.State = "put-off"; // a plataforma envia o pedido de novo
            order.Tries++;
            Save();
            Print("pedido " + order.Id + ": adiado");
        }
    }

    // A plataforma ainda espera a entrega? Se não, o fim do pedido está a caminho.
    static bool IsAwaited(Order order)
    {
        Answer now = Call("transaction.get", new { transactionId = order.Id }, null);
        if (now.ok && "AGUARDANDO_SERVIDOR".Equals(now.data["deliveryStatus"])) order.FromDisk = false;
        return !order.FromDisk;
    }

    static Answer Report(Order order, string reason, string detail)
    {
        int observedQuantity = ObservedQuantity(order.Item);
        return Call("transaction.delivery-failure", new { transactionId = order.Id, reason, observedQuantity, detail }, null);
    }

    static void ReportOutOfStock(Order order)
    {
        Finish(order, "out-of-stock", "closed", Report(order, "OUT_OF_STOCK", "vendido no jogo"), "sem estoque");
    }

    // 6. Confirmar a entrega até a resposta ser certa. Repetir não faz mal.

    static void Confirm(Order order)
    {
        Finish(order, "delivered", "confirmed", Call("transaction.delivery", new { transactionId = order.Id }, null), "confirmado");
    }

    static void Finish(Order order, string before, string after, Answer answer, string text)
    {
        lock (World)
        {
            // O fim do pedido pode ter chegado durante a chamada. Sem certeza, a próxima volta tenta de novo.
            if (order.State != before || !(answer.ok || answer.Refused())) return;
            order.State = answer.ok ? after : "closed";
            Save();
            Print("pedido " + order.Id + ": " + (answer.ok ? text : "recusado, avise a equipe: " + answer.message));
        }
    }

    // 7. O fim de um pedido. O que foi entregue fica entregue.

    static void EndOrder(Event end)
    {
        lock (World)
        {
            Order order;
            if (!Orders.TryGetValue(end.transactionId, out order) || order.State == "closed") return;
            order.State = "closed";
            Save();
            Print("pedido " + order.Id + ": encerrado " + end.outcome);
        }
    }

    // 8. O console e o laço principal.

    static readonly string Start = DateTime.UtcNow.ToString("yyyyMMddHHmmssfff");
    static int counter = 0;

    static string Command(string[] w)
    {
        Answer answer;
        switch (w[0])
        {
            case "link":
                answer = Call("character.link", new { characterRef = w[1] }, "link-" + Start + "-" + ++counter);
                return answer.ok ? answer.data["url"].ToString() : answer.Text();
            case "list":
                return List(w[1], w[2], int.Parse(w[3]), int.Parse(w[4]));
            case "sold":
                lock (World)
                {
                    if (!Offers.ContainsKey(w[1]) || Offers[w[1]].Quantity < int.Parse(w[2])) return "recusado: não há tanto";
                    Offers[w[1]].Quantity -= int.Parse(w[2]);
                    Save();
                }
                return Call("market.adjust-stock", new { itemRef = w[1], observedQuantity = ObservedQuantity(w[1]) }, null).Text();
            case "withdraw":
                answer = Call("market.withdraw", new { itemRef = w[1] }, null);
                lock (World)
                {
                    if (answer.ok && Offers.ContainsKey(w[1])) Offers[w[1]].State = "withdrawn";
                    Save();
                }
                return answer.Text();
            case "buy":
                answer = Call("transaction.create", new { itemRef = w[1], quantity = int.Parse(w[2]), buyerCharacterRef = w[3] }, "buy-" + Start + "-" + ++counter);
                return answer.ok ? answer.data["checkoutUrl"].ToString() : answer.Text();
            case "full":
            case "room":
                lock (World)
                {
                    if (w[0] == "full") Full.Add(w[1]);
                    else Full.Remove(w[1]);
                    Save();
                }
                return "ok";
            default:
                return "recusado: comando desconhecido";
        }
    }

    static List<Order> OrdersIn(string state)
    {
        lock (World) return Orders.Values.Where(order => order.State == state).ToList();
    }

    // Uma volta de um segundo. Um pedido é entregue na volta depois daquela que o viu.
    static List<Order> Tick(List<Order> seen)
    {
        List<Offer> registering;
        lock (World) registering = Offers.Values.Where(offer => offer.State == "registering").ToList();
        foreach (Offer offer in registering) Print("anúncio " + offer.Item + ": " + Register(offer));
        foreach (Order order in OrdersIn("out-of-stock")) ReportOutOfStock(order);
        List<Order> taken = OrdersIn("taken");
        foreach (Order order in taken.Intersect(seen)) WorkOrder(order);
        foreach (Order order in OrdersIn("delivered")) Confirm(order);
        return taken;
    }

    static void StartThread(ThreadStart work)
    {
        new Thread(work) { IsBackground = true }.Start();
    }

    static void Main()
    {
        Console.OutputEncoding = new UTF8Encoding(false);
        Load();
        var listener = new HttpListener();
        listener.Prefixes.Add("http://127.0.0.1:" + GamePort + "/orders/");
        listener.Start();
        StartThread(() =>
        {
            while (true)
            {
                HttpListenerContext context = listener.GetContext();
                ThreadPool.QueueUserWorkItem(_ => Serve(context));
            }
        });
        var lines = new BlockingCollection<string>();
        StartThread(() =>
        {
            for (string line; (line = Console.ReadLine()) != null; ) lines.Add(line.Trim());
        });
        Print("pronto");
        var seen = new List<Order>();
        var sinceTick = Stopwatch.StartNew();
        while (true)
        {
            string line;
            if (!lines.TryTake(out line, (int)Math.Max(0, 1000 - sinceTick.ElapsedMilliseconds)))
            {
                seen = Tick(seen);
                sinceTick.Restart();
            }
            else if (line != "")
            {
                string[] words = line.Split(new[] { ' ' }, StringSplitOptions.RemoveEmptyEntries);
                string result;
                try
                {
                    result = Command(words);
                }
                catch (IndexOutOfRangeException) { result = "recusado: argumentos errados"; }
                catch (FormatException) { result = "recusado: argumentos errados"; }
                Print(words[0] + ": " + result);
            }
        }
    }

    static void Print(string line)
    {
        Console.Out.WriteLine(line);
        Console.Out.Flush();
    }

    static string Setting(string name, string otherwise)
    {
        return Environment.GetEnvironmentVariable(name) ?? otherwise;
    }
}
