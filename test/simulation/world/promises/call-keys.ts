import { basename } from 'node:path'
import type { GameCall } from '../game/call-agent.ts'
import type { SentRequest } from '../sent-request.ts'

/** Which fields of a call say what it changes. */
const keyFields: Readonly<Record<string, readonly string[]>> = {
  'transaction.create': ['buyerCharacterRef'],
  'market.register': ['itemRef'],
  'market.withdraw': ['itemRef'],
  'market.adjust-stock': ['itemRef', 'observedQuantity'],
  'transaction.delivery': ['transactionId'],
  'transaction.delivery-failure': ['transactionId', 'reason'],
}

/** Calls that mean the same, and the attempts that are made for them, have one key. Undefined for what changes nothing. */
export function keyOfCall({ operation, input }: Omit<GameCall, 'id'>): string | undefined {
  const fields = keyFields[operation]
  return fields && [operation, ...fields.map((field) => input[field])].join(' ')
}

/** The key of the calls for which an attempt is made. */
export function keyOfSent({ operation, transactionId, input }: SentRequest): string | undefined {
  return operation && keyOfCall({ operation, input: transactionId === undefined ? input : { ...input, transactionId } })
}

const aboutCharacters: ReadonlySet<string | undefined> = new Set(['market.eligibility', 'character.link'])

/** The key of a call, also of a question about a character, and of a link, which may be made again after a while. */
export function keyOfAny(call: Omit<GameCall, 'id'>): string | undefined {
  return aboutCharacters.has(call.operation) ? `${call.operation} ${call.input['characterRef']}` : keyOfCall(call)
}

/** The same of an attempt. */
export function keyOfAnySent(request: SentRequest): string | undefined {
  const { operation, path, input } = request
  if (operation === 'character.link') return keyOfAny({ operation, input })
  if (operation !== 'market.eligibility') return keyOfSent(request)
  return keyOfAny({ operation, input: { characterRef: decodeURIComponent(basename(path)) } })
}
