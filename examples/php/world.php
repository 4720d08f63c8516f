<?php
// 1. O mundo: world.txt, que a página e o laço dividem. No seu jogo, é o banco de dados.

define('WORLD_DIR', getenv('WORLD_DIR') ?: 'world');

const OFFER = ['item', 'state', 'tries', 'seller', 'quantity', 'cents'];
const ORDER = ['id', 'state', 'item', 'quantity', 'buyer', 'tries'];

// Lê o mundo, muda e grava, um processo por vez. Nenhuma chamada ao agente é feita com a trava: um
// pedido que chega nunca espera. Se o disco falhar, há uma exceção e nada mudou.
function change(callable $work)
{
    if (!is_dir(WORLD_DIR)) @mkdir(WORLD_DIR, 0700, true);
    $lock = fopen(WORLD_DIR . '/world.lock', 'c');
    if (!$lock || !flock($lock, LOCK_EX)) throw new RuntimeException('world.lock');
    $world = load();
    $before = $world;
    $result = $work($world);
    if ($world !== $before) save($world);
    fclose($lock);
    return $result;
}

function world(): array
{
    return change(fn (array $world): array => $world);
}

function load(): array
{
    $world = ['offers' => [], 'orders' => [], 'mail' => [], 'full' => []];
    $path = WORLD_DIR . '/world.txt';
    $text = is_file($path) ? file_get_contents($path) : '';
    if ($text === false) throw new RuntimeException($path);
    foreach (array_filter(explode("\n", $text)) as $line) {
        $words = explode(' ', $line);
        $kind = array_shift($words);
        if ($kind === 'offer') $world['offers'][$words[0]] = array_combine(OFFER, $words);
        if ($kind === 'order') $world['orders'][$words[0]] = array_combine(ORDER, $words);
        if ($kind === 'mail') $world['mail'][] = $words;
        if ($kind === 'full') $world['full'][$words[0]] = [$words[0]];
    }
    return $world;
}

// Grava um arquivo temporário e o renomeia: tudo ou nada.
function save(array $world): void
{
    $text = '';
    foreach (['offer' => 'offers', 'order' => 'orders', 'mail' => 'mail', 'full' => 'full'] as $kind => $lines) {
        foreach ($world[$lines] as $words) $text .= $kind . ' ' . implode(' ', $words) . "\n";
    }
    $file = fopen(WORLD_DIR . '/world.tmp', 'w');
    $saved = $file && fwrite($file, $text) === strlen($text) && fflush($file)
        && (!function_exists('fsync') || fsync($file)) // a partir do PHP 8.1
        && fclose($file) && rename(WORLD_DIR . '/world.tmp', WORLD_DIR . '/world.txt');
    if (!$saved) throw new RuntimeException('world.txt');
}

// O que sobra para os próximos compradores: as unidades dos pedidos pagos já têm dono.
function observedQuantity(array $world, string $item): int
{
    $quantity = (int) ($world['offers'][$item]['quantity'] ?? 0);
    foreach ($world['orders'] as $order) {
        if ($order['item'] === $item && in_array($order['state'], ['taken', 'put-off'])) $quantity -= $order['quantity'];
    }
    return max(0, $quantity);
}

function say(string $line): void
{
    file_put_contents(PHP_SAPI === 'cli' ? 'php://stdout' : 'php://stderr', "$line\n");
}
