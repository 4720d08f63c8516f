/** A language of the guides: the name of its folder in `docs/`. */
export type Language = 'en' | 'pt-BR'

/** A text in both languages. */
export type Texts = Readonly<Record<Language, string>>

/** The texts of the pages themselves. `{}` stands for a value. */
export const pageTexts = {
  title: { en: 'Fields', 'pt-BR': 'Campos' },
  twin: { en: '[Português](../pt-BR/fields.md)', 'pt-BR': '[English](../en/fields.md)' },
  madeBy: {
    en: 'Every field of the operations, their answers and the webhooks, with an example of each. Written by `node scripts/fields-page.ts` from the tables of both programs.',
    'pt-BR':
      'Todos os campos das operações, das respostas e dos webhooks, com um exemplo de cada. Gerado por `node scripts/fields-page.ts` a partir das tabelas dos dois programas.',
  },
  howToRead: { en: 'How to read this page', 'pt-BR': 'Como ler esta página' },
  rules: {
    en: `- *Optional* in an input: you may leave it out. *Optional* in an answer: the interface does not promise it.
- An example of an answer shows what the stub sends. Another platform may leave out fields that are not in the table.
- A timestamp is ISO-8601 in UTC. An amount is in cents.
- The examples are for HTTP. In files, \`action\` stands for \`operation\`, and the fields of \`input\` and \`data\` are on the same level as it: see [calls](calls.md).
- \`x-maturity\` of every route and webhook is \`ready\`.`,
    'pt-BR': `- *Opcional* em uma entrada: você pode omitir. *Opcional* em uma resposta: a interface não o promete.
- Um exemplo de resposta mostra o que o stub envia. Outra plataforma pode omitir campos que não estão na tabela.
- Datas e horas são em ISO-8601, em UTC. Valores são em centavos.
- Os exemplos são para HTTP. Em arquivos, \`action\` fica no lugar de \`operation\`, e os campos de \`input\` e \`data\` ficam no mesmo nível: veja [chamadas](calls.md).
- O \`x-maturity\` de todas as rotas e webhooks é \`ready\`.`,
  },
  operationsOfPlatform: { en: 'Operations of the platform', 'pt-BR': 'Operações da plataforma' },
  operationsOfAgent: { en: 'Operations of the agent itself', 'pt-BR': 'Operações do próprio agente' },
  webhooks: { en: 'Webhooks', 'pt-BR': 'Webhooks' },
  route: { en: 'At the platform: {}.', 'pt-BR': 'Na plataforma: {}.' },
  input: { en: 'Input:', 'pt-BR': 'Entrada:' },
  sameInput: { en: 'The input is that of {}.', 'pt-BR': 'A entrada é a de {}.' },
  data: { en: '`data` of the answer:', 'pt-BR': '`data` da resposta:' },
  noData: { en: '`data` of the answer is `null`.', 'pt-BR': '`data` da resposta é `null`.' },
  oneOrder: {
    en: 'Each of `orders` and of `closed`. Only those of `closed` have the last two fields:',
    'pt-BR': 'Cada um de `orders` e de `closed`. Só os de `closed` têm os dois últimos campos:',
  },
  moreOrders: {
    en: '`more` is true if there are more closed orders than `limit`. Ask again with the `since` of the last one as `closedSince`. That one comes again, so a `limit` of 1 never gets further.',
    'pt-BR':
      '`more` é true se há mais pedidos encerrados do que `limit`. Consulte de novo com o `since` do último como `closedSince`. Ele é listado de novo, então um `limit` de 1 nunca avança.',
  },
  takenOrder: {
    en: '`data` of the answer is the order, with the fields of `orders` above.',
    'pt-BR': '`data` da resposta é o pedido, com os campos de `orders` acima.',
  },
  reply: { en: 'Your answer:', 'pt-BR': 'A sua resposta:' },
  anyReply: {
    en: 'Your answer: any 2xx. Its body is not read.',
    'pt-BR': 'A sua resposta: qualquer 2xx. O corpo não é lido.',
  },
  field: { en: 'field', 'pt-BR': 'campo' },
  type: { en: 'type', 'pt-BR': 'tipo' },
  meaning: { en: 'meaning', 'pt-BR': 'significado' },
  optional: { en: 'optional', 'pt-BR': 'opcional' },
} as const satisfies Record<string, Texts>

/** What the contract says in English, in Portuguese. A text that is missing here ends the script. */
const portuguese: Readonly<Record<string, string>> = {
  // Types.
  'array of': 'lista de',
  string: 'texto',
  integer: 'inteiro',
  boolean: 'booleano',
  object: 'objeto',
  timestamp: 'data e hora',
  'not empty': 'não vazio',
  'or null': 'ou null',
  or: 'ou',
  from: 'a partir de',
  to: 'a',
  'up to': 'até',
  characters: 'caracteres',
  optional: 'opcional',

  // Summaries of the webhooks.
  'Payment is confirmed: transfer the item and report the stock that is left.':
    'O pagamento foi confirmado: transfira o item e informe o estoque que resta.',
  'The transaction reached a final outcome: reconcile and release the item.':
    'A transação foi encerrada: confira o resultado e libere o item.',

  // Fields.
  'Game-server key of the listing: unique per game server, never reused.':
    'A chave do anúncio no servidor de jogo: única em cada servidor de jogo, nunca usada de novo.',
  "The character's key in the game; not `.` or `..`.": 'A chave do personagem no jogo; não pode ser `.` nem `..`.',
  "The character's name, as the player is shown it.": 'O nome do personagem, como o jogador o vê.',
  'Where the player confirms, logged in, once.': 'Onde o jogador confirma, conectado à conta, uma só vez.',
  'Until when it can be confirmed.': 'Até quando pode ser confirmado.',
  'Identifier of the item type in the game.': 'O identificador do tipo de item no jogo.',
  'Display name of the item.': 'O nome do item, como é mostrado.',
  'What is promised to the buyer, in free text that no program interprets; proof in a dispute.':
    'O que é prometido ao comprador, em texto livre que nenhum programa interpreta; serve de prova em uma disputa.',
  'As it was registered, never reformatted.': 'Como foi registrado, nunca reformatado.',
  'Quantity offered.': 'A quantidade oferecida.',
  'Quantity registered.': 'A quantidade registrada.',
  'Quantity sold through the service: paid and not refunded.':
    'A quantidade vendida pela plataforma: paga e não estornada.',
  'Price of one unit in BRL cents.': 'O preço de uma unidade em centavos de real.',
  'Identifier of the listing.': 'O identificador do anúncio.',
  'What the game server saw last as available; null until it has reported.':
    'O que o servidor de jogo viu disponível por último; null até ele informar.',
  'When it was observed.': 'Quando foi observado.',
  'What became of the order. The agent reports it to the platform until it is accepted. `DELIVERED`: the item is durably with the buyer. Without it the game server reports by itself.':
    'O que aconteceu com o pedido. O agente informa isso à plataforma até ela aceitar. `DELIVERED`: o item está com o comprador, gravado de forma durável. Sem ele, o servidor de jogo informa por conta própria.',
  'For logs and the staff, with `OUT_OF_STOCK` and `TEMPORARY`.':
    'Para os logs e a equipe, com `OUT_OF_STOCK` e `TEMPORARY`.',
  'Closed at or after this moment. Without it: in the last 24 hours.':
    'Encerrados neste momento ou depois. Sem ele: nas últimas 24 horas.',
  'At most this many closed ones, the oldest first. Without it: 100.':
    'O número máximo de encerrados, os mais antigos primeiro. Sem ele: 100.',
  '`ACTIVE` on creation; sold out is an `observedQuantity` of 0, not a status.':
    '`ACTIVE` ao ser criado; esgotado é um `observedQuantity` de 0, não um status.',
  'When it was registered.': 'Quando foi registrado.',
  'When it last changed.': 'Quando mudou por último.',
  'When it was withdrawn.': 'Quando foi retirado.',
  'How many units are left for further buyers. Units of paid orders that you have not delivered yet are not counted, the units of this order included. 0 is sold out.':
    'Quantas unidades restam para outros compradores. Unidades de pedidos pagos que você ainda não entregou não contam, nem as deste pedido. 0 é esgotado.',
  'Whether the character may list items.': 'Se o personagem pode anunciar itens.',
  'The first reason why it may not.': 'O primeiro motivo para não poder anunciar.',
  'Brazilian Portuguese, ready to be shown.': 'Em português do Brasil, pronto para mostrar.',
  'Whether the character is linked to an account.': 'Se o personagem está vinculado a uma conta.',
  'Whether the character is banned.': 'Se o personagem está banido.',
  'Whether the account may sell.': 'Se a conta pode vender.',
  'The reasons why it may not sell.': 'Os motivos para não poder vender.',
  'What the seller can do.': 'O que o vendedor pode fazer.',
  'How many units; refused above the estimate of the stock.':
    'Quantas unidades; acima da estimativa do estoque a compra é recusada.',
  'Identifier of the transaction.': 'O identificador da transação.',
  'Identifier of the transaction. The interface does not promise it here; `transfer_order` has it.':
    'O identificador da transação. A interface não o promete aqui; o `transfer_order` o tem.',
  'Web checkout address for the buyer.': 'O endereço da página de pagamento para o comprador.',
  'First axis of the state.': 'O primeiro eixo do estado.',
  'Second axis of the state.': 'O segundo eixo do estado.',
  'When it was completed; a time tells completed from delivered.':
    'Quando foi concluída; com uma data está concluída, sem ela só entregue.',
  'When the delivery was confirmed.': 'Quando a entrega foi confirmada.',
  '`OUT_OF_STOCK` refunds the buyer for good; `TEMPORARY` makes the platform send the order again.':
    '`OUT_OF_STOCK` devolve o dinheiro ao comprador, sem volta; com `TEMPORARY` o pedido é reenviado.',
  'For logs and the staff; never shown to the buyer.':
    'Para os logs e a equipe da plataforma; nunca mostrado ao comprador.',
  'Whether the buyer gets the money back: true for `OUT_OF_STOCK`.':
    'Se o comprador recebe o dinheiro de volta: true com `OUT_OF_STOCK`.',
  'When the order is sent again; null for `OUT_OF_STOCK`.':
    'Quando o pedido é enviado de novo; null com `OUT_OF_STOCK`.',
  'How many units to transfer: all or none.': 'Quantas unidades transferir: todas ou nenhuma.',
  'When the payment was confirmed.': 'Quando o pagamento foi confirmado.',
  'Why it ended so, where there is something to say.': 'Por que acabou assim, se houver algo a dizer.',
  'When it ended.': 'Quando acabou.',
}

/** When each webhook is sent. */
export const eventTexts = {
  transfer_order: {
    en: 'Sent when the payment is confirmed, and again after a `TEMPORARY` delivery failure. It stops when the transaction is over. Only `transaction.delivery` or `transaction.delivery-failure` says whether the item was delivered.',
    'pt-BR':
      'Enviado quando o pagamento é confirmado, e de novo depois de uma falha de entrega `TEMPORARY`. Para quando a transação acaba. Só `transaction.delivery` ou `transaction.delivery-failure` informa se o item foi entregue.',
  },
  transaction_terminal: {
    en: 'Sent when a transaction has ended. The pair of `paymentStatus` and `deliveryStatus` says how. It may come before an order that was delayed on its way: the end counts.',
    'pt-BR':
      'Enviado quando uma transação acabou. O par de `paymentStatus` e `deliveryStatus` mostra como. Pode chegar antes de um pedido que se atrasou no caminho: vale o aviso de encerramento.',
  },
} as const satisfies Record<string, Texts>

/** A text of the contract in a language. @throws {Error} It is not translated. */
export function textOfContract(english: string, language: Language): string {
  if (language === 'en' || english === '') return english
  const text = portuguese[english]
  if (text === undefined) throw new Error(`scripts/fields/field-texts.ts has no Portuguese text for: ${english}`)
  return text
}

/** A type such as "string, not empty or null" in a language. */
export function typeInLanguage(type: string, language: Language): string {
  return type.replaceAll(/array of|or null|not empty|up to|[a-z]+/g, (words) =>
    words === 'null' ? words : textOfContract(words, language),
  )
}
