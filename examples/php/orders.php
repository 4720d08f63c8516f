<?php
// A página que recebe os pedidos. Para testar: php -S 127.0.0.1:9000 orders.php
// Com Apache ou nginx ela fica na pasta pública, e world.txt, fora dela.

require __DIR__ . '/world.php';

// 4. Receber um pedido: primeiro o disco, depois a resposta. O mesmo pedido pode vir mais de uma vez.
function takeOrder(array $event): int
{
    $id = $event['transactionId'];
    [$isNew, $observedQuantity] = change(function (array &$world) use ($id, $event): array {
        $item = $event['itemRef'];
        $order = $world['orders'][$id] ?? null;
        $isNew = !$order || $order['state'] === 'put-off';
        if ($isNew) {
            $world['orders'][$id] = array_combine(ORDER, [$id, 'taken', $item, $event['quantity'], $event['buyerCharacterRef'], $order['tries'] ?? 0]);
            if (($world['offers'][$item]['state'] ?? '') === 'registering') $world['offers'][$item]['state'] = 'listed';
        }
        return [$isNew, observedQuantity($world, $item)];
    });
    if ($isNew) say("pedido $id: recebido");
    return $observedQuantity;
}

// 7. O fim de um pedido. O que foi entregue fica entregue.
function endOrder(array $event): void
{
    $id = $event['transactionId'];
    $isOver = change(function (array &$world) use ($id): bool {
        if (($world['orders'][$id]['state'] ?? 'closed') === 'closed') return false;
        $world['orders'][$id]['state'] = 'closed';
        return true;
    });
    if ($isOver) say("pedido $id: encerrado {$event['outcome']}");
}

// Só o agente, nesta máquina, envia pedidos: ninguém pela internet, nenhum proxy, nenhuma página web.
$isLocal = in_array($_SERVER['REMOTE_ADDR'], ['127.0.0.1', '::1']);
if (!$isLocal || isset($_SERVER['HTTP_X_FORWARDED_FOR']) || isset($_SERVER['HTTP_ORIGIN'])) {
    http_response_code(403);
    exit;
}
http_response_code(500); // até estar gravado
$event = json_decode(file_get_contents('php://input'), true);
$reply = new stdClass();
$status = 200;
switch ($event['event'] ?? '') {
    case 'transfer_order':
        $reply->observedQuantity = takeOrder($event);
        break;
    case 'transaction_terminal':
        endOrder($event);
        break;
    default:
        $status = 400;
}
http_response_code($status);
header('Content-Type: application/json');
echo json_encode($reply);
