import * as z from 'zod/mini'
import type { PlatformOperationName } from '../../../contract/operations.ts'
import { deliveryFailure, type TransactionTrigger } from '../../../contract/transaction.ts'

/** Something that a developer has done to a purchase: by its move, or by a call as the game server. */
export type TransactionAct = {
  /** What it does, for the help of the command line and for the guides. */
  readonly does: { readonly en: string; readonly pt: string }
} & (
  | { readonly by: 'buyer' | 'time' | 'staff'; readonly trigger: TransactionTrigger }
  | { readonly by: 'game-server'; readonly calls: PlatformOperationName; readonly body: z.ZodMiniObject }
)

const noFields = z.strictObject({})

/**
 * Everything that can be done to a purchase by hand, by its name. Control routes, the console's buttons,
 * `platform-stub trigger` and the guides have it from here.
 *
 * @see docs/decisions/0069
 */
export const transactionActs = {
  pay: {
    by: 'buyer',
    trigger: 'pay',
    does: {
      en: 'the buyer pays; the stock is checked again, as the checkout does',
      pt: 'o comprador paga; o estoque é conferido de novo, como na página de pagamento',
    },
  },
  cancel: { by: 'buyer', trigger: 'cancel', does: { en: 'the buyer cancels', pt: 'o comprador cancela' } },
  expire: {
    by: 'time',
    trigger: 'expire',
    does: { en: 'the time to pay is over', pt: 'o prazo de pagamento acaba' },
  },
  deliver: {
    by: 'game-server',
    calls: 'transaction.delivery',
    body: noFields,
    does: {
      en: "the game server confirms the delivery; the stub signs with the game server's key",
      pt: 'o servidor de jogo confirma a entrega; o stub assina com a chave do servidor de jogo',
    },
  },
  fail: {
    by: 'game-server',
    calls: 'transaction.delivery-failure',
    body: z.strictObject(z.omit(deliveryFailure, { transactionId: true }).shape),
    does: {
      en: "the game server reports a failure; the stub signs with the game server's key",
      pt: 'o servidor de jogo informa uma falha; o stub assina com a chave do servidor de jogo',
    },
  },
  dispute: {
    by: 'buyer',
    trigger: 'dispute',
    does: { en: 'the buyer opens a dispute', pt: 'o comprador abre uma disputa' },
  },
  'reject-dispute': {
    by: 'staff',
    trigger: 'reject-dispute',
    does: { en: 'the staff rejects the dispute', pt: 'a equipe rejeita a disputa' },
  },
  refund: {
    by: 'staff',
    trigger: 'refund',
    does: { en: 'the staff refunds the purchase', pt: 'a equipe devolve o dinheiro' },
  },
} as const satisfies Readonly<Record<string, TransactionAct>>

/** Names an act. */
export type TransactionActName = keyof typeof transactionActs

/** All of them, in the order in which a purchase comes to them. */
export const transactionActNames = Object.keys(transactionActs) as readonly TransactionActName[]

/** Those that are not acts of a game server: the console shows each as a button where it applies. */
export const actsOfOthers = transactionActNames.filter(
  (name): name is Exclude<TransactionActName, 'deliver' | 'fail'> => transactionActs[name].by !== 'game-server',
)

/** The control route of an act. */
export function pathOfAct(transactionId: number, name: TransactionActName): string {
  return `/stub/transactions/${transactionId}/${name}`
}
