<?php // Um servidor de jogo pequeno e completo em PHP (8.1 ou mais novo), só com arquivos. O cron o inicia a cada volta.
set_error_handler(fn ($level, $text) => error_reporting() & $level ? throw new ErrorException($text) : true);
define('SPOOL', getenv('SERVICE_SPOOL_DIR') ?: 'spool');
define('FOLDER', getenv('WORLD_DIR') ?: 'world');
if (!is_dir(FOLDER)) mkdir(FOLDER, 0700, true);
flock($lock = fopen(FOLDER . '/lock', 'c'), LOCK_EX | LOCK_NB) || exit; // a execução anterior ainda trabalha

// 1. O mundo: fica na memória e é gravado inteiro depois de cada mudança. Faz o papel do banco de dados do jogo.
function write(string $path, $value): void { // tudo ou nada, mesmo em uma queda de energia. Um erro encerra o programa
    $new = dirname($path) . '/.' . basename($path);
    $file = fopen($new, 'w');
    fwrite($file, json_encode($value, JSON_THROW_ON_ERROR));
    fsync($file) && rename($new, $path) || throw new Exception($path);
    if (PHP_OS_FAMILY !== 'Windows') fsync(fopen(dirname($path), 'r'));
}
final class World {
    public array $offers = [], $orders = [], $mail = [], $full = [];
    function __construct() {
        $path = FOLDER . '/world.json';
        foreach (is_file($path) ? json_decode(file_get_contents($path), true) : [] as $k => $v) $this->$k = $v;
    }
    function save(): void { write(FOLDER . '/world.json', $this); }
    function left(string $item): int { // para outros compradores: as unidades de um pedido adiado estão separadas
        $aside = array_filter($this->orders, fn ($o) => $o['item'] === $item && $o['result'] === 'TEMPORARY');
        return max(0, ($this->offers[$item]['quantity'] ?? 0) - array_sum(array_column($aside, 'quantity')));
    }
}

// 2. Um pedido: se ainda não foi decidido, decidir e entregar em uma gravação só. Depois, responder o que aconteceu.
function take(World $world, array $o): array {
    [$id, $item] = [$o['transactionId'], $o['itemRef']];
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
        echo "pedido $id: ", $isOver ? "encerrado $o[outcome]" : $text[$result], "\n";
    }
    return ['observedQuantity' => $world->left($item), 'result' => $result];
}

// 3. Chamar o agente: um arquivo em outbox/, a resposta em inbox/. Ele assina, envia e repete.
function call(string $action, array $input): array {
    $name = bin2hex(random_bytes(8)) . '.json'; // um nome novo para cada chamada
    write(SPOOL . "/outbox/$name", compact('action') + $input);
    for ($tries = 400; $tries > 0; $tries--) { // o agente responde em 30 s
        usleep(100_000);
        $answer = @file_get_contents(SPOOL . "/inbox/$name");
        if ($answer !== false && unlink(SPOOL . "/inbox/$name")) return json_decode($answer, true);
    }
    @unlink(SPOOL . "/outbox/$name"); // sem agente, a chamada não fica para depois
    return ['ok' => false, 'status' => 503];
}
function text(array $answer): string {
    if ($answer['ok']) return $answer['url'] ?? $answer['checkoutUrl'] ?? 'ok';
    $isSure = in_array($answer['status'], [400, 403, 404, 409, 422]) && empty($answer['uncertain']);
    return $isSure ? "recusado: $answer[message]" : 'sem resposta';
}
function register(World $world, string $item, bool $isFirst = false): string { // repetido, 409: outra tentativa valeu
    $offer = $world->offers[$item];
    $answer = call('market.register', ['itemRef' => $item, 'gameItemId' => $item, 'itemName' => $item,
        'attributes' => 'Item do jogo', 'quantityListed' => $offer['quantity'], 'unitAmountCents' => $offer['cents'],
        'sellerCharacterRef' => $offer['seller']]);
    if ($answer['ok'] || $answer['status'] === 409 && !$isFirst) $world->offers[$item]['state'] = 'listed';
    elseif ($isFirst && text($answer) !== 'sem resposta') unset($world->offers[$item]);
    $world->save();
    return ($world->offers[$item]['state'] ?? '') === 'listed' ? 'ok' : text($answer);
}

// 4. Os comandos e o laço.
$world = new World();
$commands = [
    'link 1' => fn ($character) => text(call('character.link', ['characterRef' => $character])),
    'list 4' => function (string $item, string $seller, int $quantity, int $cents) use ($world) {
        if (isset($world->offers[$item])) return 'recusado: este item já tem anúncio';
        $world->offers[$item] = ['state' => 'registering'] + compact('seller', 'quantity', 'cents');
        $world->save(); // antes da chamada: uma queda não esquece o anúncio, e repetir não anuncia duas vezes
        return register($world, $item, true);
    },
    'sold 2' => function (string $item, int $quantity) use ($world) {
        if ($quantity < 1 || $world->left($item) < $quantity) return 'recusado: não há tanto';
        $world->offers[$item]['quantity'] -= $quantity;
        $world->save();
        return text(call('market.adjust-stock', ['itemRef' => $item, 'observedQuantity' => $world->left($item)]));
    },
    'withdraw 1' => function (string $item) use ($world) {
        $answer = call('market.withdraw', ['itemRef' => $item]);
        if ($answer['ok'] && isset($world->offers[$item])) $world->offers[$item]['state'] = 'withdrawn';
        $world->save();
        return text($answer);
    },
    'buy 3' => fn ($itemRef, int $quantity, $buyerCharacterRef) =>
        text(call('transaction.create', compact('itemRef', 'quantity', 'buyerCharacterRef'))),
    'full 1' => function ($buyer) use ($world) { $world->full[$buyer] = true; $world->save(); return 'ok'; },
    'room 1' => function ($buyer) use ($world) { unset($world->full[$buyer]); $world->save(); return 'ok'; },
];
echo "pronto\n";
foreach ($world->offers as $id => $o) if ($o['state'] === 'registering') echo "$id: ", register($world, $id), "\n";
foreach (glob(SPOOL . '/events/t*.json') as $path) { // os encerramentos vêm primeiro
    $reply = SPOOL . '/replies/' . basename($path);
    // Já respondido: o agente ainda apaga os dois. Depois de actUntil: talvez o comprador tenha o dinheiro de volta.
    $event = is_file($reply) ? null : json_decode((string) @file_get_contents($path), true);
    if ($event && ($event['actUntil'] ?? '9') > gmdate('Y-m-d\TH:i:s')) write($reply, take($world, $event));
}
$lines = is_file(FOLDER . '/console.txt') ? file(FOLDER . '/console.txt', FILE_IGNORE_NEW_LINES) : [];
if ($lines) unlink(FOLDER . '/console.txt');
foreach ($lines as $line) {
    $words = explode(' ', trim($line));
    $run = $commands[$words[0] . ' ' . count($words) - 1] ?? fn () => 'recusado: comando desconhecido';
    echo "$words[0]: ", $run(...array_slice($words, 1)), "\n";
}
