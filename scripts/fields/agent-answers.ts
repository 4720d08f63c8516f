import type { describeOrder } from '../../agent/orders/describe-order.ts'
import type { CarriedRequest } from '../../agent/platform/partner-api.ts'
import { eventExample } from '../../platform-stub/openapi/examples.ts'
import type { Texts } from './field-texts.ts'

/** A field of an answer that the agent makes itself: its type in English, and its meaning. */
export type AgentField = Texts & { readonly type: string }

type DescribedOrder = ReturnType<typeof describeOrder>

const { event: _, ...order } = eventExample('transfer_order')

/** One open order. */
export const orderExample = {
  ...(order as Pick<
    DescribedOrder,
    'transactionId' | 'itemRef' | 'quantity' | 'buyerCharacterRef' | 'sellerCharacterRef' | 'paidAt'
  >),
  state: 'offered',
  result: null,
  receivedAt: '2026-03-02T12:06:31.000Z',
  since: '2026-03-02T12:06:31.000Z',
  offers: 0,
  retryAt: null,
  waitsFor: 'O servidor de jogo deve entregar o item e responder com observedQuantity e result.',
} as const satisfies DescribedOrder

/** The fields of an order in `orders.open`. */
export const orderFields: Readonly<Record<keyof DescribedOrder | 'outcome' | 'reported', AgentField>> = {
  transactionId: { type: 'integer', en: 'The key of the order.', 'pt-BR': 'A chave do pedido.' },
  itemRef: { type: 'string', en: 'Which listing.', 'pt-BR': 'Qual anúncio.' },
  quantity: {
    type: 'integer or null',
    en: 'How many units to give: all or none. Null, as the next three, if the end came before the order.',
    'pt-BR':
      'Quantas unidades dar: todas ou nenhuma. Null, como os próximos três, se o aviso de encerramento chegou antes do pedido.',
  },
  buyerCharacterRef: { type: 'string or null', en: 'To whom.', 'pt-BR': 'A quem.' },
  sellerCharacterRef: { type: 'string or null', en: 'From whom.', 'pt-BR': 'De quem.' },
  paidAt: { type: 'timestamp or null', en: 'When it was paid.', 'pt-BR': 'Quando foi pago.' },
  state: {
    type: 'string',
    en: '`offered`: deliver it and reply. `reporting`: the agent reports your `result`. `taken`: you took it without a `result`, and report by yourself. `put-off`: the platform accepted `TEMPORARY`. `closed`: it is over. `received`, only in `market-agent orders`: the platform has not confirmed it yet.',
    'pt-BR':
      '`offered`: entregue e responda. `reporting`: o agente informa o seu `result`. `taken`: você aceitou sem `result` e informa por conta própria. `put-off`: a plataforma aceitou `TEMPORARY`. `closed`: acabou. `received`, só em `market-agent orders`: a plataforma ainda não confirmou.',
  },
  result: {
    type: 'string or null',
    en: 'What you replied. Null if you report by yourself, or did not reply yet.',
    'pt-BR': 'O que você respondeu. Null se você informa por conta própria ou ainda não respondeu.',
  },
  receivedAt: { type: 'timestamp', en: 'When it came.', 'pt-BR': 'Quando chegou.' },
  since: { type: 'timestamp', en: 'When it came into this state.', 'pt-BR': 'Quando entrou neste estado.' },
  offers: {
    type: 'integer',
    en: 'How often it was sent to you; 0 if you ask.',
    'pt-BR': 'Quantas vezes foi enviado a você; 0 se você pergunta.',
  },
  retryAt: {
    type: 'timestamp or null',
    en: 'After `TEMPORARY`: when it comes again.',
    'pt-BR': 'Depois de `TEMPORARY`: quando é reenviado.',
  },
  waitsFor: { type: 'string', en: 'A sentence for people.', 'pt-BR': 'Uma frase para pessoas.' },
  outcome: {
    type: 'string or null',
    en: 'How it ended: `CONCLUIDA`, `ESTORNADA`, `EXPIRADA`, `CANCELADA`. Null while it is not known.',
    'pt-BR': 'Como acabou: `CONCLUIDA`, `ESTORNADA`, `EXPIRADA`, `CANCELADA`. Null enquanto não se sabe.',
  },
  reported: {
    type: 'string or null',
    en: 'Only if it is closed: what the platform accepted through this agent.',
    'pt-BR': 'Só se encerrado: o que a plataforma aceitou por meio deste agente.',
  },
}

/** The fields of a signed request. */
export const envelopeFields: Readonly<Record<keyof CarriedRequest, AgentField>> = {
  method: { type: 'string', en: 'The method of the request.', 'pt-BR': 'O método da requisição.' },
  url: { type: 'string', en: 'Its address.', 'pt-BR': 'O endereço da requisição.' },
  headers: {
    type: 'object',
    en: 'Its headers: send all of them.',
    'pt-BR': 'Os cabeçalhos da requisição: envie todos.',
  },
  body: {
    type: 'string',
    en: 'Its body: send it byte for byte.',
    'pt-BR': 'O corpo da requisição: envie byte por byte.',
  },
  expiresAt: { type: 'timestamp', en: 'Until when it is valid.', 'pt-BR': 'Até quando vale.' },
}

/** The signed request for an input. The signature is shortened. */
export function envelopeExample(path: string, input: object): CarriedRequest {
  return {
    method: 'POST',
    url: `http://127.0.0.1:8787${path}`,
    headers: { 'Content-Type': 'application/json', 'X-Platform-Signature': 'eyJhbGciOiJSUzI1NiIs…..pO8fEwQ…' },
    body: JSON.stringify(input),
    expiresAt: '2026-03-02T12:05:00.000Z',
  }
}

/** The fields of `webhook.verify`, and of its input. */
export const verifyFields = {
  input: {
    signature: {
      type: 'string',
      en: 'The value of the header `X-Platform-Signature`.',
      'pt-BR': 'O valor do cabeçalho `X-Platform-Signature`.',
    },
    body: {
      type: 'string, optional',
      en: 'The received body as text, exactly as it came. Either this or the next one.',
      'pt-BR': 'O corpo recebido como texto, exatamente como chegou. Ou este, ou o próximo.',
    },
    bodyBase64: {
      type: 'string, optional',
      en: 'The bytes of the received body in base64.',
      'pt-BR': 'Os bytes do corpo recebido em base64.',
    },
  },
  data: {
    event: { type: 'object', en: 'The webhook, see below.', 'pt-BR': 'O webhook, veja abaixo.' },
    outcome: {
      type: 'string or null, optional',
      en: 'Only with `transaction_terminal`: `CONCLUIDA`, `ESTORNADA`, `EXPIRADA`, `CANCELADA`, or null for a pair that is not known.',
      'pt-BR':
        'Só com `transaction_terminal`: `CONCLUIDA`, `ESTORNADA`, `EXPIRADA`, `CANCELADA`, ou null para um par desconhecido.',
    },
  },
} as const satisfies Record<string, Readonly<Record<string, AgentField>>>
