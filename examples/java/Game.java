// Um servidor de jogo pequeno e completo que recebe os pedidos do market-agent por POST. Java 11 ou mais novo e Gson.
import com.google.gson.*;
import com.sun.net.httpserver.*;
import java.io.*;
import java.net.*;
import java.net.http.*;
import java.nio.channels.FileChannel;
import java.nio.file.*;
import java.time.Duration;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.locks.ReentrantLock;

public class Game {
    static final String TOKEN = setting("SERVICE_WEBHOOK_FORWARD_TOKEN", "");
    static final Path FOLDER = Paths.get(setting("WORLD_DIR", "world")), FILE = FOLDER.resolve("world.json");
    static final int GAME_PORT = Integer.parseInt(setting("GAME_PORT", "9000"));
    static final Gson JSON = new Gson();
    static final HttpClient HTTP = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    static String setting(String name, String fallback) { return System.getenv().getOrDefault(name, fallback); }

    // 1. O mundo: fica na memória e é gravado inteiro depois de cada mudança. Faz o papel do banco de dados do jogo.
    static class World {
        Map<String, Offer> offers = new TreeMap<>();
        Map<Long, Order> orders = new TreeMap<>();
        List<Mail> mail = new ArrayList<>();
        Set<String> full = new TreeSet<>();
    }
    static class Offer {
        String state = "registering", seller; int quantity, cents; // depois, state é "listed"
        Offer(String[] w) { seller = w[2]; quantity = Integer.parseInt(w[3]); cents = Integer.parseInt(w[4]); }
    }
    static class Order {
        String result, item; int quantity; // result: DELIVERED, OUT_OF_STOCK ou TEMPORARY
        Order(Event e, String result) { this.result = result; item = e.itemRef; quantity = e.quantity; }
    }
    static class Mail {
        String buyer, item; int quantity; long id;
        Mail(Event e) { buyer = e.buyerCharacterRef; item = e.itemRef; quantity = e.quantity; id = e.transactionId; }
    }
    static World world = new World();
    static final ReentrantLock LOCK = new ReentrantLock(); // só quem a tem lê ou muda o mundo

    static void save() { // tudo ou nada: o arquivo tem o mundo de antes ou o de depois
        Path next = FOLDER.resolve("world.json.tmp");
        try {
            Files.writeString(next, JSON.toJson(world));
            try (FileChannel file = FileChannel.open(next, StandardOpenOption.WRITE)) { file.force(true); }
            Files.move(next, FILE, StandardCopyOption.ATOMIC_MOVE);
            if (File.separatorChar == '\\') return; // o Windows não abre pastas, nem precisa
            try (FileChannel folder = FileChannel.open(FOLDER)) { folder.force(true); } // o novo nome fica no disco
        } catch (IOException problem) {
            System.err.println(problem); // a memória não pode saber mais do que o disco
            Runtime.getRuntime().halt(1);
        }
    }
    static int left(String item) { // para outros compradores: as unidades de um pedido adiado estão separadas para ele
        int units = world.offers.containsKey(item) ? world.offers.get(item).quantity : 0;
        for (Order order : world.orders.values())
            if (order.item.equals(item) && order.result.equals("TEMPORARY")) units -= order.quantity;
        return Math.max(0, units);
    }

    // 2. Um pedido: se ainda não foi decidido, decidir e entregar em uma gravação só. Depois, responder o que houve.
    static class Event { String event, itemRef, buyerCharacterRef, outcome; long transactionId; int quantity; }
    static Map<String, Object> take(Event e) {
        Order order = world.orders.get(e.transactionId);
        if (order == null || order.result.equals("TEMPORARY")) {
            world.orders.remove(e.transactionId); // as unidades que estavam separadas são para ele
            Offer offer = world.offers.get(e.itemRef);
            if (offer != null && left(e.itemRef) < e.quantity) {
                order = new Order(e, "OUT_OF_STOCK"); // só com certeza: o comprador recebe o dinheiro de volta
            } else if (offer == null || world.full.contains(e.buyerCharacterRef)) {
                order = new Order(e, "TEMPORARY"); // na dúvida: o pedido volta mais tarde
            } else {
                order = new Order(e, "DELIVERED");
                offer.quantity -= e.quantity;
                world.mail.add(new Mail(e));
            }
            world.orders.put(e.transactionId, order);
            save();
            String said = order.result.equals("DELIVERED") ? "entregue" : order.result;
            System.out.println("pedido " + e.transactionId + ": " + said);
        }
        return Map.of("observedQuantity", left(e.itemRef), "result", order.result);
    }
    static Map<String, Object> end(Event e) { // o que não foi entregue não será mais, e as unidades ficam livres
        Order order = world.orders.computeIfAbsent(e.transactionId, id -> new Order(e, "TEMPORARY"));
        if (order.result.equals("TEMPORARY")) order.result = "OUT_OF_STOCK";
        save();
        System.out.println("pedido " + e.transactionId + ": encerrado " + e.outcome);
        return Map.of();
    }
    static void serve(HttpExchange exchange) throws IOException {
        int status = 401; // não é o agente
        byte[] reply = {};
        LOCK.lock();
        try {
            if (("Bearer " + TOKEN).equals(exchange.getRequestHeaders().getFirst("Authorization"))) {
                Event e = JSON.fromJson(new InputStreamReader(exchange.getRequestBody(), "UTF-8"), Event.class);
                if (e.event.equals("transfer_order")) reply = JSON.toJson(take(e)).getBytes("UTF-8");
                if (e.event.equals("transaction_terminal")) reply = JSON.toJson(end(e)).getBytes("UTF-8");
                status = reply.length > 0 ? 200 : 400;
            }
        } catch (JsonParseException | NullPointerException notAnEvent) {
            status = 400;
        } finally {
            LOCK.unlock();
        }
        exchange.sendResponseHeaders(status, reply.length == 0 ? -1 : reply.length);
        exchange.getResponseBody().write(reply);
        exchange.close();
    }

    // 3. Chamar o agente. Ele assina, envia e repete. Nenhuma destas chamadas precisa de um id.
    static class Answer { boolean ok, uncertain; int status; String message; Map<String, Object> data; }
    static Answer call(String operation, Map<String, Object> input) throws InterruptedException {
        String body = JSON.toJson(Map.of("operation", operation, "input", input));
        URI agent = URI.create(setting("AGENT_URL", "http://127.0.0.1:8899") + "/call");
        HttpRequest request = HttpRequest.newBuilder(agent).timeout(Duration.ofSeconds(40)) // o agente responde em 30 s
            .header("Content-Type", "application/json").POST(HttpRequest.BodyPublishers.ofString(body)).build();
        LOCK.unlock(); // um pedido não espera por esta chamada
        try {
            String text = HTTP.send(request, HttpResponse.BodyHandlers.ofString()).body();
            return Objects.requireNonNullElse(JSON.fromJson(text, Answer.class), new Answer());
        } catch (IOException | JsonParseException broken) {
            return new Answer();
        } finally {
            LOCK.lock();
        }
    }
    static String say(Answer answer, String field) {
        if (answer.ok) return field == null ? "ok" : answer.data.get(field).toString();
        boolean isSure = !answer.uncertain && List.of(400, 403, 404, 409, 422).contains(answer.status);
        return isSure ? "recusado: " + answer.message : "sem resposta";
    }
    static String register(String item, boolean isFirst) throws InterruptedException {
        Offer offer = world.offers.get(item);
        Answer answer = call("market.register", Map.of(
            "itemRef", item, "gameItemId", item, "itemName", item, "attributes", "Item do jogo",
            "quantityListed", offer.quantity, "unitAmountCents", offer.cents, "sellerCharacterRef", offer.seller));
        if (answer.ok || answer.status == 409 && !isFirst) offer.state = "listed"; // 409: outra tentativa valeu
        else if (isFirst && !say(answer, null).equals("sem resposta")) world.offers.remove(item);
        save();
        return say(answer, null);
    }

    // 4. Os comandos e o laço.
    static String run(String... w) throws InterruptedException {
        String item = w[1];
        switch (w[0]) {
            case "link": return say(call("character.link", Map.of("characterRef", item)), "url");
            case "withdraw": return say(call("market.withdraw", Map.of("itemRef", item)), null);
            case "buy": return say(call("transaction.create", Map.of(
                "itemRef", item, "quantity", Integer.valueOf(w[2]), "buyerCharacterRef", w[3])), "checkoutUrl");
            case "list":
                if (world.offers.containsKey(item)) return "recusado: este item já tem anúncio";
                world.offers.put(item, new Offer(w));
                save(); // antes da chamada: uma queda não esquece o anúncio, e repetir não anuncia duas vezes
                return register(item, true);
            case "sold":
                int quantity = Integer.parseInt(w[2]);
                if (quantity < 1 || quantity > left(item)) return "recusado: não há tanto";
                world.offers.get(item).quantity -= quantity;
                save();
                return say(call("market.adjust-stock", Map.of("itemRef", item, "observedQuantity", left(item))), null);
            case "full": world.full.add(item); break;
            case "room": world.full.remove(item); break;
            default: return "recusado: comando desconhecido";
        }
        save();
        return "ok";
    }
    public static void main(String[] args) throws Exception {
        if (TOKEN.isEmpty()) throw new Exception("defina SERVICE_WEBHOOK_FORWARD_TOKEN como no agente");
        System.setOut(new PrintStream(System.out, true, "UTF-8"));
        Files.createDirectories(FOLDER);
        if (Files.exists(FILE)) world = JSON.fromJson(Files.readString(FILE), World.class);
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", GAME_PORT), 0);
        server.createContext("/", Game::serve);
        server.setExecutor(Executors.newFixedThreadPool(10));
        server.start();
        BlockingQueue<String> lines = new LinkedBlockingQueue<>();
        new Thread(() -> new BufferedReader(new InputStreamReader(System.in)).lines().forEach(lines::add)).start();
        System.out.println("pronto");
        while (true) {
            String line = lines.poll(1, TimeUnit.SECONDS);
            LOCK.lock();
            for (String item : world.offers.keySet())
                if (world.offers.get(item).state.equals("registering")) register(item, false);
            if (line != null) try {
                System.out.println(line.split(" ")[0] + ": " + run(line.split(" ")));
            } catch (IndexOutOfBoundsException | NumberFormatException wrong) {
                System.out.println(line + ": recusado: comando desconhecido");
            }
            LOCK.unlock();
        }
    }
}
