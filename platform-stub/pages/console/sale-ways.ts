import { type OperationName, operations } from '../../../contract/operations.ts'
import type { AgentBeside } from '../../marketplace/game-servers/agent-beside.ts'
import { curlLine, shellWord } from '../browser/curl-line.js'
import { powershellWord, typedJson } from './typed-words.ts'

/** One call of the agent. */
interface Call {
  readonly operation: OperationName
  readonly input: object
  /** The same for each repetition of a call that must happen once. It is also the name of a file. */
  readonly id: string
}

/** A way to make the calls of the first sale by hand. */
interface WayByHand {
  /** A word of a line, which the shell takes as it is. */
  readonly word: (text: string) => string
  /** What the shell is told before the first call. */
  readonly prepare: (agent: AgentBeside) => readonly string[]
  /** The line that makes a call. */
  readonly call: (agent: AgentBeside, call: Call) => string
  /** Shows the order of a transaction, and replies that the item is delivered. The agent reports it. */
  readonly handleOrder: (agent: AgentBeside, transactionId: number) => readonly string[]
}

/** The body of a call by HTTP: with an id where it must not happen twice. */
function bodyOf({ id, operation, input }: Call): string {
  return typedJson({ ...(mustHappenOnce(operation) && { id }), operation, input })
}

function mustHappenOnce(name: OperationName): boolean {
  const operation = operations[name]
  return operation.kind === 'platform' && operation.retry === 'once'
}

/** The reply of a game server that has given one of the three listed units. */
const delivered = { observedQuantity: 2, result: 'DELIVERED' } as const

function handleByAsking(call: WayByHand['call']): WayByHand['handleOrder'] {
  return (agent, transactionId) => [
    call(agent, { operation: 'orders.open', input: {}, id: 'orders' }),
    call(agent, { operation: 'orders.take', input: { transactionId, ...delivered }, id: 'take' }),
  ]
}

const callByCurl: WayByHand['call'] = ({ url }, call) =>
  curlLine({ method: 'POST', url: `${url}/call`, body: bodyOf(call) })

// Windows PowerShell sends a text as Latin-1 if nothing is said, so it gets the bytes.
const callByPowershell: WayByHand['call'] = ({ url }, call) =>
  `Invoke-RestMethod ${powershellWord(`${url}/call`)} -Method Post -ContentType 'application/json; charset=utf-8' -Body ([Text.Encoding]::UTF8.GetBytes(${powershellWord(bodyOf(call))})) | ConvertTo-Json -Depth 9`

const callByFile: WayByHand['call'] = (_, { operation, input, id }) => {
  const name = mustHappenOnce(operation) ? id : `${id}-$(date +%s)`
  return `call ${name} ${shellWord(typedJson({ action: operation, ...input }))}`
}

/** The ways by hand, by the word in the address. */
export const waysByHand = {
  curl: { word: shellWord, prepare: () => [], call: callByCurl, handleOrder: handleByAsking(callByCurl) },
  files: {
    word: shellWord,
    prepare: ({ spoolDir }) => [
      [
        `spool=${shellWord(spoolDir ?? '')}`,
        'call() {',
        `  printf '%s' "$2" > "$spool/outbox/.$1.tmp" && mv "$spool/outbox/.$1.tmp" "$spool/outbox/$1.json"`,
        '  until [ -f "$spool/inbox/$1.json" ]; do sleep 1; done',
        '  cat "$spool/inbox/$1.json"; rm "$spool/inbox/$1.json"',
        '}',
      ].join('\n'),
    ],
    call: callByFile,
    handleOrder(agent, transactionId) {
      // An agent that posts the orders shows no files of them.
      if (agent.forwardUrl !== null) return handleByAsking(callByFile)(agent, transactionId)
      const file = `transfer_order-${transactionId}.json`
      return [
        `until [ -f "$spool/events/${file}" ]; do sleep 1; done; cat "$spool/events/${file}"`,
        `printf '%s' ${shellWord(JSON.stringify(delivered))} > "$spool/replies/.reply" && mv "$spool/replies/.reply" "$spool/replies/${file}"`,
      ]
    },
  },
  powershell: {
    word: powershellWord,
    prepare: () => [],
    call: callByPowershell,
    handleOrder: handleByAsking(callByPowershell),
  },
} as const satisfies Readonly<Record<string, WayByHand>>

/** Names a way through the first sale: by hand, or with one of the examples of the repository. */
export type SaleWay = keyof typeof waysByHand | 'examples'

/** The ways that an agent allows, in the order of the page. */
export function saleWaysOf({ spoolDir }: AgentBeside): SaleWay[] {
  return spoolDir === null ? ['curl', 'powershell', 'examples'] : ['curl', 'files', 'powershell', 'examples']
}

/** The folders in `examples/`, by how their orders come. */
export const examplesByOrders = {
  posted: ['node', 'java', 'csharp', 'php', 'python-reports'],
  fetched: ['python', 'go', 'lua', 'cpp', 'lua-files', 'shell-files', 'php-files', 'batch-files'],
} as const
