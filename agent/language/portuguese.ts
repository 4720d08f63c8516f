import { portugueseOutputs } from './portuguese-outputs.ts'

/** The texts of `say` in Brazilian Portuguese, by their English text. A test compares both with the program. */
export const portuguese: Readonly<Record<string, string>> = {
  ...portugueseOutputs,
  '(not shown, because it is not a whole path)': '(não mostrado, porque não é um caminho completo)',
  'a directory is where a file must be': 'há um diretório onde deveria haver um arquivo',
  'a disk of this host': 'um disco desta máquina',
  'a file is where a directory must be': 'há um arquivo onde deveria haver um diretório',
  'a file that holds them': 'um arquivo com esses campos',
  'a key of type {0}, not RSA': 'uma chave do tipo {0}, não RSA',
  'a link is where a directory must be': 'há um link onde deveria haver um diretório',
  'a name that is not shown, because it may be a secret': 'um nome que não é mostrado, porque pode ser um segredo',
  'a PowerShell script that installs the service': 'um script PowerShell que instala o serviço',
  'a share': 'um compartilhamento',
  'a unit for several game servers, market-agent@NAME': 'uma unit para vários servidores de jogo, market-agent@NOME',
  'a unit; docs/en/operations/install-linux.md says where it goes':
    'uma unit; docs/pt-BR/operations/install-linux.md mostra onde colocá-la',
  "agrees with the platform's": 'igual ao da plataforma',
  'allow {0} in the proxy, or check HTTPS_PROXY; with NO_PROXY={1} the agent goes around it':
    'libere {0} no proxy ou confira HTTPS_PROXY; com NO_PROXY={1} o agente não passa por ele',
  'an RSA key of {0} bits; at least {1} are wanted': 'uma chave RSA de {0} bits; são necessários pelo menos {1}',
  'answer 2xx when the event is stored': 'responda 2xx quando o evento estiver gravado',
  'Arguments:': 'Argumentos:',
  'as JSON': 'em JSON',
  'as JSON, as GET /status answers': 'em JSON, como GET /status responde',
  'as JSON, as the operation orders.open answers': 'em JSON, como a operação orders.open responde',
  'as JSON, with a JSON Schema of each input': 'em JSON, com o JSON Schema de cada entrada',
  'asks the platform about every open order first': 'antes, pergunta à plataforma sobre cada pedido aberto',
  'call a request <id>.json, in lower case, where <id> has only letters, digits, ".", "_" and "-" and begins with a letter or digit':
    'dê à requisição o nome <id>.json, em minúsculas, em que <id> tem só letras, dígitos, ".", "_" e "-" e começa com uma letra ou um dígito',
  'cannot read {0}: {1} ({2})': 'não foi possível ler {0}: {1} ({2})',
  'check host and port in SERVICE_BASE_URL, and that a firewall lets this host out; if it needs a proxy, set HTTPS_PROXY':
    'confira o endereço e a porta em SERVICE_BASE_URL e se um firewall deixa esta máquina sair; se ela precisa de um proxy, defina HTTPS_PROXY',
  'check host and port in SERVICE_BASE_URL, and that no proxy or firewall answers in place of the platform':
    'confira o endereço e a porta em SERVICE_BASE_URL e se nenhum proxy ou firewall responde no lugar da plataforma',
  "check SERVICE_API_KEY, and that the platform's staff registered the key {0} with the fingerprint {1}":
    'confira SERVICE_API_KEY e se a equipe da plataforma cadastrou a chave {0} com a impressão digital {1}',
  'check SERVICE_BASE_URL and the DNS of this host, for example with: nslookup {0}':
    'confira SERVICE_BASE_URL e o DNS desta máquina, por exemplo com: nslookup {0}',
  'check that its directory exists, on a local disk': 'confira se o diretório existe, em um disco local',
  "check the date of this host; if it is right, the platform's staff must renew the certificate":
    'confira a data desta máquina; se estiver certa, a equipe da plataforma precisa renovar o certificado',
  'check the port in SERVICE_BASE_URL, and that no firewall cuts TLS off; the agent wants TLS 1.2 or newer':
    'confira a porta em SERVICE_BASE_URL e se nenhum firewall corta o TLS; o agente exige TLS 1.2 ou mais novo',
  'Commands:': 'Comandos:',
  'correct the setting': 'corrija a configuração',
  'does nothing without SERVICE_WEBHOOK_PORT': 'não tem efeito sem SERVICE_WEBHOOK_PORT',
  'every user of this host can read {0}': 'todo usuário desta máquina pode ler {0}',
  'example: {0}': 'exemplo: {0}',
  'files can be written in {0}': 'é possível escrever em {0}',
  'for example market.eligibility': 'por exemplo market.eligibility',
  'free space on its disk': 'libere espaço no disco',
  'set SERVICE_STORE_URL, or remove it': 'defina SERVICE_STORE_URL ou remova esta configuração',
  'ignored without SERVICE_STORE_URL': 'não tem efeito sem SERVICE_STORE_URL',
  'has more than 64 characters, or others than letters, digits, ".", "_" and "-"':
    'tem mais de 64 caracteres, ou outros além de letras, dígitos, ".", "_" e "-"',
  'not an address that begins with postgres://': 'não é um endereço que começa com postgres://',
  'has a fragment; write # as %23': 'tem um fragmento; escreva # como %23',
  'has a % that is not part of a %XX; write % as %25': 'tem um % que não faz parte de um %XX; escreva % como %25',
  'names no user': 'não indica um usuário',
  'names no database': 'não indica um banco de dados',
  'has a parameter other than host and port; TLS is not optional':
    'tem um parâmetro além de host e port; o TLS não é opcional',
  'names hosts twice': 'indica os servidores duas vezes',
  'has a port without a host; write host:port': 'tem uma porta sem servidor; escreva servidor:porta',
  'names more than {0} hosts': 'indica mais de {0} servidores',
  'names no host, or one that no host can have': 'não indica um servidor, ou tem um nome que nenhum servidor pode ter',
  'has a port that is not a number from 1 to 65535': 'tem uma porta que não é um número de 1 a 65535',
  'has a parameter host that is not the directory of a Unix socket':
    'tem um parâmetro host que não é o diretório de um socket Unix',
  'look at its host and its log; it works again when it is started':
    'veja a máquina e o log dele; quando for iniciado, ele volta a trabalhar',
  'start an agent that has this SERVICE_WORLD': 'inicie um agente que tenha este SERVICE_WORLD',
  'register items through the agent of their game server': 'registre os itens pelo agente do servidor de jogo deles',
  'name another database in SERVICE_STORE_URL': 'indique outro banco de dados em SERVICE_STORE_URL',
  'the database has the encoding {0}, which cannot hold every text':
    'o banco de dados tem a codificação {0}, que não aceita todos os textos',
  "make another one with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0, and name it in SERVICE_STORE_URL":
    "crie outro com CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0 e indique-o em SERVICE_STORE_URL",
  'let an administrator run the output of: market-agent store schema; or give this user the right CREATE on the database':
    'peça a um administrador que execute a saída de: market-agent store schema; ou dê a este usuário o direito CREATE no banco de dados',
  'several servers accept writes: {0}': 'vários servidores aceitam gravações: {0}',
  'stop the servers that were the primary before, at once: agents that use them know nothing about the others':
    'pare imediatamente os servidores que eram o primário antes: os agentes que os usam não sabem dos outros',
  'set {0} = on in postgresql.conf': 'defina {0} = on no postgresql.conf',
  "set synchronous_standby_names, for example to 'ANY 1 (*)', and leave synchronous_commit = on":
    "defina synchronous_standby_names, por exemplo como 'ANY 1 (*)', e deixe synchronous_commit = on",
  'give each agent a SERVICE_WORLD, or none': 'dê uma SERVICE_WORLD a cada agente, ou a nenhum',
  "PostgreSQL {0} at {1}:{2} accepts writes; its clock minus this host's: {3} s, which does not matter":
    'o PostgreSQL {0} em {1}:{2} aceita gravações; o relógio dele menos o desta máquina: {3} s, o que não importa',
  "{0} is another program's schema": '{0} é um schema de outro programa',
  '{0} does not exist, and this user may not make it': '{0} não existe, e este usuário não pode criá-lo',
  '{0} is off: a power cut may lose or damage everything':
    '{0} está off: uma queda de energia pode perder ou danificar tudo',
  'a failover may lose the last commits, and an id with them':
    'um failover pode perder os últimos commits, e um id com eles',
  'a standby has each commit': 'um standby tem cada commit',
  "each commit is on the server's disk": 'cada commit está no disco do servidor',
  'nobody, because there is no schema yet': 'ninguém, porque ainda não há schema',
  '{0}, lease {1} s': '{0}, lease {1} s',
  'no agent is alive': 'nenhum agente está ativo',
  '{0}; some have a world and some have none, so orders without a world reach only some':
    '{0}; alguns têm um mundo e outros não, e pedidos sem mundo só chegam a alguns',
  'the PostgreSQL store that agents on several hosts share':
    'o banco de dados PostgreSQL que agentes em várias máquinas compartilham',
  'prints the SQL of its schema, for administrators who let no program create tables':
    'mostra o SQL do schema, para administradores que não deixam programas criar tabelas',
  'of the agents; it gets the rights that they need': 'dos agentes; recebe os direitos de que eles precisam',
  store: 'banco',
  'move them with: market-agent store move --to': 'mova-os com: market-agent store move --to',
  'give --to or --from, with the address of the store or with SERVICE_STORE_URL in the settings':
    'informe --to ou --from, com o endereço do banco ou com SERVICE_STORE_URL nas configurações',
  'the address of the store {0}': 'o endereço do banco {0}',
  'moved: {0} ids, {1} orders': 'movidos: {0} ids, {1} pedidos',
  'waits {0} s, because requests of an agent that was killed may still arrive':
    'aguardando {0} s, porque requisições de um agente que foi encerrado à força ainda podem chegar',
  'moves ids and orders of a stopped agent, all or nothing; it can be repeated':
    'move ids e pedidos de um agente parado, tudo ou nada; pode ser repetido',
  'from the state directory into the store, SERVICE_STORE_URL if no address is given':
    'da pasta de estado para o banco; SERVICE_STORE_URL se nenhum endereço for informado',
  'from the store back into the state directory': 'do banco de volta para a pasta de estado',
  WORLD: 'MUNDO',
  'those of the other agents that share the store too': 'também os dos outros agentes que compartilham o banco',
  'shared by {0}': 'compartilhado por {0}',
  'cannot be reached': 'inacessível',
  'look at the database that SERVICE_STORE_URL names': 'verifique o banco de dados indicado em SERVICE_STORE_URL',
  'free space on its disk, or raise the quota': 'libere espaço no disco ou aumente a cota',
  'give an attempt at most a third of the deadline': 'dê a cada tentativa no máximo um terço do prazo',
  'give each game server its own SERVICE_AGENT_PORT': 'dê a cada servidor de jogo a sua própria SERVICE_AGENT_PORT',
  'give it a shorter path': 'use um caminho mais curto',
  'give it or {0}, not both': 'informe esta ou {0}, não as duas',
  "give the agent's user the right to write and read there, and make no file there immutable":
    'dê ao usuário do agente o direito de ler e escrever ali e não deixe nenhum arquivo ali imutável',
  'give the game server a certificate for the host of SERVICE_WEBHOOK_FORWARD_URL, and name a private CA in SERVICE_CA_FILE':
    'dê ao servidor de jogo um certificado para o host de SERVICE_WEBHOOK_FORWARD_URL e informe uma CA própria em SERVICE_CA_FILE',
  'goes to standard output': 'vai para a saída padrão',
  'hard links are allowed': 'hard links são permitidos',
  'holds a certificate that cannot be read': 'contém um certificado que não pode ser lido',
  'holds a user or a fragment': 'contém um usuário ou um fragmento',
  'holds a user, a query or a fragment': 'contém um usuário, uma query ou um fragmento',
  'holds line breaks or the text of a key or certificate; a key is given as the path of its file':
    'contém quebras de linha ou o texto de uma chave ou certificado; a chave é informada pelo caminho do arquivo',
  'holds no certificate in PEM': 'não contém nenhum certificado em PEM',
  'holds spaces, line breaks or characters that no header can carry':
    'contém espaços, quebras de linha ou caracteres que não cabem em um cabeçalho',
  'how the running daemon is: platform, keys, calls, spool, orders':
    'como está o agente em execução: plataforma, chaves, chamadas, spool, pedidos',
  'http is for loopback only; use https': 'http só vale para loopback; use https',
  'idempotency key: an equal call within 10 minutes gets the same answer':
    'chave de idempotência: uma chamada igual em até 10 minutos recebe a mesma resposta',
  "if you expect this issuer, for example your company's proxy, name a file with its certificate (PEM) in SERVICE_CA_FILE; if not, another program answers in place of the platform":
    'se você espera esse emissor, por exemplo o proxy da sua empresa, informe em SERVICE_CA_FILE um arquivo com o certificado (PEM); se não, outro programa responde no lugar da plataforma',
  'ignored, because any server could take the API key':
    'ignorada, porque qualquer servidor poderia obter a chave de API',
  input: 'entrada',
  'install systemd-notify, which comes with systemd; without it use Type=exec and no WatchdogSec in the unit':
    'instale o systemd-notify, que vem com o systemd; sem ele, use na unit Type=exec, sem WatchdogSec',
  'is SERVICE_AGENT_PORT as well; give each a port of its own': 'é igual a SERVICE_AGENT_PORT; dê uma porta a cada uma',
  'is the API key as well': 'é igual à chave de API',
  'is the state directory as well; give each a directory of its own':
    'é também o diretório de estado; dê um diretório a cada um',
  'it cannot be used': 'não pode ser usado',
  'it is on another file system': 'está em outro sistema de arquivos',
  'it sends no Date that the clock of this host could be compared with':
    'ela não envia um Date com que comparar o relógio desta máquina',
  'its Date changes so much that the clock of this host cannot be corrected':
    'o Date da plataforma varia tanto que o relógio desta máquina não pode ser corrigido',
  'its file system is read-only': 'o sistema de arquivos é somente leitura',
  'its name is too long': 'o nome é longo demais',
  'keep one of the lines': 'deixe só uma das linhas',
  'kid {0}': 'kid {0}',
  'leaves out everything that needs the network': 'deixa de fora tudo que precisa da rede',
  'left out by --offline': 'deixado de fora por --offline',
  'left out by --offline: name, TCP, proxy, TLS, address, clock and credentials':
    'deixado de fora por --offline: nome, TCP, proxy, TLS, endereço, relógio e credenciais',
  'left to the proxy {0}': 'fica por conta do proxy {0}',
  'lies in the spool, where game servers write; give it a directory outside':
    'fica dentro do spool, onde os servidores de jogo escrevem; use um diretório fora dele',
  'longer than 200 characters; a kid is the name of the key': 'tem mais de 200 caracteres; um kid é o nome da chave',
  'longer than SERVICE_CALL_DEADLINE_MS, which ends a call before its first attempt may be over':
    'maior que SERVICE_CALL_DEADLINE_MS, que encerra a chamada antes de a primeira tentativa terminar',
  'look at its disk and its rights': 'verifique o disco e as permissões',
  'look at the disk first': 'verifique primeiro o disco',
  'write its name in upper case': 'escreva o nome em maiúsculas',
  'look for its name in docs/en/operations/settings.md': 'procure o nome em docs/pt-BR/operations/settings.md',
  'made if missing; gets signing-key.pem (0600) and signing-key-public.pem':
    'criado se não existir; recebe signing-key.pem (0600) e signing-key-public.pem',
  "make {0} and give it to the agent's user": 'crie {0} e entregue-o ao usuário do agente',
  'makes a signing key and says what the platform needs; never overwrites a file':
    'cria uma chave de assinatura e mostra o que enviar à plataforma; nunca sobrescreve um arquivo',
  missing: 'ausente',
  'missing; give it or {0}': 'ausente; informe esta ou {0}',
  'mount it for writing, or name another directory': 'monte-o para escrita ou informe outro diretório',
  'move away that directory': 'mova esse diretório para outro lugar',
  'move away that file, or name another directory': 'mova esse arquivo para outro lugar ou informe outro diretório',
  'move it away to begin with an empty journal. Do not put an older copy in its place: it does not know which calls were sent since':
    'mova-o para outro lugar para começar com um journal vazio. Não coloque uma cópia antiga no lugar: ela não sabe quais chamadas foram enviadas desde então',
  'move it away to begin with an empty ledger, then compare the paid transactions at the platform with what the game server delivered. Do not put an older copy in its place: it does not know the orders since':
    'mova-o para outro lugar para começar com um registro de pedidos vazio e depois compare as transações pagas na plataforma com o que o servidor de jogo entregou. Não coloque uma cópia antiga no lugar: ela não conhece os pedidos desde então',
  'name a directory on a disk of this host': 'informe um diretório em um disco desta máquina',
  'name of the key at the platform, if you know it already': 'nome da chave na plataforma, se você já sabe qual é',
  'NAME=value lines; the environment wins': 'linhas NOME=valor; as variáveis de ambiente têm prioridade',
  'names one kid twice; each key has a kid of its own': 'repete um kid; cada chave tem o seu',
  'names {0} keys, SERVICE_PLATFORM_PUBLIC_KEY_FILE {1} files; give one file for each kid':
    'informa {0} chaves, e SERVICE_PLATFORM_PUBLIC_KEY_FILE {1} arquivos; informe um arquivo para cada kid',
  'needs outbox and inbox': 'precisa de outbox e inbox',
  'needs SERVICE_PLATFORM_KID and SERVICE_PLATFORM_PUBLIC_KEY_FILE':
    'precisa de SERVICE_PLATFORM_KID e SERVICE_PLATFORM_PUBLIC_KEY_FILE',
  'no answer within 10 s': 'sem resposta em 10 s',
  'no connection to {0} ({1})': 'sem conexão com {0} ({1})',
  'no connection to {0} ({1}), so orders wait': 'sem conexão com {0} ({1}), então os pedidos esperam',
  'no encrypted connection to {0} ({1})': 'sem conexão criptografada com {0} ({1})',
  'no error': 'nenhum erro',
  'no HTTP': 'não é HTTP',
  'no name': 'sem nome',
  'no other user of this host can read a secret': 'nenhum outro usuário desta máquina pode ler um segredo',
  'no such file': 'o arquivo não existe',
  'it is a pipe, which can be read only once': 'é um pipe, que só pode ser lido uma vez',
  'no {0}, or a damaged one; copy the whole file again':
    'não é {0}, ou está danificada; copie o arquivo inteiro de novo',
  'none is set, so webhooks cannot be verified': 'nenhuma configurada, então os webhooks não podem ser verificados',
  'none is used': 'nenhum em uso',
  'none: http on loopback': 'nenhum: http em loopback',
  'not a loopback address; the agent signs for everyone that reaches it':
    'não é um endereço de loopback; o agente assina para todos que chegam até ele',
  'not a NAME=value line': 'não é uma linha NOME=valor',
  'not a path of letters, digits, ".", "_", "~", "-" and "/"':
    'não é um caminho de letras, dígitos, ".", "_", "~", "-" e "/"',
  'not a setting of market-agent': 'não é uma configuração do market-agent',
  'not a setting of market-agent, and ignored': 'não é uma configuração do market-agent e é ignorada',
  'not a whole number from {0} to {1}': 'não é um número inteiro de {0} a {1}',
  'not an http(s) address': 'não é um endereço http(s)',
  'not an IP address of this host, or localhost': 'não é um endereço IP desta máquina nem localhost',
  'not checked, because settings are wrong': 'não verificado, porque há configurações erradas',
  'not checked, because the settings cannot be read': 'não verificado, porque as configurações não podem ser lidas',
  'not checked, because {0} is wrong': 'não verificado, porque {0} está errada',
  'not one of {0}': 'não é um destes: {0}',
  'not reached, because of {0}': 'inacessível, por causa de {0}',
  'nothing can listen at {0} ({1})': 'nada pode escutar em {0} ({1})',
  "nothing is wrong on this host; if it lasts, ask the platform's staff":
    'não há nada errado nesta máquina; se continuar, fale com a equipe da plataforma',
  'nothing listens at {0}, so orders wait': 'nada escuta em {0}, então os pedidos esperam',
  'of the service, one for each game server': 'do serviço, um para cada servidor de jogo',
  'ok, but': 'ok, mas',
  'on Linux raise fs.inotify.max_user_watches; nothing is lost but time':
    'no Linux, aumente fs.inotify.max_user_watches; só se perde tempo',
  'one call through the running daemon; exit 0: ok, 1: refused, 2: usage':
    'uma chamada pelo agente em execução; saída 0: ok, 1: recusada, 2: uso errado',
  'only from {0}': 'só a partir de {0}',
  'open orders of the running daemon: what waits for the game server, and since when':
    'pedidos abertos do agente em execução: o que espera pelo servidor de jogo e desde quando',
  'Options:': 'Opções:',
  'orders leave this host unencrypted': 'os pedidos saem desta máquina sem criptografia',
  'others may write in {0} and put other directories in the place of outbox and inbox':
    'outros usuários podem escrever em {0} e trocar outbox e inbox por outros diretórios',
  'prints a script that completes commands and options in a shell':
    'mostra um script que completa comandos e opções no shell',
  'prints the definition of the service for this host': 'mostra a definição do serviço para esta máquina',
  'prints the version': 'mostra a versão',
  'give a file that stays there, because a reload reads it again':
    'indique um arquivo permanente, porque uma recarga o lê de novo',
  'put a directory in the place of the link': 'coloque um diretório no lugar do link',
  'put it back if it was moved; else start the agent again, and compare the paid transactions at the platform with what the game server delivered: the orders are forgotten':
    'coloque-o de volta se foi movido; senão, inicie o agente de novo e compare as transações pagas na plataforma com o que o servidor de jogo entregou: os pedidos são esquecidos',
  'put it back if it was moved; else start the agent again: what was sent is forgotten, and ids of the last ten minutes are new':
    'coloque-o de volta se foi movido; senão, inicie o agente de novo: o que foi enviado é esquecido, e os ids dos últimos dez minutos são novos',
  'put outbox and inbox on one file system': 'coloque outbox e inbox no mesmo sistema de arquivos',
  'put the spool on a file system with hard links; without them a request that comes back at a stop can replace a newer one':
    'coloque o spool em um sistema de arquivos com hard links; sem eles, um arquivo devolvido em uma parada pode substituir outro mais novo',
  'put user and password into HTTPS_PROXY: http://USER:PASSWORD@{0}':
    'coloque usuário e senha em HTTPS_PROXY: http://USUARIO:SENHA@{0}',
  'raise the limit of open files (LimitNOFILE in systemd, ulimit -n)':
    'aumente o limite de arquivos abertos (LimitNOFILE no systemd, ulimit -n)',
  'reads the input from standard input': 'lê a entrada da entrada padrão',
  'remove that file; it contains nothing else': 'remova esse arquivo; ele não contém mais nada',
  'RSA private key in PEM (PKCS#8 or PKCS#1)': 'uma chave privada RSA em PEM (PKCS#8 ou PKCS#1)',
  'RSA public key in PEM': 'uma chave pública RSA em PEM',
  'RSA, {0} bits, kid {1}, fingerprint {2} (SHA-256 of the public key)':
    'RSA, {0} bits, kid {1}, impressão digital {2} (SHA-256 da chave pública)',
  'run it as that user: runuser -u "$(id -nu {0})" -- market-agent check':
    'execute como esse usuário: runuser -u "$(id -nu {0})" -- market-agent check',
  'run: {0}': 'execute: {0}',
  'SERVICE_SPOOL_DIR of the agent; %i stands for NAME': 'SERVICE_SPOOL_DIR do agente; %i representa o NOME',
  "set SERVICE_BASE_URL as the platform's staff wrote it, with each part of its path":
    'escreva SERVICE_BASE_URL como a equipe da plataforma informou, com cada parte do caminho',
  'set SERVICE_BASE_URL to the name that is in the certificate of the platform':
    'use em SERVICE_BASE_URL o nome que está no certificado da plataforma',
  'set SERVICE_STATE_DIR to a directory of its own': 'use em SERVICE_STATE_DIR um diretório só do agente',
  'set the clock, and keep it right: timedatectl set-ntp true, on Windows w32tm /resync':
    'acerte o relógio e mantenha-o certo: timedatectl set-ntp true, no Windows w32tm /resync',
  'set the clock, and keep it right: timedatectl set-ntp true, on Windows w32tm /resync; if the clock is right, check SERVICE_API_KEY and SERVICE_SIGNING_KID':
    'acerte o relógio e mantenha-o certo: timedatectl set-ntp true, no Windows w32tm /resync; se o relógio estiver certo, confira SERVICE_API_KEY e SERVICE_SIGNING_KID',
  'set {0} to an address of this host': 'use em {0} um endereço desta máquina',
  'set {0} to another port': 'use em {0} outra porta',
  'set {0} to {1} or above': 'use em {0} um valor de {1} em diante',
  'settings of the agent; %i stands for NAME': 'configurações do agente; %i representa o NOME',
  'settings, keys, directories, ports and the way to the platform, with cures; exit 1: something is wrong':
    'configurações, chaves, diretórios, portas e o caminho até a plataforma, com soluções; saída 1: há algo errado',
  'shows the help of a command': 'mostra a ajuda de um comando',
  'shows this help': 'mostra esta ajuda',
  'Signs, sends and remembers the calls of a game server to the marketplace.':
    'Assina, envia e guarda as chamadas de um servidor de jogo ao mercado.',
  'start that version again': 'inicie de novo aquela versão',
  'start the agent again: it makes what is missing': 'inicie o agente de novo: ele cria o que falta',
  'start the game server, or correct SERVICE_WEBHOOK_FORWARD_URL':
    'inicie o servidor de jogo ou corrija SERVICE_WEBHOOK_FORWARD_URL',
  'start the proxy, or check HTTPS_PROXY; with NO_PROXY={0} the agent goes around it':
    'inicie o proxy ou confira HTTPS_PROXY; com NO_PROXY={0} o agente não passa por ele',
  'stop that agent, or give this one a SERVICE_STATE_DIR of its own':
    'pare esse agente ou dê a este uma SERVICE_STATE_DIR própria',
  'stop the program that has this port, or set {0} to a free port':
    'pare o programa que usa esta porta ou use em {0} uma porta livre',
  "the agent's user may not work with it": 'o usuário do agente não tem permissão para usá-lo',
  "the answer of {0} is not in the platform's form ({1})": 'a resposta de {0} não tem o formato da plataforma ({1})',
  'the certificate of {0} has an issuer that this host does not trust: {1} ({2})':
    'o certificado de {0} tem um emissor em que esta máquina não confia: {1} ({2})',
  'the certificate of {0} is for another name: {1} ({2})': 'o certificado de {0} é para outro nome: {1} ({2})',
  'the certificate of {0} is trusted': 'o certificado de {0} é confiável',
  'the certificate of {0} is valid {1} ({2})': 'o certificado de {0} é válido {1} ({2})',
  "the clock of this host is {0} s ahead of the platform's; the agent corrects it in what it signs":
    'o relógio desta máquina está {0} s adiantado em relação ao da plataforma; o agente corrige isso no que assina',
  "the clock of this host is {0} s behind the platform's; the agent corrects it in what it signs":
    'o relógio desta máquina está {0} s atrasado em relação ao da plataforma; o agente corrige isso no que assina',
  'the daemon; exit 2: configuration or port, 3: another agent uses the spool or the state':
    'o agente; saída 2: configuração ou porta, 3: outro agente usa o spool ou o estado',
  'the disk fails': 'o disco falha',
  'the disk is full': 'o disco está cheio',
  "the disk quota of the agent's user is used up": 'a cota de disco do usuário do agente acabou',
  'the fields of the operation as a JSON object': 'os campos da operação como um objeto JSON',
  'the file is empty: {0}': 'o arquivo está vazio: {0}',
  'the game server at {0} accepts connections': 'o servidor de jogo em {0} aceita conexões',
  'the group of {0} may not write in {1}': 'o grupo de {0} não pode escrever em {1}',
  'the name {0} cannot be resolved ({1})': 'o nome {0} não pôde ser resolvido ({1})',
  "the next call tries again; if it lasts, ask the platform's staff":
    'a próxima chamada tenta de novo; se continuar, fale com a equipe da plataforma',
  'the platform answers at {0}/v1': 'a plataforma responde em {0}/v1',
  'the platform answers HTTP 404, so {0}/v1 may be the wrong address':
    'a plataforma responde HTTP 404, então {0}/v1 pode ser o endereço errado',
  'the platform refuses the API key or the signature, and the clock is right (HTTP 401{0})':
    'a plataforma recusa a chave de API ou a assinatura, e o relógio está certo (HTTP 401{0})',
  'the platform refuses the call (HTTP 401{0}), and {1}': 'a plataforma recusa a chamada (HTTP 401{0}), e {1}',
  'the platform sends no Date to compare the clock of this host with':
    'a plataforma não envia um Date com que comparar o relógio desta máquina',
  'the platform takes the API key and what {0} signs': 'a plataforma aceita a chave de API e o que {0} assina',
  'the proxy {0} cannot be reached ({1})': 'o proxy {0} não pôde ser acessado ({1})',
  'the proxy {0} refuses a connection to {1} (CONNECT, HTTP {2})':
    'o proxy {0} recusa uma conexão com {1} (CONNECT, HTTP {2})',
  'the rights of group and others are as they must be': 'as permissões do grupo e dos outros estão como devem estar',
  'the running daemon reads keys, token and log level again; no call is lost':
    'o agente em execução lê de novo chaves, token e nível de log; nenhuma chamada se perde',
  'the same as the owner of the state directory': 'o mesmo dono do diretório de estado',
  'the spool cannot be used': 'o spool não pode ser usado',
  'the spool does not exist yet': 'o spool ainda não existe',
  'this is a private key; the public key of the platform is needed':
    'esta é uma chave privada; é preciso a chave pública da plataforma',
  'this is a public key; the private key that belongs to it is needed':
    'esta é uma chave pública; é preciso a chave privada correspondente',
  'this key is encrypted; decrypt it with: openssl pkey -in ENCRYPTED -out signing-key.pem':
    'esta chave está criptografada; abra-a com: openssl pkey -in CRIPTOGRAFADA -out signing-key.pem',
  'too many files are open': 'há arquivos abertos demais',
  'trust a private CA with SERVICE_CA_FILE': 'para confiar em uma CA própria, use SERVICE_CA_FILE',
  'until {0}': 'até {0}',
  'Usage:': 'Uso:',
  'use https, or a game server on this host': 'use https ou um servidor de jogo nesta máquina',
  'waits for the other agent to end and takes over at once': 'espera o outro agente terminar e assume na hora',
  'what the running daemon can do': 'o que o agente em execução sabe fazer',
  'write a request as a regular file, and remove what is not one':
    'grave a requisição como um arquivo comum e remova o que não for um',
  'write NAME=value, or remove the line': 'escreva NOME=valor ou remova a linha',
  'write the request under another name': 'grave a requisição com outro nome',
  wrong: 'errado',
  '{0} answers at the port of these settings and does not use {1}':
    '{0} responde na porta destas configurações e não usa {1}',
  '{0} belongs to another user (uid {1}), so what is said here about rights is not true for the agent':
    '{0} pertence a outro usuário (uid {1}), então o resultado sobre permissões não vale para o agente',
  '{0} do not exist yet; the first start makes them': '{0} ainda não existem; a primeira execução os cria',
  '{0} does not exist': '{0} não existe',
  '{0} does not exist yet; the first start makes it': '{0} ainda não existe; a primeira execução o cria',
  '{0} does not exist, and {1} cannot be written ({2})': '{0} não existe, e não é possível escrever em {1} ({2})',
  '{0} has an address': '{0} tem um endereço',
  '{0} has an error of its own (HTTP {1}{2})': '{0} tem um erro próprio (HTTP {1}{2})',
  '{0} is a link, and nothing is read or written there': '{0} é um link, e nada é lido nem escrito ali',
  "{0} is another program's database": '{0} é o banco de dados de outro programa',
  '{0} is free': '{0} está livre',
  '{0} is given twice': '{0} aparece duas vezes',
  '{0} is locked by another market-agent ({1}), which does not listen at the port of these settings':
    '{0} está bloqueado por outro market-agent ({1}), que não escuta na porta destas configurações',
  '{0} is not a database': '{0} não é um banco de dados',
  '{0} is not in use': '{0} não está em uso',
  '{0} is on a network file system ({1})': '{0} está em um sistema de arquivos de rede ({1})',
  '{0} is used by the {1} that runs now': '{0} é usado pelo {1} que está em execução',
  '{0} opens a tunnel to {1}': '{0} abre um túnel até {1}',
  '{0} takes connections': '{0} aceita conexões',
  '{0} took the connection and gave no whole answer ({1})':
    '{0} aceitou a conexão e não deu uma resposta completa ({1})',
  '{0} was last used by {1}; whether that agent still runs is not visible here':
    '{0} foi usado por último por {1}; daqui não dá para saber se esse agente ainda está em execução',
  '{0} was written by a newer market-agent (version {1}, this one knows {2})':
    '{0} foi escrito por um market-agent mais novo (versão {1}; este conhece a {2})',
  '{0}, line {1}': '{0}, linha {1}',
  '{0}: a file could be written in the outbox and renamed into the inbox':
    '{0}: foi possível escrever um arquivo na outbox e movê-lo para a inbox',
  '{0}: a free port is taken at each start': '{0}: uma porta livre é escolhida a cada inicialização',
  '{0}: a market-agent listens there now': '{0}: um market-agent escuta ali agora',
  '{0}: another program has this port': '{0}: outro programa usa esta porta',
  '{0}: hard links are not allowed ({1})': '{0}: hard links não são permitidos ({1})',
  '{0}: its disk is full, so lines are lost': '{0}: o disco está cheio, então linhas se perdem',
  '{0}: this user may open no port below {1}': '{0}: este usuário não pode abrir portas abaixo de {1}',
  '{0}: version {1}': '{0}: versão {1}',
  '{0}: version {1}. Damage inside is found at the start':
    '{0}: versão {1}. Danos internos são encontrados na inicialização',
  '{0}: version {1}; the next start makes version {2} of it':
    '{0}: versão {1}; a próxima inicialização converte para a versão {2}',
  '{0}: {1} are free': '{0}: {1} livres',
  '{0}: {1} are free, and the first start needs {2}': '{0}: {1} livres, e a primeira execução precisa de {2}',
  '{0}: {1} are free. A quota is seen only when it is used up: 64 KiB were written':
    '{0}: {1} livres. Uma cota só é vista quando acaba: 64 KiB foram escritos',
  'answer a transfer_order with {"observedQuantity": n, "result": "DELIVERED"}':
    'responda a um transfer_order com {"observedQuantity": n, "result": "DELIVERED"}',
  "check SERVICE_BASE_URL and SERVICE_API_KEY, and ask the platform's staff about the transaction":
    'confira SERVICE_BASE_URL e SERVICE_API_KEY e pergunte à equipe da plataforma sobre a transação',
  'if its item is sold here, check SERVICE_BASE_URL and SERVICE_API_KEY; if not, another game server has this address for webhooks':
    'se o item é vendido aqui, confira SERVICE_BASE_URL e SERVICE_API_KEY; se não, outro servidor de jogo usa este endereço para webhooks',
  "tell the platform's staff: the signature is valid, and the event is not one of the interface":
    'avise a equipe da plataforma: a assinatura é válida, mas o evento não é um da interface',
  'if the platform has a new key, add it to SERVICE_PLATFORM_KID and SERVICE_PLATFORM_PUBLIC_KEY_FILE':
    'se a plataforma tem uma chave nova, acrescente-a a SERVICE_PLATFORM_KID e SERVICE_PLATFORM_PUBLIC_KEY_FILE',
  'check that SERVICE_PLATFORM_PUBLIC_KEY_FILE has the key of this kid, and that no proxy changes bodies':
    'confira se SERVICE_PLATFORM_PUBLIC_KEY_FILE tem a chave deste kid e se nenhum proxy altera os corpos',
  'nothing, if it is an old copy; if not, check the clock of this host':
    'nada, se for uma cópia antiga; se não, confira o relógio desta máquina',
  'nothing: the platform sends no such envelope': 'nada: a plataforma não envia um envelope assim',
  'reply to an order with one result: the first one counts': 'responda a cada pedido com um só result: o primeiro vale',
  'report TEMPORARY where the item exists and cannot be handed over now; a refund cannot be undone':
    'informe TEMPORARY quando o item existe mas não pode ser entregue agora; um estorno não pode ser desfeito',
  'the buyer has the item and the money: take the item back, or settle it with the buyer':
    'o comprador tem o item e o dinheiro: recolha o item ou resolva com o comprador',
  'the platform says that it was delivered: check whether the buyer has the item, and give it if not':
    'a plataforma informa que foi entregue: confira se o comprador tem o item e entregue se não tiver',
  'does nothing without SERVICE_WEBHOOK_FORWARD_URL': 'não tem efeito sem SERVICE_WEBHOOK_FORWARD_URL',
  'url needs SERVICE_WEBHOOK_FORWARD_URL': 'url precisa de SERVICE_WEBHOOK_FORWARD_URL',
  'files needs SERVICE_SPOOL_DIR': 'files precisa de SERVICE_SPOOL_DIR',
}
