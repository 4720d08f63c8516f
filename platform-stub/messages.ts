import type { EnvelopeStep } from '../contract/envelope/open.ts'

/**
 * Every refusal of the stub: its code (for logs and the journal of requests), its HTTP status and its text in Brazilian
 * Portuguese. Nothing else in the program holds a message for players or integrators.
 *
 * @see interface section 7; docs/decisions/0009
 */
export const refusals = {
  ROUTE_UNKNOWN: { status: 404, text: () => 'Esta rota não existe.' },
  METHOD_NOT_ALLOWED: {
    status: 405,
    text: (facts: { allowed: string }) => `Método não permitido nesta rota: use ${facts.allowed}.`,
  },
  BODY_TOO_LARGE: {
    status: 413,
    text: (facts: { bytesMax: number }) => `O corpo passa do limite de ${facts.bytesMax} bytes.`,
  },
  REQUEST_MALFORMED: { status: 400, text: () => 'O pedido não é HTTP válido ou não chegou a tempo.' },
  BODY_CUT: { status: 400, text: () => 'O corpo chegou incompleto.' },
  BODY_NOT_JSON_TYPE: { status: 415, text: () => 'Envie o corpo como Content-Type: application/json.' },
  BODY_INVALID: { status: 400, text: (facts: { fault: string }) => facts.fault },
  BODY_NOT_EMPTY_OBJECT: { status: 400, text: () => 'O corpo desta rota deve ser um objeto JSON vazio: {}.' },

  API_KEY_MISSING: { status: 401, text: () => 'Falta a chave de API: envie um cabeçalho X-Service-Api-Key.' },
  API_KEY_UNKNOWN: { status: 401, text: () => 'A chave de API não é válida.' },
  API_KEY_OF_ANOTHER: {
    status: 401,
    text: () => 'A chave de API e a assinatura são de servidores de jogo diferentes.',
  },
  ENVELOPE_REFUSED: { status: 401, text: (facts: { step: EnvelopeStep }) => envelopeTexts[facts.step] },
  ENVELOPE_REPLAYED: { status: 401, text: () => 'Esta requisição já foi processada.' },

  SELLER_ACCOUNT_MISSING: { status: 400, text: () => 'O vendedor ainda não tem uma conta na plataforma.' },
  SELLER_NOT_LINKED: { status: 400, text: () => 'O personagem do vendedor não está vinculado a uma conta.' },
  SELLER_BANNED: { status: 400, text: () => 'O personagem do vendedor está banido.' },
  SELLER_BLOCKED: { status: 400, text: () => 'As vendas deste vendedor estão bloqueadas. Fale com o suporte.' },
  SELLER_RECIPIENT_MISSING: {
    status: 400,
    text: () => 'O vendedor ainda não tem um recebedor aprovado para receber os pagamentos.',
  },
  PRICE_TOO_LARGE: {
    status: 400,
    text: () => 'Os campos "unitAmountCents" e "quantityListed" dão juntos um total grande demais.',
  },
  ITEM_REF_USED: {
    status: 409,
    text: (facts: { itemRef: string }) => `O itemRef "${facts.itemRef}" já foi usado e não pode ser usado de novo.`,
  },
  LISTING_UNKNOWN: {
    status: 404,
    text: (facts: { itemRef: string }) => `Não existe anúncio com o itemRef "${facts.itemRef}".`,
  },
  LISTING_WITHDRAWN: { status: 409, text: () => 'Este anúncio foi retirado.' },

  STOCK_TOO_LOW: { status: 409, text: (facts: { available: number }) => stockTooLow(facts.available) },
  TRANSACTION_UNKNOWN: { status: 404, text: () => 'Transação não encontrada.' },
  TRANSACTION_MOVE_REFUSED: {
    status: 409,
    text: (facts: { paymentStatus: string; deliveryStatus: string | null }) =>
      `A transação não permite isso agora: ela está em ${[facts.paymentStatus, facts.deliveryStatus].filter(Boolean).join(' / ')}.`,
  },
  PAYMENT_EXPIRED: { status: 409, text: () => 'O prazo de pagamento desta compra terminou.' },

  LINK_UNKNOWN: { status: 404, text: () => 'Este link não existe.' },
  LINK_USED: { status: 409, text: () => 'Este link já foi usado.' },
  LINK_EXPIRED: { status: 409, text: () => 'Este link expirou. Peça um novo dentro do jogo.' },

  CONTROL_FOREIGN_HOST: { status: 403, text: () => 'As rotas de controle só respondem pelo endereço local.' },
  CONTROL_FOREIGN_ORIGIN: { status: 403, text: () => 'Este pedido veio de outra página e foi recusado.' },
  GAME_SERVER_UNKNOWN: { status: 404, text: () => 'Servidor de jogo não encontrado.' },
  SIGNING_KEY_UNFIT: {
    status: 400,
    text: () => 'O campo "publicKeyPem" deve ser uma chave pública RSA de pelo menos 2048 bits em PEM.',
  },
  WEBHOOK_URL_UNFIT: { status: 400, text: () => 'O campo "webhookUrl" deve ser um endereço http ou https completo.' },
  ACCOUNT_NEEDED_BY_LINK: {
    status: 400,
    text: () => 'Um personagem vinculado tem conta: envie também "linked": false.',
  },
  WEBHOOK_DELIVERY_UNKNOWN: { status: 404, text: () => 'Entrega de webhook não encontrada.' },
  CLOCK_TARGET_UNFIT: {
    status: 400,
    text: () => 'Envie "now" (ISO-8601, UTC) ou "advanceSeconds" (número de segundos), e só um deles.',
  },
  LIMIT_UNFIT: { status: 400, text: () => 'O parâmetro "limit" deve ser um número inteiro de 1 a 1000.' },
  TRANSACTION_ID_UNFIT: {
    status: 400,
    text: () => 'O parâmetro "transactionId" deve ser um número inteiro a partir de 1.',
  },

  INTERNAL: { status: 500, text: () => 'Erro interno da plataforma. Tente novamente.' },
  STORE_FULL: { status: 500, text: () => 'A plataforma não conseguiu gravar. Tente novamente mais tarde.' },
} as const satisfies Record<string, { status: number; text: (facts: never) => string }>

export type RefusalCode = keyof typeof refusals

function stockTooLow(available: number): string {
  if (available <= 0) return 'Este item está esgotado.'
  return available === 1 ? 'Resta apenas 1 unidade deste item.' : `Restam apenas ${available} unidades deste item.`
}

const envelopeTexts: Readonly<Record<EnvelopeStep, string>> = {
  'header-line': 'Falta a assinatura: envie um só cabeçalho X-Platform-Signature de até 4096 bytes.',
  segments: 'A assinatura deve ter a forma <protected>..<signature>, com o meio vazio.',
  encoding: 'A assinatura deve estar em base64url sem preenchimento.',
  json: 'O cabeçalho protegido da assinatura deve ser um objeto JSON em UTF-8, sem nomes repetidos.',
  'forbidden-parameter': 'O cabeçalho protegido da assinatura tem um parâmetro que não é permitido.',
  algorithm: 'O algoritmo da assinatura deve ser RS256.',
  kid: 'A chave de assinatura (kid) não é conhecida.',
  expiry: 'A assinatura expirou ou tem um prazo (exp) que não é permitido. Confira o relógio.',
  jti: 'A assinatura deve ter um identificador (jti) de 1 a 255 caracteres.',
  method: 'A assinatura é de outro método (htm).',
  url: 'A assinatura é de outra rota (htu).',
  signature: 'A assinatura não confere com o corpo recebido.',
}

/** What the seller's eligibility says to the player. @see interface section 2; docs/decisions/0009 */
export const eligibilityTexts = {
  allowed: 'Este personagem pode anunciar itens.',
  NOT_LINKED: 'Vincule este personagem a uma conta para anunciar itens.',
  CHARACTER_BANNED: 'Este personagem está banido e não pode anunciar itens.',
  SELLING_BLOCKED: 'As vendas desta conta não estão liberadas.',
} as const

/** What the `selling` part of the eligibility says, by its first blocker. */
export const sellingTexts = {
  allowed: 'Esta conta pode vender.',
  ACCOUNT_MISSING: 'Crie uma conta na plataforma e vincule este personagem para vender.',
  SELLING_BLOCKED: 'As vendas desta conta estão bloqueadas. Fale com o suporte.',
  RECIPIENT_MISSING: 'Cadastre um recebedor e aguarde a aprovação para vender.',
} as const

/** The words of the checkout page. */
export const checkoutTexts = {
  title: 'Pagamento',
  item: 'Item',
  attributes: 'Descrição',
  quantity: 'Quantidade',
  unitPrice: 'Preço unitário',
  total: 'Total',
  payBy: 'Pague até',
  pay: 'Pagar (simulação)',
  cancel: 'Cancelar a compra',
  unknown: 'Esta compra não existe.',
  outcomes: {
    'awaiting-payment': 'Aguardando o pagamento.',
    'awaiting-server': 'Pagamento confirmado. O item está sendo entregue no jogo.',
    delivered: 'O item foi entregue no jogo.',
    failed: 'O item não pôde ser entregue. O dinheiro está sendo devolvido.',
    disputed: 'Esta compra está em disputa.',
    completed: 'Compra concluída. O item foi entregue no jogo.',
    'refunded-after-failure': 'O item não pôde ser entregue. O dinheiro foi devolvido.',
    'refunded-after-dispute': 'O dinheiro foi devolvido depois da disputa.',
    expired: 'O prazo de pagamento terminou. Faça uma nova compra no jogo.',
    cancelled: 'Compra cancelada.',
  },
} as const

/** The words of the portal's link page. */
export const portalTexts = {
  title: 'Vincular personagem',
  question: 'Vincular este personagem à sua conta?',
  character: 'Personagem',
  gameServer: 'Servidor de jogo',
  confirm: 'Vincular',
  done: 'Personagem vinculado. Você já pode voltar ao jogo.',
} as const
