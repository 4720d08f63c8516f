import type { GameCall } from '../game/call-agent.ts'
import type { SentRequest } from '../witnessed.ts'

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
export function keyOfSent({ path, input }: SentRequest): string | undefined {
  const [, id, result] = /^\/v1\/api\/transactions\/(\d+)\/(delivery(?:-failure)?)$/.exec(path) ?? []
  if (id !== undefined)
    return keyOfCall({ operation: `transaction.${result}`, input: { ...input, transactionId: Number(id) } })
  const operation = operationOfSent[`${path} ${input['action'] ?? ''}`]
  return operation && keyOfCall({ operation, input })
}

const operationOfSent: Readonly<Record<string, string>> = {
  '/v1/api/transactions ': 'transaction.create',
  '/v1/api/market/listings ': 'market.register',
  '/v1/api/market/listings WITHDRAW': 'market.withdraw',
  '/v1/api/market/listings ADJUST_STOCK': 'market.adjust-stock',
}
