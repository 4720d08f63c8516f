import { html } from 'hono/html'
import type { Texts } from './en.ts'

// The Portuguese texts of transactions and listings. `en.ts` says how texts are written.

export const transactions: Texts['transactions'] = {
  searchFor: 'Número, item ou personagem',
  byPhase: 'Por fase',
  none: 'Nenhuma transação aqui',
  nothingFits: 'Nada corresponde à busca.',
  comesWith: 'Uma compra aparece assim que um cliente do jogo a faz.',
  columns: {
    item: 'Item',
    purchase: 'Compra',
    statuses: 'Pagamento, entrega',
    acknowledged: 'Confirmado',
    next: 'Próximo passo',
  },
  created: (when) => html`criada ${when}`,
  buyerAndSeller: (buyer, seller) => `${buyer} compra de ${seller}`,
  phases: {
    'awaiting-payment': 'aguardando pagamento',
    'awaiting-server': 'aguardando servidor',
    delivered: 'entregue',
    failed: 'falhou',
    disputed: 'em disputa',
    completed: 'concluída',
    'refunded-after-failure': 'estornada após falha',
    'refunded-after-dispute': 'estornada após disputa',
    expired: 'expirada',
    cancelled: 'cancelada',
  },
}

export const transaction: Texts['transaction'] = {
  title: (id) => `Transação ${id}`,
  acts: {
    pay: 'Pagar',
    cancel: 'Cancelar',
    expire: 'Expirar',
    dispute: 'Abrir disputa',
    'reject-dispute': 'Rejeitar disputa',
    refund: 'Estornar',
  },
  byOthers: (triggers) => html`Pelo servidor de jogo ou pelo tempo: ${triggers}`,
  state: 'Estado',
  listingStates: 'Estados do anúncio',
  history: 'O que aconteceu',
  next: 'Próximo passo',
  reported: 'Informado pelo servidor de jogo',
  acknowledged: 'Confirmado pelo servidor de jogo',
  facts: 'Dados',
  total: 'Valor total',
  quantity: 'Quantidade',
  item: 'Item',
  attributes: 'Atributos',
  buyer: 'Comprador',
  seller: 'Vendedor',
  gameServer: 'Servidor de jogo',
  checkout: 'Página de pagamento',
  phase: 'Fase',
  stock: 'Estoque do anúncio',
}

export const history: Texts['history'] = {
  moves: {
    create: { by: 'cliente do jogo', done: 'Compra criada' },
    pay: { by: 'comprador', done: 'Pagamento confirmado' },
    expire: { by: 'tempo', done: 'Prazo de pagamento encerrado' },
    cancel: { by: 'comprador', done: 'Compra cancelada' },
    deliver: { by: 'servidor de jogo', done: 'Entrega confirmada' },
    'fail-out-of-stock': { by: 'servidor de jogo', done: 'A entrega falhou: OUT_OF_STOCK' },
    'fail-temporary': { by: 'servidor de jogo', done: 'Entrega adiada: TEMPORARY' },
    dispute: { by: 'comprador', done: 'Disputa aberta' },
    'reject-dispute': { by: 'equipe', done: 'Disputa rejeitada' },
    refund: { by: 'plataforma', done: 'Valor estornado' },
    complete: { by: 'tempo', done: 'Transação concluída' },
  },
  payment: (amount) => html`Cobrado: ${amount}`,
  refund: (amount) => html`Devolvido: ${amount}`,
  attempt: (event, number) => html`Webhook ${event}, tentativa ${number}`,
  call: (call, status) => html`Chamada ${call}, resposta ${status}`,
  nothing: 'nenhuma',
}

export const exchange: Texts['exchange'] = {
  awaited: {
    'awaiting-payment': {
      by: 'comprador',
      act: 'pagamento',
      help: html`O comprador paga na página de pagamento, ou você clica em <b>Pagar</b>.`,
    },
    'awaiting-server': {
      by: 'servidor de jogo',
      act: 'delivery ou delivery-failure',
      help: html`O servidor de jogo entrega o item, e o agente chama <code>transaction.delivery</code>, ou <code>transaction.delivery-failure</code> se o servidor de jogo não pôde entregar. Nada mais faz esta transação andar.`,
    },
    disputed: {
      by: 'equipe',
      act: 'estorno ou rejeição',
      help: html`A equipe decide: clique em <b>Rejeitar disputa</b> ou <b>Estornar</b>.`,
    },
  },
  isOver: 'Nada: já terminou.',
  nothing: 'nada',
  fromGameServer: (acknowledgement) => html`Do servidor de jogo: ${acknowledgement}`,
  acknowledgement: (event, attempt, when) => html`2xx para ${event}, tentativa ${attempt} ${when}`,
  due: {
    'under-way': 'em andamento',
    now: 'agora',
    'webhook-url': 'espera uma URL de webhook',
    terminal: 'retida por uma falha até que transaction_terminal seja confirmado',
  },
  observed: (quantity) => `observado: ${quantity}`,
  notObserved: 'sem observedQuantity',
  cut: 'a resposta é longa demais para ser mostrada',
}

export const reports: Texts['reports'] = {
  nothing: 'nada',
  because: (detail) => html`motivo: ${detail}`,
  reported: (report) => html`informou ${report} `,
}

export const machine: Texts['machine'] = {
  names: { transaction: 'Transação', listing: 'Anúncio' },
  stays: (trigger) => `fica: ${trigger}`,
  triggers: {
    pay: 'pagar',
    expire: 'expirar',
    cancel: 'cancelar',
    deliver: 'entregar',
    'fail-out-of-stock': 'falhar',
    'fail-temporary': 'adiar',
    dispute: 'disputar',
    'reject-dispute': 'rejeitar',
    refund: 'estornar',
    complete: 'concluir',
  },
}

export const listings: Texts['listings'] = {
  about: (freshness) =>
    `A estimativa pode recusar uma compra, mas nunca autoriza uma. Uma observação vale por ${freshness}.`,
  none: 'Nenhum anúncio ainda',
  comesWith: 'Um cliente do jogo registra o anúncio com uma oferta assinada.',
  columns: {
    item: 'Item',
    price: 'Preço',
    status: 'Status',
    estimate: 'Estimativa e motivo',
    changed: 'Alterado',
    buy: 'Comprar',
  },
  seller: (name) => `vendido por ${name}`,
  soldOut: 'esgotado',
  states: 'Estados de um anúncio',
  available: (available, listed, sold, exact, observation) =>
    html`<strong>${available}</strong> à venda: anunciado ${listed} − vendido ${sold} = <b>${exact}</b> exato; ${observation}.`,
  notObserved: 'nada foi observado ainda, então só vale a conta exata',
  observedLongAgo: (quantity, age, freshness) =>
    html`observado <b>${quantity}</b> há ${age}, mais de ${freshness}: conta como desconhecido`,
  observedLess: (quantity, age) =>
    html`observado <b>${quantity}</b> há ${age}, que é menos: acima disso a compra é recusada`,
  observedEnough: (quantity, age) => html`observado <b>${quantity}</b> há ${age}, que não é menos e não muda nada`,
  withdrawn: 'Retirado: nada pode ser comprado.',
}

export const standIn: Texts['standIn'] = {
  title: 'No lugar do servidor de jogo',
  about: html`O stub assina com a chave do próprio servidor de jogo e chama a rota de parceiro, então todas as regras valem.`,
  noKey: html`Aqui não há botão para entregar, porque o servidor de jogo gerou o próprio par de chaves, como faz o <code>provision</code>. O stub não pode assinar por ele. Registre um pelo console para ter os botões.`,
  deliver: 'Entregar',
  outOfStock: 'Falhar: OUT_OF_STOCK',
  temporary: 'Falhar: TEMPORARY',
  buyOne: 'Comprar…',
  buy: 'Comprar',
}
