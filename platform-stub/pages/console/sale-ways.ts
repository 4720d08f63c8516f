import { type OperationName, operations } from '../../../contract/operations.ts'
import { curlLine, shellWord } from '../browser/curl-line.js'

/** How a game server gets its orders: the agent posts them, it asks for them, or they are files. */
type Orders = 'push' | 'ask' | 'files'

/** One call of the agent. */
interface Call {
  readonly operation: OperationName
  readonly input: object
  /** The same for each repetition of a call that must happen once. */
  readonly id: string
}

/** A way through the first sale: calls that are typed by hand, or an example that is started and told what to do. */
export type Way = {
  /** Null for the one whose name is in the catalogue of texts. */
  readonly name: string | null
  readonly orders: Orders
} & (
  | { readonly call: (call: Call) => string; readonly prepare?: string }
  | { readonly start: string; readonly tell: (command: string) => string }
)

const agentUrl = 'http://127.0.0.1:8899/call'

/** The body of a call by HTTP: with an id where it must not happen twice. */
function bodyOf({ id, operation, input }: Call): string {
  return JSON.stringify({ ...(mustHappenOnce(operation) && { id }), operation, input })
}

function mustHappenOnce(name: OperationName): boolean {
  const operation = operations[name]
  return operation.kind === 'platform' && operation.retry === 'once'
}

const typed = (command: string) => command
const appended = (command: string) => `echo "${command}" >> world/console.txt`
const files = { orders: 'files', tell: appended } as const

/** The ways through the first sale, by the word in the address. The examples are in `examples/` of the repository. */
export const saleWays = {
  curl: {
    name: 'curl',
    orders: 'ask',
    call: (call) => curlLine({ method: 'POST', url: agentUrl, body: bodyOf(call) }),
  },
  powershell: {
    name: 'PowerShell',
    orders: 'ask',
    call: (call) => {
      const body = bodyOf(call).replaceAll("'", "''")
      return `Invoke-RestMethod ${agentUrl} -Method Post -ContentType application/json -Body '${body}' | ConvertTo-Json -Depth 9`
    },
  },
  files: {
    name: null,
    orders: 'files',
    prepare: [
      'call() {',
      `  printf '%s' "$2" > "spool/outbox/.$1.tmp" && mv "spool/outbox/.$1.tmp" "spool/outbox/$1.json"`,
      '  until [ -f "spool/inbox/$1.json" ]; do sleep 1; done',
      '  cat "spool/inbox/$1.json"; rm "spool/inbox/$1.json"',
      '}',
    ].join('\n'),
    call: ({ operation, input, id }) => {
      const name = mustHappenOnce(operation) ? id : `${id}-$(date +%s)`
      return `call ${name} ${shellWord(JSON.stringify({ action: operation, ...input }))}`
    },
  },
  python: { name: 'Python', orders: 'push', tell: typed, start: 'python3 examples/python/game.py' },
  node: { name: 'Node', orders: 'push', tell: typed, start: 'node examples/node/game.mjs' },
  java: {
    name: 'Java',
    orders: 'push',
    tell: typed,
    start: 'java -Dfile.encoding=UTF-8 -cp gson.jar examples/java/Game.java',
  },
  csharp: {
    name: 'C#',
    orders: 'push',
    tell: typed,
    start: 'mcs -r:System.Web.Extensions -out:Game.exe examples/csharp/Game.cs\nmono Game.exe',
  },
  go: { name: 'Go', orders: 'push', tell: typed, start: 'go run examples/go/game.go' },
  php: {
    name: 'PHP',
    orders: 'push',
    tell: typed,
    start: 'php -S 127.0.0.1:9000 examples/php/orders.php &\nphp examples/php/game.php',
  },
  lua: { name: 'Lua', orders: 'ask', tell: typed, start: 'lua examples/lua/game.lua' },
  cpp: {
    name: 'C++',
    orders: 'ask',
    tell: typed,
    start: 'g++ -std=c++11 -O1 -pthread -o game-cpp examples/cpp/game.cpp\n./game-cpp',
  },
  'lua-files': { ...files, name: 'Lua', start: 'lua examples/lua-files/game.lua' },
  'shell-files': { ...files, name: 'shell', start: 'sh examples/shell-files/game.sh' },
  'php-files': {
    ...files,
    name: 'PHP (cron)',
    start: 'while sleep 1; do php examples/php-files/game.php; done',
  },
  'batch-files': {
    ...files,
    name: 'Windows (batch)',
    tell: (command) => `echo ${command}>> world\\console.txt`,
    start: 'examples\\batch-files\\game.bat',
  },
} as const satisfies Readonly<Record<string, Way>>

/** Names a way. */
export type SaleWay = keyof typeof saleWays

/** The ways by what they are, as the choice shows them. */
export const saleWayGroups = {
  byHand: ['curl', 'powershell', 'files'],
  http: ['python', 'node', 'java', 'csharp', 'go', 'php', 'lua', 'cpp'],
  files: ['lua-files', 'shell-files', 'php-files', 'batch-files'],
} as const satisfies Readonly<Record<string, readonly SaleWay[]>>
