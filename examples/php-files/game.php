<?php
// Um servidor de jogo pequeno e completo para o cron, só com arquivos. Cada execução dá uma volta e termina.
// PHP 7.4 ou mais novo, sem bibliotecas. O README.pt-BR.md diz como iniciar e o que digitar.

final class Game
{
    private string $spool;
    private string $dir;
    private array $offers = [];
    private array $orders = [];
    private array $mail = [];
    private array $full = [];
    private string $started;
    private int $count = 0;

    public function __construct(string $spool, string $dir)
    {
        $this->spool = $spool;
        $this->dir = $dir;
        $this->started = (string) (int) (microtime(true) * 1e6); // os ids não se repetem na próxima execução
    }

    // 1. O mundo: fica na memória e é gravado inteiro a cada mudança. No seu jogo é o banco de dados.

    public function load(): void
    {
        if (!is_file("$this->dir/world.txt")) return;
        foreach (file("$this->dir/world.txt", FILE_IGNORE_NEW_LINES | FILE_SKIP_EMPTY_LINES) as $line) {
            $w = explode(' ', $line);
            if ($w[0] === 'offer') {
                $this->offers[$w[1]] = ['state' => $w[2], 'try' => (int) $w[3], 'seller' => $w[4], 'quantity' => (int) $w[5], 'cents' => (int) $w[6]];
            } elseif ($w[0] === 'order') {
                $this->orders[(int) $w[1]] = ['state' => $w[2], 'item' => $w[3], 'quantity' => (int) $w[4], 'buyer' => $w[5], 'tries' => (int) $w[6]];
            } elseif ($w[0] === 'mail') {
                $this->mail[] = $line;
            } elseif ($w[0] === 'full') {
                $this->full[$w[1]] = true;
            }
        }
    }

    private function save(): void
    {
        $text = '';
        foreach ($this->offers as $item => $o) $text .= "offer $item $o[state] $o[try] $o[seller] $o[quantity] $o[cents]\n";
        foreach ($this->orders as $id => $o) $text .= "order $id $o[state] $o[item] $o[quantity] $o[buyer] $o[tries]\n";
        foreach ($this->mail as $line) $text .= "$line\n";
        foreach ($this->full as $buyer => $_) $text .= "full $buyer\n";
        self::write("$this->dir/world.txt", $text);
    }

    // O arquivo aparece inteiro ou não aparece. Se o disco falhar, o programa termina aqui, antes de responder a alguém.
    private static function write(string $path, string $text): void
    {
        $temporary = dirname($path) . '/.' . basename($path) . '.tmp';
        $file = fopen($temporary, 'wb');
        $isWritten = $file && fwrite($file, $text) === strlen($text) && fflush($file);
        if ($isWritten && function_exists('fsync')) $isWritten = fsync($file); // PHP 8.1: resiste a uma queda de energia
        if (!$isWritten || !fclose($file) || !rename($temporary, $path)) throw new RuntimeException("$path: não foi possível gravar");
    }

    // 2. Chamar o agente: um arquivo em outbox/, a resposta em inbox/.

    // O arquivo da resposta é apagado com forget(), só depois de agir e gravar.
    private function call(string $action, array $input, string $id): array
    {
        $request = "$this->spool/outbox/$id.json";
        $inbox = "$this->spool/inbox/$id.json";
        // Uma resposta que chegou antes de uma queda nossa vale: o id é da mesma chamada.
        if (!is_file($inbox)) self::write($request, json_encode(['action' => $action] + $input, JSON_THROW_ON_ERROR));
        for ($tries = 0; $tries < 600; $tries++) {
            $text = @file_get_contents($inbox);
            if ($text !== false) return json_decode($text, true, 32, JSON_THROW_ON_ERROR);
            usleep(100000);
        }
        @unlink($request); // o agente não está rodando: retira o pedido, se ele ainda estiver lá
        return ['ok' => false, 'uncertain' => true]; // sem resposta
    }

    private function forget(string $id): void
    {
        @unlink("$this->spool/inbox/$id.json");
    }

    // Uma chamada que não precisa da sua resposta depois de uma queda: um id novo a cada vez.
    private function callAnew(string $action, array $input, string $name): array
    {
        $id = "$name-$this->started-" . ++$this->count;
        $answer = $this->call($action, $input, $id);
        $this->forget($id);
        return $answer;
    }

    // Uma recusa certa. Os outros erros passam: a próxima volta tenta de novo.
    private static function isRefused(array $answer): bool
    {
        $status = $answer['status'] ?? 500;
        return !$answer['ok'] && empty($answer['uncertain']) && ($answer['code'] ?? '') !== 'ID_REUSED'
            && $status < 500 && !in_array($status, [401, 408, 425, 429], true);
    }

    // As unidades para outros compradores. As de pedidos recebidos e não entregues estão reservadas.
    private function observedQuantity(string $item): int
    {
        $left = $this->offers[$item]['quantity'] ?? 0;
        foreach ($this->orders as $o) {
            if ($o['item'] === $item && in_array($o['state'], ['taken', 'put-off'], true)) $left -= $o['quantity'];
        }
        return max(0, $left);
    }

    // 3. Anunciar. O número da tentativa está gravado: depois de uma queda, a mesma chamada vai com o mesmo id.

    private function register(string $item, bool $isRepeated): array
    {
        $offer = &$this->offers[$item];
        $id = "register-$item-$offer[try]";
        $answer = $this->call('market.register', [
            'itemRef' => $item,
            'gameItemId' => $item,
            'itemName' => $item,
            'attributes' => 'Item do jogo',
            'quantityListed' => $offer['quantity'],
            'unitAmountCents' => $offer['cents'],
            'sellerCharacterRef' => $offer['seller'],
        ], $id);
        // Repetida, o 409 diz que a tentativa anterior anunciou.
        if ($answer['ok'] || ($isRepeated && ($answer['status'] ?? 0) === 409)) $offer['state'] = 'listed';
        elseif (self::isRefused($answer)) $offer['state'] = 'refused';
        else $offer['try']++;
        $this->save();
        $this->forget($id);
        return $answer;
    }

    // 4. Receber um pedido: primeiro gravar, depois responder. O mesmo pedido pode chegar outra vez.

    private function take(int $id, array $event): array
    {
        $known = $this->orders[$id] ?? null;
        if (!$known || $known['state'] === 'put-off') {
            $this->orders[$id] = [
                'state' => 'taken',
                'item' => $event['itemRef'],
                'quantity' => $event['quantity'],
                'buyer' => $event['buyerCharacterRef'],
                'tries' => $known['tries'] ?? 0,
            ];
            $this->save();
            echo "pedido $id: recebido\n";
        }
        return ['observedQuantity' => $this->observedQuantity($event['itemRef'])];
    }

    // 5. Entregar, ou dizer por que não. OUT_OF_STOCK devolve o dinheiro: só com certeza. Na dúvida, TEMPORARY.

    // O pedido é de uma execução anterior e pode ter acabado desde então. A plataforma sabe.
    private function isAwaited(int $id): bool
    {
        $now = $this->callAnew('transaction.get', ['transactionId' => $id], "ask-$id");
        return ($now['deliveryStatus'] ?? '') === 'AGUARDANDO_SERVIDOR';
    }

    private function deliver(int $id): void
    {
        if (!$this->isAwaited($id)) return;
        $order = &$this->orders[$id];
        $offer = $this->offers[$order['item']] ?? null;
        if ($offer && $offer['quantity'] < $order['quantity']) {
            $order['state'] = 'out-of-stock';
            $this->save(); // a decisão fica gravada antes do relato
            echo "pedido $id: sem estoque\n";
        } elseif (!$offer || isset($this->full[$order['buyer']])) {
            $this->putOff($id);
        } else {
            // O item sai do vendedor e entra no correio do comprador na mesma gravação em que o pedido fica entregue.
            $this->offers[$order['item']]['quantity'] -= $order['quantity'];
            $this->mail[] = "mail $order[buyer] $order[item] $order[quantity] $id";
            $order['state'] = 'delivered';
            $this->save();
            echo "pedido $id: entregue\n";
        }
    }

    private function failure(int $id, string $reason): array
    {
        return ['transactionId' => $id, 'reason' => $reason, 'observedQuantity' => $this->observedQuantity($this->orders[$id]['item'])];
    }

    private function putOff(int $id): void
    {
        $order = &$this->orders[$id];
        $callId = "failed-$id-$order[tries]";
        $answer = $this->call('transaction.delivery-failure', $this->failure($id, 'TEMPORARY'), $callId);
        if ($answer['ok']) $order['state'] = 'put-off';
        $order['tries']++; // o próximo relato tem outro id
        $this->save();
        $this->forget($callId);
        if ($answer['ok']) echo "pedido $id: adiado\n";
    }

    private function reportOutOfStock(int $id): void
    {
        $answer = $this->callAnew('transaction.delivery-failure', $this->failure($id, 'OUT_OF_STOCK'), "gone-$id");
        $this->settle($id, $answer, 'closed');
    }

    // O estado depois de um "ok". Com uma recusa certa não adianta repetir: a equipe do jogo decide.
    private function settle(int $id, array $answer, string $state): void
    {
        if (!$answer['ok'] && !self::isRefused($answer)) return;
        $this->orders[$id]['state'] = $answer['ok'] ? $state : 'closed';
        $this->save();
        if (!$answer['ok']) echo "pedido $id: recusado: $answer[message]\n";
        elseif ($state === 'confirmed') echo "pedido $id: confirmado\n";
    }

    // 6. Confirmar a entrega, até a resposta ser certa.

    private function confirm(int $id): void
    {
        $answer = $this->callAnew('transaction.delivery', ['transactionId' => $id], "deliver-$id");
        $this->settle($id, $answer, 'confirmed');
    }

    // 7. O fim de um pedido. Um que não foi entregue não é mais entregue.

    private function end(int $id, array $event): array
    {
        if (isset($this->orders[$id])) {
            $this->orders[$id]['state'] = 'closed';
            $this->save();
            echo "pedido $id: encerrado $event[outcome]\n";
        }
        return [];
    }

    // Cada evento é um arquivo. A resposta tem o mesmo nome, em replies/; o agente apaga os dois.
    private function eachEvent(string $kind, callable $answerEvent): void
    {
        foreach (glob("$this->spool/events/$kind-*.json") as $path) {
            $reply = "$this->spool/replies/" . basename($path);
            if (is_file($reply)) continue; // o agente ainda vai ler
            $text = @file_get_contents($path);
            if ($text === false) continue; // o agente acaba de apagar
            $event = json_decode($text, true, 32, JSON_THROW_ON_ERROR);
            self::write($reply, json_encode((object) $answerEvent($event['transactionId'], $event)));
        }
    }

    // 8. Console e volta.

    public function tick(): void
    {
        $this->readConsole();
        // Os fins antes das entregas: o que acabou não é mais entregue.
        $this->eachEvent('transaction_terminal', fn ($id, $event) => $this->end($id, $event));
        foreach ($this->offers as $item => $o) if ($o['state'] === 'registering') $this->register($item, true);
        foreach ($this->idsOf('out-of-stock') as $id) $this->reportOutOfStock($id);
        foreach ($this->idsOf('taken') as $id) $this->deliver($id);
        foreach ($this->idsOf('delivered') as $id) $this->confirm($id);
        $this->eachEvent('transfer_order', fn ($id, $event) => $this->take($id, $event));
    }

    private function idsOf(string $state): array
    {
        return array_keys(array_filter($this->orders, fn ($o) => $o['state'] === $state));
    }

    // Os comandos são as linhas de console.txt. O nome muda antes da leitura: quem escreve depois faz outro arquivo.
    private function readConsole(): void
    {
        $now = "$this->dir/console.now";
        if (!is_file($now) && !@rename("$this->dir/console.txt", $now)) return;
        $lines = file($now, FILE_IGNORE_NEW_LINES | FILE_SKIP_EMPTY_LINES);
        unlink($now);
        foreach ($lines as $line) {
            [$name, $rest] = explode(' ', trim($line), 2) + ['', ''];
            $isValid = preg_match(self::COMMANDS[$name] ?? '/^(?!)/', $rest, $words);
            echo "$name: " . ($isValid ? $this->command($name, $words) : 'recusado: comando desconhecido') . "\n";
        }
    }

    // A forma dos argumentos de cada comando.
    private const COMMANDS = [
        'link' => '/^(\S+)$/',
        'list' => '/^([A-Za-z0-9][\w.-]*) (\S+) (\d+) (\d+)$/',
        'sold' => '/^(\S+) (\d+)$/',
        'withdraw' => '/^(\S+)$/',
        'buy' => '/^(\S+) (\d+) (\S+)$/',
        'full' => '/^(\S+)$/',
        'room' => '/^(\S+)$/',
    ];

    private function command(string $name, array $w): string
    {
        switch ($name) {
            case 'link':
                $answer = $this->callAnew('character.link', ['characterRef' => $w[1]], 'link');
                return self::result($answer, $answer['url'] ?? '');
            case 'list':
                return $this->list($w[1], $w[2], (int) $w[3], (int) $w[4]);
            case 'sold':
                if (($this->offers[$w[1]]['quantity'] ?? -1) < (int) $w[2]) return 'recusado: não há essa quantidade';
                $this->offers[$w[1]]['quantity'] -= (int) $w[2];
                $this->save();
                $input = ['itemRef' => $w[1], 'observedQuantity' => $this->observedQuantity($w[1])];
                return self::result($this->callAnew('market.adjust-stock', $input, 'adjust'), 'ok');
            case 'withdraw':
                $answer = $this->callAnew('market.withdraw', ['itemRef' => $w[1]], 'withdraw');
                if ($answer['ok'] && isset($this->offers[$w[1]])) $this->offers[$w[1]]['state'] = 'withdrawn';
                $this->save();
                return self::result($answer, 'ok');
            case 'buy':
                $input = ['itemRef' => $w[1], 'quantity' => (int) $w[2], 'buyerCharacterRef' => $w[3]];
                $answer = $this->callAnew('transaction.create', $input, 'buy');
                return self::result($answer, $answer['checkoutUrl'] ?? '');
            case 'full':
                $this->full[$w[1]] = true;
                break;
            case 'room':
                unset($this->full[$w[1]]);
                break;
        }
        $this->save();
        return 'ok';
    }

    private function list(string $item, string $seller, int $quantity, int $cents): string
    {
        $known = $this->offers[$item] ?? null;
        if ($known && $known['state'] !== 'refused') return 'recusado: este item já foi anunciado';
        // Depois de uma recusa, uma tentativa nova com um id novo.
        $try = ($known['try'] ?? 0) + 1;
        $this->offers[$item] = ['state' => 'registering', 'try' => $try, 'seller' => $seller, 'quantity' => $quantity, 'cents' => $cents];
        $this->save();
        return self::result($this->register($item, false), 'ok');
    }

    private static function result(array $answer, string $text): string
    {
        if ($answer['ok']) return $text;
        return self::isRefused($answer) ? 'recusado: ' . $answer['message'] : 'sem resposta';
    }
}

$spool = getenv('SERVICE_SPOOL_DIR') ?: 'spool';
$dir = getenv('WORLD_DIR') ?: 'world';
if (!is_dir($dir)) mkdir($dir, 0777, true);
$lock = fopen("$dir/lock", 'c');
if (!flock($lock, LOCK_EX | LOCK_NB)) exit; // a execução anterior ainda trabalha
if (!is_file("$spool/agent.json")) exit("o agente ainda não rodou em $spool\n");
$game = new Game($spool, $dir);
$game->load();
echo "pronto\n";
$game->tick();
