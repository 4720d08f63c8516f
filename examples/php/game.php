<?php // Um servidor de jogo pequeno e completo em PHP (8.1 ou mais novo), que recebe os pedidos do market-agent.
//   A página dos pedidos: php -S 127.0.0.1:9000 game.php       O console: php game.php
set_error_handler(fn ($level, $text) => error_reporting() & $level ? throw new ErrorException($text) : true);
define('WORLD', (getenv('WORLD_DIR') ?: 'world') . '/world.json');
if (!is_dir(dirname(WORLD))) mkdir(dirname(WORLD), 0700, true);

// 1. O mundo: cada processo o lê, muda e grava, um por vez. Faz o papel do banco de dados do jogo.
final class World {
    public array $offers = [], $orders = [], $mail = [], $full = [];
    private $lock; // até save(), ou até o fim da função que abriu o mundo: nunca durante uma chamada ao agente
    function __construct() {
        flock($this->lock = fopen(WORLD . '.lock', 'c'), LOCK_EX) || throw new Exception(WORLD . '.lock');
        foreach (is_file(WORLD) ? json_decode(file_get_contents(WORLD), true) : [] as $k => $v) $this->$k = $v;
    }
    function save(): void { // tudo ou nada: o arquivo tem o mundo de antes ou o de depois. Um erro encerra o programa
        $file = fopen(WORLD . '.tmp', 'w');
        fwrite($file, json_encode($this, JSON_PRETTY_PRINT | JSON_THROW_ON_ERROR));
        fsync($file) && rename(WORLD . '.tmp', WORLD) || throw new Exception(WORLD);
        if (PHP_OS_FAMILY !== 'Windows') fsync(fopen(dirname(WORLD), 'r')); // o nome novo também fica gravado
        fclose($this->lock);
    }
    function left(string $item): int { // para outros compradores: as unidades de um pedido adiado estão separadas
        $aside = array_filter($this->orders, fn ($o) => $o['item'] === $item && $o['result'] === 'TEMPORARY');
        return max(0, ($this->offers[$item]['quantity'] ?? 0) - array_sum(array_column($aside, 'quantity')));
    }
}

// 2. Um pedido: se ainda não foi decidido, decidir e entregar em uma gravação só. Depois, responder o que aconteceu.
function take(array $o): array {
    [$world, $id, $item] = [new World(), $o['transactionId'], $o['itemRef']];
    $result = $world->orders[$id]['result'] ?? 'TEMPORARY'; // na dúvida: o pedido volta mais tarde
    if ($result === 'TEMPORARY') {
        unset($world->orders[$id]); // as unidades que estavam separadas são para ele, ou ficam livres
        $isOver = $o['event'] === 'transaction_terminal'; // acabou sem entrega: não será mais entregue
        if ($isOver || isset($world->offers[$item]) && $world->left($item) < $o['quantity']) {
            $result = 'OUT_OF_STOCK'; // só com certeza: o comprador recebe o dinheiro de volta
        } elseif (isset($world->offers[$item]) && !isset($world->full[$o['buyerCharacterRef']])) {
            $result = 'DELIVERED';
            $world->offers[$item]['quantity'] -= $o['quantity'];
            $world->mail[] = compact('item', 'id') + ['buyer' => $o['buyerCharacterRef'], 'quantity' => $o['quantity']];
        }
        $world->orders[$id] = compact('result', 'item') + ['quantity' => $o['quantity'] ?? 0];
        $world->save();
        $text = ['DELIVERED' => 'entregue', 'OUT_OF_STOCK' => 'sem estoque', 'TEMPORARY' => 'adiado'];
        file_put_contents('php://stdout', "pedido $id: " . ($isOver ? "encerrado $o[outcome]" : $text[$result]) . "\n");
    }
    return ['observedQuantity' => $world->left($item), 'result' => $result];
}
if (PHP_SAPI !== 'cli') { // a página
    http_response_code(500); // se algo falhar antes da resposta, o agente envia de novo
    $token = getenv('SERVICE_WEBHOOK_FORWARD_TOKEN') ?: throw new Exception('falta SERVICE_WEBHOOK_FORWARD_TOKEN');
    $isAgent = hash_equals("Bearer $token", $_SERVER['HTTP_AUTHORIZATION'] ?? ''); // ou um estranho
    $event = $isAgent ? json_decode(file_get_contents('php://input'), true) : null;
    $reply = in_array($event['event'] ?? '', ['transfer_order', 'transaction_terminal']) ? take($event) : null;
    header('Content-Type: application/json', true, $reply ? 200 : ($isAgent ? 400 : 401));
    exit(json_encode($reply));
}

// 3. Chamar o agente. Ele assina, envia e repete. Nenhuma destas chamadas precisa de um id.
function call(string $operation, array $input): array {
    $http = ['method' => 'POST', 'header' => 'Content-Type: application/json', 'timeout' => 40]; // o agente: até 30 s
    $context = stream_context_create(['http' => $http + ['content' => json_encode(compact('operation', 'input'))]]);
    $text = @file_get_contents((getenv('AGENT_URL') ?: 'http://127.0.0.1:8899') . '/call', false, $context);
    return json_decode((string) $text, true) ?? ['ok' => false, 'status' => 503];
}
function text(array $answer): string {
    if ($answer['ok']) return $answer['data']['url'] ?? $answer['data']['checkoutUrl'] ?? 'ok';
    $isSure = in_array($answer['status'], [400, 403, 404, 409, 422]) && empty($answer['uncertain']);
    return $isSure ? "recusado: $answer[message]" : 'sem resposta';
}
function register(string $item, bool $isFirst = false): string { // repetido, o 409 significa que outra tentativa valeu
    $offer = (new World())->offers[$item];
    $answer = call('market.register', ['itemRef' => $item, 'gameItemId' => $item, 'itemName' => $item,
        'attributes' => 'Item do jogo', 'quantityListed' => $offer['quantity'], 'unitAmountCents' => $offer['cents'],
        'sellerCharacterRef' => $offer['seller']]);
    $world = new World();
    if ($answer['ok'] || $answer['status'] === 409 && !$isFirst) $world->offers[$item]['state'] = 'listed';
    elseif ($isFirst && text($answer) !== 'sem resposta') unset($world->offers[$item]);
    $world->save();
    return ($world->offers[$item]['state'] ?? '') === 'listed' ? 'ok' : text($answer);
}

// 4. Os comandos e o laço.
$commands = [
    'link 1' => fn ($character) => text(call('character.link', ['characterRef' => $character])),
    'list 4' => function (string $item, string $seller, int $quantity, int $cents) {
        $world = new World();
        if (isset($world->offers[$item])) return 'recusado: este item já tem anúncio';
        $world->offers[$item] = ['state' => 'registering'] + compact('seller', 'quantity', 'cents');
        $world->save(); // antes da chamada: uma queda não esquece o anúncio, e repetir não anuncia duas vezes
        return register($item, true);
    },
    'sold 2' => function (string $item, int $quantity) {
        $world = new World();
        if ($quantity < 1 || $world->left($item) < $quantity) return 'recusado: não há tanto';
        $world->offers[$item]['quantity'] -= $quantity;
        $world->save();
        return text(call('market.adjust-stock', ['itemRef' => $item, 'observedQuantity' => $world->left($item)]));
    },
    'withdraw 1' => function (string $item) {
        $answer = call('market.withdraw', ['itemRef' => $item]);
        $world = new World();
        if ($answer['ok'] && isset($world->offers[$item])) $world->offers[$item]['state'] = 'withdrawn';
        $world->save();
        return text($answer);
    },
    'buy 3' => fn ($itemRef, int $quantity, $buyerCharacterRef) =>
        text(call('transaction.create', compact('itemRef', 'quantity', 'buyerCharacterRef'))),
    'full 1' => function ($buyer) { $world = new World(); $world->full[$buyer] = true; $world->save(); return 'ok'; },
    'room 1' => function ($buyer) { $world = new World(); unset($world->full[$buyer]); $world->save(); return 'ok'; },
];
echo "pronto\n";
while (true) {
    foreach ((new World())->offers as $id => $o) if ($o['state'] === 'registering') echo "$id: ", register($id), "\n";
    usleep(500_000);
    [$console, $none] = [[STDIN], null];
    $words = explode(' ', stream_select($console, $none, $none, 0) ? trim((string) fgets(STDIN)) : '');
    $run = $commands[$words[0] . ' ' . count($words) - 1] ?? fn () => 'recusado: comando desconhecido';
    if ($words[0] !== '') echo "$words[0]: ", $run(...array_slice($words, 1)), "\n";
}
