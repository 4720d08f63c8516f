<?php
// Um servidor de jogo pequeno e completo: este laço anuncia, entrega e confirma; orders.php recebe os
// pedidos, que o market-agent envia por POST. Para iniciar (PHP 7.4 ou mais novo): php game.php

require __DIR__ . '/world.php';

define('AGENT_URL', getenv('AGENT_URL') ?: 'http://127.0.0.1:8899');

// 2. A chamada ao agente. Se a conexão falha, repete com o mesmo id. Sem resposta nenhuma, vale o mesmo
// que "uncertain".
function call(string $operation, array $input, ?string $id = null): array
{
    $body = ['operation' => $operation, 'input' => $input] + ($id === null ? [] : ['id' => $id]);
    $context = stream_context_create(['http' => [
        'method' => 'POST',
        'header' => "Content-Type: application/json\r\nConnection: close",
        'content' => json_encode($body, JSON_INVALID_UTF8_SUBSTITUTE),
        'timeout' => 40, // o agente responde em até 30 s
        'ignore_errors' => true, // uma recusa também tem corpo
    ]]);
    for ($attempt = 1; $attempt <= 3; $attempt++) {
        $answer = json_decode((string) @file_get_contents(AGENT_URL . '/call', false, $context), true);
        if (isset($answer['ok'])) return $answer;
        sleep(1);
    }
    return ['ok' => false, 'uncertain' => true];
}

// Recusado com certeza: nada foi feito, e repetir não muda nada.
function refused(array $answer): bool
{
    return !$answer['ok'] && empty($answer['uncertain'])
        && $answer['status'] >= 400 && $answer['status'] < 500 && !in_array($answer['status'], [401, 408, 425, 429]);
}

function text(array $answer, ?string $field = null): string
{
    if ($answer['ok']) return $field === null ? 'ok' : $answer['data'][$field];
    return refused($answer) ? "recusado: {$answer['message']}" : 'sem resposta';
}

// 3. Anunciar. O id vem do item e do número da tentativa, gravados antes da chamada.
$inDoubt = []; // por item: uma tentativa pode ter sido aceita sem que a resposta chegasse

function listOffer(string $item, string $seller, int $quantity, int $cents): string
{
    global $inDoubt;
    $isNew = change(function (array &$world) use ($item, $seller, $quantity, $cents): bool {
        $old = $world['offers'][$item] ?? ['state' => 'refused', 'tries' => 0];
        if ($old['state'] !== 'refused') return false;
        $world['offers'][$item] = array_combine(OFFER, [$item, 'registering', $old['tries'] + 1, $seller, $quantity, $cents]);
        return true;
    });
    if (!$isNew) return 'recusado: este item já tem anúncio';
    $inDoubt[$item] = false;
    return register($item);
}

function register(string $item): string
{
    global $inDoubt;
    $offer = world()['offers'][$item];
    $answer = call('market.register', [
        'itemRef' => $item, 'gameItemId' => $item, 'itemName' => $item, 'attributes' => 'Item do jogo',
        'quantityListed' => (int) $offer['quantity'], 'unitAmountCents' => (int) $offer['cents'], 'sellerCharacterRef' => $offer['seller'],
    ], "register-$item-{$offer['tries']}");
    if ($answer['ok'] || ($answer['status'] ?? 0) === 409 && ($inDoubt[$item] ?? true)) {
        $state = 'listed'; // o 409 veio porque a tentativa anterior foi aceita
    } else {
        $state = refused($answer) && ($answer['code'] ?? '') !== 'ID_REUSED' ? 'refused' : 'registering';
    }
    $newId = !empty($answer['uncertain']) || ($answer['code'] ?? '') === 'ID_REUSED';
    if ($newId) $inDoubt[$item] = true;
    $state = change(function (array &$world) use ($item, $state, $newId): string {
        $offer = &$world['offers'][$item];
        if ($offer['state'] !== 'registering') return $offer['state']; // chegou um pedido: já está anunciado
        if ($newId) $offer['tries']++;
        return $offer['state'] = $state;
    });
    if ($state === 'registering') return 'sem resposta'; // de novo na próxima volta
    return $state === 'refused' ? text($answer) : 'ok';
}

// 5. Entregar, ou dizer por que não. Só a certeza devolve o dinheiro; na dúvida, TEMPORARY.
$fromDisk = []; // estes podem ter acabado enquanto o servidor estava parado

function workOrder(int $id): void
{
    if (!isAwaited($id)) return;
    $result = change(function (array &$world) use ($id): string {
        $order = &$world['orders'][$id];
        if ($order['state'] !== 'taken') return '';
        if (!isset($world['offers'][$order['item']])) return 'anúncio desconhecido';
        $offer = &$world['offers'][$order['item']];
        if ($offer['quantity'] < $order['quantity']) {
            $order['state'] = 'out-of-stock'; // fica gravado antes do reembolso, que não tem volta
            return '';
        }
        if (isset($world['full'][$order['buyer']])) return 'correio cheio';
        $offer['quantity'] -= $order['quantity']; // estoque, correio e pedido mudam juntos
        $world['mail'][] = [$order['buyer'], $order['item'], $order['quantity'], $id];
        $order['state'] = 'delivered';
        return 'entregue';
    });
    if ($result === 'entregue') say("pedido $id: entregue");
    elseif ($result !== '') putOff($id, $result);
}

// A plataforma ainda espera a entrega? Se não, o fim do pedido está a caminho.
function isAwaited(int $id): bool
{
    global $fromDisk;
    if (!isset($fromDisk[$id])) return true;
    $now = call('transaction.get', ['transactionId' => $id]);
    if (!$now['ok'] || $now['data']['deliveryStatus'] !== 'AGUARDANDO_SERVIDOR') return false;
    unset($fromDisk[$id]);
    return true;
}

function putOff(int $id, string $detail): void
{
    if (!report($id, 'TEMPORARY', $detail)['ok']) return; // a próxima volta tenta de novo
    $isPutOff = change(function (array &$world) use ($id): bool {
        if ($world['orders'][$id]['state'] !== 'taken') return false;
        $world['orders'][$id]['state'] = 'put-off'; // a plataforma envia o pedido de novo
        $world['orders'][$id]['tries']++;
        return true;
    });
    if ($isPutOff) say("pedido $id: adiado");
}

function report(int $id, string $reason, string $detail): array
{
    $world = world();
    return call('transaction.delivery-failure', [
        'transactionId' => $id, 'reason' => $reason, 'detail' => $detail,
        'observedQuantity' => observedQuantity($world, $world['orders'][$id]['item']),
    ]);
}

function reportOutOfStock(int $id): void
{
    finish($id, 'out-of-stock', 'closed', report($id, 'OUT_OF_STOCK', 'vendido no jogo'), 'sem estoque');
}

// 6. Confirmar a entrega até a resposta ser certa. Repetir não faz mal.
function confirm(int $id): void
{
    finish($id, 'delivered', 'confirmed', call('transaction.delivery', ['transactionId' => $id]), 'confirmado');
}

function finish(int $id, string $before, string $after, array $answer, string $text): void
{
    if (!$answer['ok'] && !refused($answer)) return; // a próxima volta tenta de novo
    $isFinished = change(function (array &$world) use ($id, $before, $after, $answer): bool {
        if ($world['orders'][$id]['state'] !== $before) return false; // o fim chegou durante a chamada
        $world['orders'][$id]['state'] = $answer['ok'] ? $after : 'closed';
        return true;
    });
    if ($isFinished) say("pedido $id: " . ($answer['ok'] ? $text : "recusado, avise a equipe: {$answer['message']}"));
}

// 8. O console e o laço principal.
const WORDS = ['link' => 2, 'list' => 5, 'sold' => 3, 'withdraw' => 2, 'buy' => 4, 'full' => 2, 'room' => 2];

function command(array $w): string
{
    static $counter = 0;
    if (count($w) !== (WORDS[$w[0]] ?? 0)) return 'recusado: comando desconhecido ou argumentos errados';
    $id = $w[0] . '-' . str_replace('.', '', (string) microtime(true)) . '-' . ++$counter;
    switch ($w[0]) {
        case 'link':
            return text(call('character.link', ['characterRef' => $w[1]], $id), 'url');
        case 'list':
            return listOffer($w[1], $w[2], (int) $w[3], (int) $w[4]);
        case 'sold':
            $observedQuantity = change(function (array &$world) use ($w): ?int {
                if (($world['offers'][$w[1]]['quantity'] ?? 0) < $w[2]) return null;
                $world['offers'][$w[1]]['quantity'] -= $w[2];
                return observedQuantity($world, $w[1]);
            });
            if ($observedQuantity === null) return 'recusado: não há tanto';
            return text(call('market.adjust-stock', ['itemRef' => $w[1], 'observedQuantity' => $observedQuantity]));
        case 'withdraw':
            $answer = call('market.withdraw', ['itemRef' => $w[1]]);
            change(function (array &$world) use ($w, $answer): void {
                if ($answer['ok'] && isset($world['offers'][$w[1]])) $world['offers'][$w[1]]['state'] = 'withdrawn';
            });
            return text($answer);
        case 'buy':
            return text(call('transaction.create', ['itemRef' => $w[1], 'quantity' => (int) $w[2], 'buyerCharacterRef' => $w[3]], $id), 'checkoutUrl');
        case 'full':
        case 'room':
            change(function (array &$world) use ($w): void {
                if ($w[0] === 'full') $world['full'][$w[1]] = [$w[1]];
                else unset($world['full'][$w[1]]);
            });
            return 'ok';
    }
}

function ordersIn(string $state): array
{
    return array_keys(array_filter(world()['orders'], fn (array $order): bool => $order['state'] === $state));
}

// Uma volta de um segundo. Um pedido é entregue na volta depois daquela que o viu.
function tick(array $seen): array
{
    foreach (world()['offers'] as $item => $offer) {
        if ($offer['state'] === 'registering') say("anúncio $item: " . register($item));
    }
    foreach (ordersIn('out-of-stock') as $id) reportOutOfStock($id);
    $taken = ordersIn('taken');
    foreach (array_intersect($taken, $seen) as $id) workOrder($id);
    foreach (ordersIn('delivered') as $id) confirm($id);
    return $taken;
}

// Uma linha do console, ou null se o tempo passou. No Windows o PHP não consegue esperar pelos dois.
function nextLine(float $seconds): ?string
{
    static $hasConsole = PHP_OS_FAMILY !== 'Windows';
    $microseconds = (int) (1e6 * max(0, $seconds));
    $read = [STDIN];
    $none = null;
    if (!$hasConsole) usleep($microseconds);
    elseif (stream_select($read, $none, $none, 0, $microseconds) === 1) {
        $line = fgets(STDIN);
        $hasConsole = $line !== false; // como serviço, o laço segue sem console
        return $hasConsole ? trim($line) : null;
    }
    return null;
}

function run(string $line): void
{
    $words = preg_split('/ +/', $line);
    say("$words[0]: " . command($words));
}

world();
if ($argc > 1) { // php game.php list espada ana 5 1000: só este comando, ao lado do laço
    run(implode(' ', array_slice($argv, 1)));
    exit;
}
$fromDisk = array_flip(ordersIn('taken'));
say('pronto');
$seen = [];
$next = microtime(true);
while (true) {
    $line = nextLine($next - microtime(true));
    if ($line !== null && $line !== '') run($line);
    if (microtime(true) < $next) continue;
    $seen = tick($seen);
    $next = microtime(true) + 1;
}
