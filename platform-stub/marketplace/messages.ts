import type { EnvelopeError } from '../../contract/envelope/open.ts'
import { envelopeErrorInWords } from '../../contract/faults-in-words.ts'

/**
 * Every refusal of the stub: its code (for logs and the journal of requests), its HTTP status and its text in Brazilian
 * Portuguese. Nothing else in the program holds a message for players or integrators.
 *
 * @see interface section 7; docs/decisions/0009
 */
export const refusals = {
  ROUTE_UNKNOWN: [404, 'Esta rota não existe.'],
  METHOD_NOT_ALLOWED: [405, (facts: { allowed: string }) => `Método não permitido nesta rota: use ${facts.allowed}.`],
  BODY_TOO_LARGE: [413, (facts: { bytesMax: number }) => `O corpo passa do limite de ${facts.bytesMax} bytes.`],
  REQUEST_MALFORMED: [400, 'A requisição não é HTTP válido ou não chegou a tempo.'],
  BODY_CUT: [400, 'O corpo chegou incompleto.'],
  BODY_NOT_JSON_TYPE: [415, 'Envie o corpo como Content-Type: application/json.'],
  BODY_INVALID: [400, (facts: { fault: string }) => facts.fault],
  BODY_NOT_EMPTY_OBJECT: [400, 'O corpo desta rota deve ser um objeto JSON vazio: {}.'],

  API_KEY_MISSING: [401, 'Falta a chave de API: envie um cabeçalho X-Service-Api-Key.'],
  API_KEY_UNKNOWN: [401, 'A chave de API não é válida.'],
  API_KEY_OF_ANOTHER: [401, 'A chave de API e a assinatura são de servidores de jogo diferentes.'],
  ENVELOPE_REFUSED: [401, (fault: Pick<EnvelopeError, 'step' | 'cause'>) => envelopeErrorInWords(fault)],
  ENVELOPE_REPLAYED: [401, 'Esta requisição já foi processada.'],

  SELLER_ACCOUNT_MISSING: [400, 'O vendedor ainda não tem uma conta na plataforma.'],
  SELLER_NOT_LINKED: [400, 'O personagem do vendedor não está vinculado a uma conta.'],
  SELLER_BANNED: [400, 'O personagem do vendedor está banido.'],
  SELLER_BLOCKED: [400, 'As vendas deste vendedor estão bloqueadas. Fale com o suporte.'],
  SELLER_RECIPIENT_MISSING: [400, 'O vendedor ainda não tem um recebedor aprovado para receber os pagamentos.'],
  PRICE_TOO_LARGE: [400, 'Os campos "unitAmountCents" e "quantityListed" dão juntos um total grande demais.'],
  ITEM_REF_USED: [
    409,
    (facts: { itemRef: string }) => `O itemRef "${facts.itemRef}" já foi usado e não pode ser usado de novo.`,
  ],
  LISTING_ID_UNKNOWN: [404, 'Anúncio não encontrado.'],
  LISTING_UNKNOWN: [404, (facts: { itemRef: string }) => `Não existe anúncio com o itemRef "${facts.itemRef}".`],
  LISTING_WITHDRAWN: [409, 'Este anúncio foi retirado.'],

  STOCK_TOO_LOW: [409, (facts: { available: number }) => stockTooLow(facts.available)],
  TRANSACTION_UNKNOWN: [404, 'Transação não encontrada.'],
  TRANSACTION_MOVE_REFUSED: [
    409,
    (facts: { paymentStatus: string; deliveryStatus: string | null }) =>
      `A transação não permite isso agora: ela está em ${[facts.paymentStatus, facts.deliveryStatus].filter(Boolean).join(' / ')}.`,
  ],
  PAYMENT_EXPIRED: [409, 'O prazo de pagamento desta compra terminou.'],

  LINK_UNKNOWN: [404, 'Este link não existe.'],
  LINK_USED: [409, 'Este link já foi usado.'],
  LINK_EXPIRED: [409, 'Este link expirou. Peça um novo dentro do jogo.'],

  CONTROL_FOREIGN_HOST: [403, 'As rotas de controle só respondem pelo endereço local.'],
  CONTROL_FOREIGN_ORIGIN: [403, 'Esta requisição veio de outra página e foi recusada.'],
  GAME_SERVER_UNKNOWN: [404, 'Servidor de jogo não encontrado.'],
  SIGNING_KEY_NOT_HERE: [
    409,
    'Este servidor de jogo criou o próprio par de chaves. O stub não tem a chave privada e não pode assinar por ele.',
  ],
  STAND_IN_REFUSED: [409, (facts: { message: string }) => facts.message],
  STAND_IN_UNANSWERED: [
    502,
    (facts: { failure: string }) => `A chamada em nome do servidor de jogo ficou sem resposta: ${facts.failure}`,
  ],
  SIGNING_KEY_INVALID: [400, 'O campo "publicKeyPem" deve ser uma chave pública RSA de pelo menos 2048 bits em PEM.'],
  WEBHOOK_URL_INVALID: [400, 'O campo "webhookUrl" deve ser um endereço http ou https completo, ou null.'],
  WEBHOOK_URL_MISSING: [409, 'Este servidor de jogo não tem endereço de webhook. Envie o campo "webhookUrl".'],
  TEST_TRANSACTION_INVALID: [
    400,
    (facts: { min: number }) =>
      `O campo "transactionId" de um evento de teste deve ser maior que ${facts.min}, para que nenhuma venda tenha o mesmo número.`,
  ],
  ACCOUNT_NEEDED_BY_LINK: [400, 'Um personagem vinculado tem conta: envie também "linked": false.'],
  WEBHOOK_DELIVERY_UNKNOWN: [404, 'Entrega de webhook não encontrada.'],
  RESET_MEANWHILE: [409, 'Um reset interrompeu este envio. Nada dele ficou registrado.'],
  CLOCK_TARGET_INVALID: [400, 'Envie "now" (ISO-8601, UTC) ou "advanceSeconds" (número de segundos), e só um deles.'],
  CLOCK_JUMP_BROKEN_OFF: [
    409,
    (facts: { now: string }) => `O salto do relógio foi interrompido em ${facts.now}, antes do momento informado.`,
  ],
  FAULT_INJECTED: [
    500,
    (facts: { status: number }) =>
      `A plataforma não pôde atender esta requisição (falha simulada, status ${facts.status}).`,
  ],
  QUERY_UNKNOWN: [
    400,
    (facts: { name: string; known: string }) =>
      `O parâmetro "${facts.name}" não existe nesta rota. ${facts.known ? `Ela aceita ${facts.known}.` : 'Ela não aceita nenhum parâmetro.'}`,
  ],
  QUERY_REPEATED: [400, (facts: { name: string }) => `Envie o parâmetro "${facts.name}" uma única vez.`],
  LIMIT_INVALID: [400, 'O parâmetro "limit" deve ser um número inteiro de 1 a 1000.'],
  TRANSACTION_ID_INVALID: [400, 'O parâmetro "transactionId" deve ser um número inteiro a partir de 1.'],

  TOO_MANY_PAGES: [503, 'Há páginas demais abertas. Feche algumas e recarregue esta.'],
  INTERNAL: [500, 'Erro interno da plataforma. Tente novamente.'],
  STORE_FULL: [500, 'A plataforma não conseguiu gravar. Tente novamente mais tarde.'],
} as const satisfies Record<string, readonly [status: number, text: string | ((facts: never) => string)]>

/** Names a refusal. */
export type RefusalCode = keyof typeof refusals

function stockTooLow(available: number): string {
  if (available <= 0) return 'Este item está esgotado.'
  return available === 1 ? 'Resta apenas 1 unidade deste item.' : `Restam apenas ${available} unidades deste item.`
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

/** Texts of every page for buyers and players. */
export const playerTexts = {
  brand: 'Mercado',
  ribbon: 'Simulação: nenhum dinheiro é movimentado.',
  smallPrint: 'Página do platform-stub, que imita a plataforma para quem desenvolve servidores de jogo.',
  foreignOrigin: {
    title: 'Ação recusada',
    text: 'Esta ação veio de outra página e foi recusada. Abra o endereço que o jogo mostrou.',
  },
} as const

/** The words of the checkout page. */
export const checkoutTexts = {
  title: 'Pagamento',
  unknown: {
    title: 'Esta compra não existe',
    text: 'Confira o endereço que o jogo mostrou, ou faça uma nova compra no jogo.',
  },
  notPaid: (isOpen: boolean) => ({
    title: 'O pagamento não foi feito',
    text: isOpen ? 'Nada foi cobrado. Tente novamente.' : '',
  }),
  notCancelled: (isPaid: boolean) => ({
    title: 'A compra não foi cancelada',
    text: isPaid ? 'Ela já estava paga.' : 'Tente novamente.',
  }),
  item: 'O que você está comprando',
  attributes: 'Descrição, como o vendedor a escreveu',
  quantity: 'Quantidade',
  unitPrice: 'Preço unitário',
  total: 'Total',
  buyer: 'Entrega para',
  seller: 'Vendedor',
  gameServer: 'Servidor de jogo',
  payment: 'Pagamento',
  timeLeft: 'Tempo para pagar',
  payBy: 'até',
  timeZone: 'horário de Brasília',
  refresh: 'Atualizar a página',
  isSimulated: 'Este botão simula o pagamento. Ninguém é cobrado.',
  pay: (total: string) => `Simular pagamento de ${total}`,
  cancel: 'Cancelar a compra',
  progress: 'Andamento',
  /** What the page says first, by the state of the purchase. */
  states: {
    'awaiting-payment': { title: 'Aguardando o pagamento', text: '' },
    withdrawn: {
      title: 'Este anúncio foi retirado',
      text: 'O vendedor retirou o item enquanto esta compra esperava. Nada foi cobrado.',
    },
    'awaiting-server': {
      title: 'Pagamento confirmado',
      text: 'O item está sendo entregue no jogo. Esta página avisa quando chegar.',
    },
    delivered: { title: 'Item entregue', text: 'O item foi entregue no jogo. Falta só concluir a compra.' },
    failed: {
      title: 'O item não pôde ser entregue',
      text: 'Ele não existe mais no jogo. Seu dinheiro está sendo devolvido por inteiro.',
    },
    disputed: { title: 'Compra em disputa', text: 'A equipe da plataforma está analisando. Avisamos aqui a decisão.' },
    completed: { title: 'Compra concluída', text: 'O item foi entregue no jogo. Bom jogo!' },
    'refunded-after-failure': {
      title: 'Dinheiro devolvido',
      text: 'O item não existia mais no jogo, e o valor foi devolvido por inteiro.',
    },
    'refunded-after-dispute': {
      title: 'Dinheiro devolvido',
      text: 'A disputa foi decidida a seu favor, e o valor foi devolvido por inteiro.',
    },
    expired: {
      title: 'O prazo de pagamento terminou',
      text: 'Nada foi cobrado. Se ainda quiser o item, faça uma nova compra no jogo.',
    },
    cancelled: { title: 'Compra cancelada', text: 'Nada foi cobrado.' },
  },
  soldOut: (available: number) => ({
    title: stockTooLow(available),
    text: 'O estoque mudou enquanto esta compra esperava. Nada foi cobrado. Se voltar a haver, você poderá pagar aqui.',
  }),
  /** What happened, by what made it happen. */
  steps: {
    create: 'Compra criada',
    pay: 'Pagamento confirmado',
    expire: 'Prazo de pagamento encerrado',
    cancel: 'Compra cancelada',
    deliver: 'Item entregue no jogo',
    'fail-out-of-stock': 'O item não existe mais no jogo',
    'fail-temporary': 'O jogo pediu mais tempo para entregar',
    dispute: 'Disputa aberta',
    'reject-dispute': 'Disputa encerrada',
    refund: 'Dinheiro devolvido',
    complete: 'Compra concluída',
  },
  stepsToCome: {
    pay: 'Pagamento',
    deliver: 'Entrega no jogo',
    complete: 'Conclusão',
    refund: 'Devolução do dinheiro',
    decide: 'Decisão da disputa',
  },
} as const

/** The words of the portal's link page. */
export const portalTexts = {
  title: 'Vincular personagem',
  question: 'Vincular este personagem à sua conta?',
  explanation: 'Depois disso, o jogo pode anunciar itens deste personagem, e o dinheiro das vendas cai na sua conta.',
  character: 'Personagem',
  characterRef: 'Código no jogo',
  gameServer: 'Servidor de jogo',
  account: 'Sua conta',
  accountName: 'Conta de demonstração',
  confirm: 'Vincular personagem',
  timeLeft: 'Este link vale por mais',
  until: 'até',
  notYou: 'Não pediu isto no jogo? Feche esta página: sem a sua confirmação nada é vinculado.',
  done: { title: 'Personagem vinculado', text: 'Você já pode voltar ao jogo.' },
  /** What a link that cannot be confirmed says, by the code of the refusal. */
  dead: {
    LINK_UNKNOWN: { title: 'Este link não existe', text: 'Confira o endereço, ou peça um novo link dentro do jogo.' },
    LINK_USED: {
      title: 'Este link já foi usado',
      text: 'O personagem já está vinculado. Você pode fechar esta página.',
    },
    LINK_EXPIRED: {
      title: 'Este link expirou',
      text: 'Peça um novo dentro do jogo. O antigo não pode mais ser usado.',
    },
  },
} as const
