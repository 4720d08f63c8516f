// Um servidor de jogo pequeno e completo: vende itens pelo market-agent, que envia os pedidos por POST.
// Para iniciar (Java 11 ou mais novo): java -Dfile.encoding=UTF-8 -cp gson.jar Game.java

import com.google.gson.*;
import com.sun.net.httpserver.*;
import java.io.*;
import java.net.*;
import java.net.http.*;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.*;
import java.time.Duration;
import java.util.*;
import java.util.concurrent.*;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardOpenOption.*;

public class Game {
    static final String AGENT_URL = setting("AGENT_URL", "http://127.0.0.1:8899");
    static final int GAME_PORT = number(setting("GAME_PORT", "9000"));
    static final Path WORLD_DIR = Paths.get(setting("WORLD_DIR", "world"));

    // 1. O mundo: fica na memória e em world.txt. No seu jogo, é o banco de dados.
    // A trava é a da classe. Nenhuma chamada ao agente é feita com ela: um pedido que chega nunca espera.

    static class Offer {
        final String item, seller;
        final int cents;
        volatile String state;
        int tries, quantity;
        boolean inDoubt; // uma tentativa pode ter sido aceita sem que a resposta chegasse

        Offer(String[] w) {
            item = w[1]; state = w[2]; tries = number(w[3]); seller = w[4]; quantity = number(w[5]); cents = number(w[6]);
        }

        public String toString() {
            return "offer " + item + " " + state + " " + tries + " " + seller + " " + quantity + " " + cents;
        }
    }

    static class Order {
        final long id;
        final String item, buyer;
        final int quantity;
        volatile String state;
        int tries;
        boolean fromDisk; // pode ter acabado enquanto o servidor estava parado

        Order(String[] w) {
            id = Long.parseLong(w[1]); state = w[2]; item = w[3]; quantity = number(w[4]); buyer = w[5]; tries = number(w[6]);
        }

        public String toString() {
            return "order " + id + " " + state + " " + item + " " + quantity + " " + buyer + " " + tries;
        }
    }

    static final Map<String, Offer> offers = new ConcurrentSkipListMap<>();
    static final Map<Long, Order> orders = new ConcurrentSkipListMap<>();
    static final List<String> mail = new ArrayList<>();
    static final Set<String> full = new TreeSet<>();

    static synchronized void load() throws IOException {
        Files.createDirectories(WORLD_DIR);
        Path file = WORLD_DIR.resolve("world.txt");
        if (!Files.exists(file)) return;
        for (String line : Files.readAllLines(file, UTF_8)) {
            String[] w = line.split(" ");
            if (w[0].equals("offer")) {
                Offer offer = new Offer(w);
                offer.inDoubt = offer.state.equals("registering");
                offers.put(offer.item, offer);
            }
            if (w[0].equals("order")) {
                Order order = new Order(w);
                order.fromDisk = true;
                orders.put(order.id, order);
            }
            if (w[0].equals("mail")) mail.add(line);
            if (w[0].equals("full")) full.add(w[1]);
        }
    }

    // Grava um arquivo temporário e o renomeia: tudo ou nada. Se o disco falhar, o programa para,
    // porque a memória não pode saber mais do que o disco.
    static synchronized void save() {
        StringBuilder text = new StringBuilder();
        for (Offer offer : offers.values()) text.append(offer + "\n");
        for (Order order : orders.values()) text.append(order + "\n");
        for (String line : mail) text.append(line + "\n");
        for (String character : full) text.append("full " + character + "\n");
        Path temporary = WORLD_DIR.resolve("world.tmp");
        try {
            try (FileChannel file = FileChannel.open(temporary, CREATE, WRITE, TRUNCATE_EXISTING)) {
                ByteBuffer bytes = ByteBuffer.wrap(text.toString().getBytes(UTF_8));
                while (bytes.hasRemaining()) file.write(bytes);
                file.force(true);
            }
            Files.move(temporary, WORLD_DIR.resolve("world.txt"), ATOMIC_MOVE);
        } catch (IOException problem) {
            System.err.println("world.txt: " + problem);
            Runtime.getRuntime().halt(1);
        }
        try (FileChannel folder = FileChannel.open(WORLD_DIR)) {
            folder.force(true); // no Linux, só depois disto o novo nome resiste a uma queda de energia
        } catch (IOException windows) {
            // o Windows não abre pastas
        }
    }

    // O que sobra para os próximos compradores: as unidades dos pedidos pagos já têm dono.
    static synchronized int observedQuantity(String item) {
        int quantity = offers.containsKey(item) ? offers.get(item).quantity : 0;
        for (Order o : orders.values())
            if (o.item.equals(item) && (o.state.equals("taken") || o.state.equals("put-off"))) quantity -= o.quantity;
        return Math.max(0, quantity);
    }

    // 2. A chamada ao agente.

    static class Answer {
        boolean ok, uncertain;
        int status;
        String message, code = "";
        Map<String, Object> data;

        // Recusado com certeza: nada foi feito, e repetir não muda nada.
        boolean refused() {
            return !ok && !uncertain && status >= 400 && status < 500 && status != 401 && status != 408 && status != 425 && status != 429;
        }

        String text() {
            return ok ? "ok" : refused() ? "recusado: " + message : "sem resposta";
        }
    }

    static final Gson gson = new Gson();
    static final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(Duration.ofSeconds(5)).build();

    // Se a conexão falha, repete com o mesmo id. Sem resposta nenhuma, vale o mesmo que "uncertain".
    static Answer call(String operation, Map<String, Object> input, String id) throws InterruptedException {
        Map<String, Object> body = new HashMap<>(Map.of("operation", operation, "input", input));
        if (id != null) body.put("id", id);
        HttpRequest request = HttpRequest.newBuilder(URI.create(AGENT_URL + "/call"))
            .timeout(Duration.ofSeconds(40)) // o agente responde em até 30 s
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(gson.toJson(body)))
            .build();
        for (int attempt = 1; attempt <= 3; attempt++) {
            try {
                Answer answer = gson.fromJson(http.send(request, HttpResponse.BodyHandlers.ofString(UTF_8)).body(), Answer.class);
                if (answer != null) return answer;
            } catch (IOException | JsonParseException broken) {
                // não há conexão, ou ela caiu no meio
            }
            Thread.sleep(1000);
        }
        Answer none = new Answer();
        none.uncertain = true;
        return none;
    }

    // 3. Anunciar. O id vem do item e do número da tentativa, gravados antes da chamada.

    static String list(String item, String seller, int quantity, int cents) throws InterruptedException {
        Offer offer;
        synchronized (Game.class) {
            Offer old = offers.get(item);
            if (old != null && !old.state.equals("refused")) return "recusado: este item já tem anúncio";
            int tries = old == null ? 1 : old.tries + 1; // depois de uma recusa, um id novo
            offer = new Offer(("offer " + item + " registering " + tries + " " + seller + " " + quantity + " " + cents).split(" "));
            offers.put(item, offer);
            save();
        }
        return register(offer);
    }

    static String register(Offer offer) throws InterruptedException {
        Answer answer = call("market.register", Map.of(
            "itemRef", offer.item, "gameItemId", offer.item, "itemName", offer.item, "attributes", "Item do jogo",
            "quantityListed", offer.quantity, "unitAmountCents", offer.cents, "sellerCharacterRef", offer.seller
        ), "register-" + offer.item + "-" + offer.tries);
        synchronized (Game.class) {
            if (!offer.state.equals("registering")) return "ok"; // chegou um pedido: já está anunciado
            if (answer.ok || answer.status == 409 && offer.inDoubt) {
                offer.state = "listed"; // o 409 veio da tentativa anterior, que foi aceita
            } else if (answer.uncertain || answer.code.equals("ID_REUSED")) {
                offer.inDoubt = true;
                offer.tries++;
            } else if (answer.refused()) {
                offer.state = "refused";
            }
            save();
            if (offer.state.equals("registering")) return "sem resposta"; // de novo na próxima volta
            return offer.state.equals("listed") ? "ok" : answer.text();
        }
    }

    // 4. Receber um pedido: primeiro o disco, depois a resposta. O mesmo pedido pode vir mais de uma vez.

    static class Event {
        String event, itemRef, buyerCharacterRef, outcome;
        long transactionId;
        int quantity;
    }

    static synchronized int takeOrder(Event event) {
        Order order = orders.computeIfAbsent(event.transactionId, id -> new Order(
            ("order " + id + " new " + event.itemRef + " " + event.quantity + " " + event.buyerCharacterRef + " 0").split(" ")));
        if (order.state.equals("new") || order.state.equals("put-off")) {
            order.state = "taken";
            order.fromDisk = false;
            Offer offer = offers.get(order.item);
            if (offer != null && offer.state.equals("registering")) offer.state = "listed";
            save();
            print("pedido " + order.id + ": recebido");
        }
        return observedQuantity(event.itemRef);
    }

    static void serve(HttpExchange exchange) throws IOException {
        if (exchange.getRequestHeaders().containsKey("Origin")) { // uma página web não faz pedidos
            exchange.sendResponseHeaders(403, -1);
            exchange.close();
            return;
        }
        int status = 200;
        Map<String, Object> reply = Map.of();
        try {
            Event event = gson.fromJson(new String(exchange.getRequestBody().readAllBytes(), UTF_8), Event.class);
            if (event.event.equals("transfer_order")) reply = Map.of("observedQuantity", takeOrder(event));
            if (event.event.equals("transaction_terminal")) endOrder(event);
        } catch (JsonParseException | NullPointerException notAnEvent) {
            status = 400;
        }
        byte[] bytes = gson.toJson(reply).getBytes(UTF_8);
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    // 5. Entregar, ou dizer por que não. Só a certeza devolve o dinheiro; na dúvida, TEMPORARY.

    static void workOrder(Order order) throws InterruptedException {
        if (order.fromDisk && !isAwaited(order)) return;
        Offer offer = offers.get(order.item);
        synchronized (Game.class) {
            if (!order.state.equals("taken")) return;
            if (offer != null && offer.quantity < order.quantity) {
                order.state = "out-of-stock";
                save(); // a decisão fica gravada antes do reembolso, que não tem volta
                return;
            }
            if (offer != null && !full.contains(order.buyer)) {
                offer.quantity -= order.quantity;
                mail.add("mail " + order.buyer + " " + order.item + " " + order.quantity + " " + order.id);
                order.state = "delivered";
                save(); // estoque, correio e pedido mudam juntos
                print("pedido " + order.id + ": entregue");
                return;
            }
        }
        Answer answer = report(order, "TEMPORARY", offer == null ? "anúncio desconhecido" : "correio cheio");
        synchronized (Game.class) {
            if (!answer.ok || !order.state.equals("taken")) return; // a próxima volta tenta de novo
            order.state = "put-off"; // a plataforma envia o pedido de novo
            order.tries++;
            save();
            print("pedido " + order.id + ": adiado");
        }
    }

    // A plataforma ainda espera a entrega? Se não, o fim do pedido está a caminho.
    static boolean isAwaited(Order order) throws InterruptedException {
        Answer now = call("transaction.get", Map.of("transactionId", order.id), null);
        if (now.ok && "AGUARDANDO_SERVIDOR".equals(now.data.get("deliveryStatus"))) order.fromDisk = false;
        return !order.fromDisk;
    }

    static Answer report(Order order, String reason, String detail) throws InterruptedException {
        return call("transaction.delivery-failure", Map.of("transactionId", order.id, "reason", reason,
            "observedQuantity", observedQuantity(order.item), "detail", detail), null);
    }

    static void reportOutOfStock(Order order) throws InterruptedException {
        finish(order, "out-of-stock", "closed", report(order, "OUT_OF_STOCK", "vendido no jogo"), "sem estoque");
    }

    // 6. Confirmar a entrega até a resposta ser certa. Repetir não faz mal.

    static void confirm(Order order) throws InterruptedException {
        finish(order, "delivered", "confirmed", call("transaction.delivery", Map.of("transactionId", order.id), null), "confirmado");
    }

    static synchronized void finish(Order order, String before, String after, Answer answer, String text) {
        // O fim do pedido pode ter chegado durante a chamada. Sem certeza, a próxima volta tenta de novo.
        if (!order.state.equals(before) || !(answer.ok || answer.refused())) return;
        order.state = answer.ok ? after : "closed";
        save();
        print("pedido " + order.id + ": " + (answer.ok ? text : "recusado, avise a equipe: " + answer.message));
    }

    // 7. O fim de um pedido. O que foi entregue fica entregue.

    static synchronized void endOrder(Event event) {
        Order order = orders.get(event.transactionId);
        if (order == null || order.state.equals("closed")) return;
        order.state = "closed";
        save();
        print("pedido " + order.id + ": encerrado " + event.outcome);
    }

    // 8. O console e o laço principal.

    static final long start = System.currentTimeMillis();
    static int counter = 0;

    static String command(String[] w) throws InterruptedException {
        switch (w[0]) {
            case "link":
                Answer link = call("character.link", Map.of("characterRef", w[1]), "link-" + start + "-" + ++counter);
                return link.ok ? link.data.get("url").toString() : link.text();
            case "list":
                return list(w[1], w[2], number(w[3]), number(w[4]));
            case "sold":
                synchronized (Game.class) {
                    Offer offer = offers.get(w[1]);
                    if (offer == null || offer.quantity < number(w[2])) return "recusado: não há tanto";
                    offer.quantity -= number(w[2]);
                    save();
                }
                return call("market.adjust-stock", Map.of("itemRef", w[1], "observedQuantity", observedQuantity(w[1])), null).text();
            case "withdraw":
                Answer withdrawal = call("market.withdraw", Map.of("itemRef", w[1]), null);
                synchronized (Game.class) {
                    if (withdrawal.ok && offers.containsKey(w[1])) offers.get(w[1]).state = "withdrawn";
                    save();
                }
                return withdrawal.text();
            case "buy":
                Answer purchase = call("transaction.create", Map.of("itemRef", w[1], "quantity", number(w[2]), "buyerCharacterRef", w[3]),
                    "buy-" + start + "-" + ++counter);
                return purchase.ok ? purchase.data.get("checkoutUrl").toString() : purchase.text();
            case "full":
            case "room":
                synchronized (Game.class) {
                    if (w[0].equals("full")) full.add(w[1]);
                    else full.remove(w[1]);
                    save();
                }
                return "ok";
            default:
                return "recusado: comando desconhecido";
        }
    }

    static List<Order> ordersIn(String state) {
        List<Order> found = new ArrayList<>();
        for (Order order : orders.values()) if (order.state.equals(state)) found.add(order);
        return found;
    }

    // Uma volta de um segundo. Um pedido é entregue na volta depois daquela que o viu.
    static List<Order> tick(List<Order> seen) throws InterruptedException {
        for (Offer offer : offers.values())
            if (offer.state.equals("registering")) print("anúncio " + offer.item + ": " + register(offer));
        for (Order order : ordersIn("out-of-stock")) reportOutOfStock(order);
        List<Order> taken = ordersIn("taken");
        for (Order order : taken) if (seen.contains(order)) workOrder(order);
        for (Order order : ordersIn("delivered")) confirm(order);
        return taken;
    }

    static void readConsole(BlockingQueue<String> lines) {
        Scanner scanner = new Scanner(System.in, UTF_8); // sem console, como serviço, o servidor segue
        while (scanner.hasNextLine()) lines.add(scanner.nextLine().trim());
    }

    public static void main(String[] args) throws Exception {
        Thread.setDefaultUncaughtExceptionHandler((thread, bug) -> {
            bug.printStackTrace();
            Runtime.getRuntime().halt(1); // melhor parar do que receber pedidos e não entregar
        });
        System.setOut(new PrintStream(System.out, true, "UTF-8"));
        load();
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", GAME_PORT), 0);
        server.createContext("/orders", Game::serve);
        server.setExecutor(Executors.newFixedThreadPool(4));
        server.start();
        BlockingQueue<String> lines = new LinkedBlockingQueue<>();
        new Thread(() -> readConsole(lines)).start();
        print("pronto");
        List<Order> seen = new ArrayList<>();
        for (long next = System.nanoTime(); ; ) {
            String line = lines.poll(next - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (line == null) {
                seen = tick(seen);
                next = System.nanoTime() + 1_000_000_000L;
            } else if (!line.isEmpty()) {
                String[] words = line.split(" +");
                String result;
                try {
                    result = command(words);
                } catch (IndexOutOfBoundsException | NumberFormatException wrong) {
                    result = "recusado: argumentos errados";
                }
                print(words[0] + ": " + result);
            }
        }
    }

    static void print(String line) {
        System.out.println(line);
    }

    static int number(String word) {
        return Integer.parseInt(word);
    }

    static String setting(String name, String otherwise) {
        return System.getenv().getOrDefault(name, otherwise);
    }
}
