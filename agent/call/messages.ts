const tooLarge = 'O corpo passa de 65536 bytes.'

/**
 * Every refusal of the agent itself: its stable code, its status and its text in Brazilian Portuguese. The platform's
 * texts are passed through and are not here.
 *
 * Codes are public. A code is never renamed, and never means something else later.
 */
export const refusals = {
  BODY_NOT_UTF8: { status: 400, text: () => 'O texto não está em UTF-8: grave e envie o texto em UTF-8.' },
  JSON_INVALID: { status: 400, text: (facts: { inWords: string }) => facts.inWords },
  OPERATION_MISSING: {
    status: 400,
    text: ({ member }: { member: 'operation' | 'action' }) =>
      `O campo "${member}" é obrigatório: envie o nome de uma operação, por exemplo "market.eligibility".`,
  },
  OPERATION_UNKNOWN: {
    status: 400,
    text: ({ name }: { name: string }) =>
      `A operação ${JSON.stringify(name.slice(0, 80))} não existe: veja os nomes em GET /operations.`,
  },
  INPUT_MISSING: {
    status: 400,
    text: () => 'O campo "input" é obrigatório: envie um objeto com os campos da operação, ou {}.',
  },
  INPUT_NOT_OBJECT: {
    status: 400,
    text: ({ received }: { received: string }) =>
      `O campo "input" deve ser um objeto com os campos da operação, ou {}; ${received}.`,
  },
  INPUT_INVALID: { status: 400, text: (facts: { inWords: string }) => facts.inWords },
  ID_INVALID: { status: 400, text: () => 'O campo "id" deve ser um texto de 1 a 255 caracteres.' },
  ID_DIFFERS: {
    status: 400,
    text: ({ id }: { id: string }) =>
      `O campo "id" deve ser igual ao nome do arquivo (${JSON.stringify(id)}), ou faltar.`,
  },
  ID_REUSED: {
    status: 422,
    text: () => 'Este id já foi usado para outra chamada: use um id novo para cada chamada diferente.',
  },

  FILE_NOT_REGULAR: {
    status: 400,
    text: () => 'A requisição não é um arquivo comum: grave um arquivo, sem links nem pipes.',
  },
  FILE_NOT_READABLE: {
    status: 400,
    text: () => 'O agente não pode ler o arquivo: dê permissão de leitura ao usuário do agente.',
  },
  FILE_HALF_WRITTEN: {
    status: 400,
    text: ({ id }: { id: string }) =>
      `O arquivo está incompleto: ele foi gravado já com o nome final. Grave-o na mesma pasta com outro nome, por exemplo ".${id}.tmp", feche-o e só então renomeie para "${id}.json".`,
  },
  FILE_TOO_LARGE: { status: 400, text: () => tooLarge },
  FILE_UTF16: { status: 400, text: () => 'O arquivo está em UTF-16: grave o texto em UTF-8.' },

  NOT_REACHED: {
    status: 503,
    text: ({ hadTime }: { hadTime: boolean }) =>
      hadTime
        ? 'Não foi possível conectar à plataforma; nada foi enviado. Tente novamente em instantes.'
        : 'O tempo da chamada acabou antes do envio; nada foi enviado. Tente novamente em instantes.',
  },
  NO_ANSWER: {
    status: 504,
    text: ({ mayHaveActed }: { mayHaveActed: boolean }) =>
      `A plataforma não respondeu a tempo. ${whatToDo(mayHaveActed)}`,
  },
  ANSWER_INVALID: {
    status: 502,
    text: ({ mayHaveActed }: { mayHaveActed: boolean }) =>
      `A plataforma deu uma resposta inesperada. ${whatToDo(mayHaveActed)}`,
  },
  /** Answered with the status of the platform, or of a proxy before it. */
  NO_REASON_GIVEN: {
    status: 502,
    text: ({ status }: { status: number }) => `A plataforma recusou a operação (HTTP ${status}) sem informar o motivo.`,
  },
  REDIRECTED: {
    status: 502,
    text: () => 'A plataforma respondeu com um redirecionamento, que não é seguido: confira SERVICE_BASE_URL.',
  },
  EARLIER_CALL_UNFINISHED: {
    status: 504,
    text: () =>
      'Uma chamada anterior para o mesmo item ou transação ainda não terminou; nada foi enviado. Tente novamente.',
  },
  ANSWER_LOST: {
    status: 504,
    text: () =>
      'O agente não guardou a resposta desta chamada, porque foi reiniciado ou o disco está cheio. A operação pode ter sido executada: confira antes de repetir com outro id.',
  },
  JOURNAL_FULL: {
    status: 503,
    text: () =>
      'O agente não conseguiu gravar a chamada; nada foi enviado. Confira o espaço e as permissões do disco, ou o banco de dados dos agentes, e tente novamente.',
  },
  STORE_UNREACHABLE: {
    status: 503,
    text: ({ mayHaveActed }: { readonly mayHaveActed: boolean } = { mayHaveActed: false }) =>
      mayHaveActed
        ? 'O banco de dados dos agentes está inacessível. Esta chamada não foi enviada, mas uma anterior com este id pode ter sido. Repita em instantes com o mesmo id.'
        : 'O banco de dados dos agentes está inacessível; nada foi enviado. Repita em instantes: uma chamada com id, com o mesmo id.',
  },
  CALL_UNDER_WAY: {
    status: 504,
    text: () =>
      'Uma chamada igual, com este id, ainda está em andamento em outro agente. Repita a chamada com o mesmo id para receber a resposta.',
  },
  INTERNAL: {
    status: 500,
    text: ({ mayHaveActed }: { mayHaveActed: boolean }) =>
      `O agente encontrou um erro interno. ${whatToDo(mayHaveActed)}`,
  },

  WEBHOOK_BODY_INVALID: {
    status: 400,
    text: ({ problem }: { problem: 'missing' | 'not-base64' }) =>
      problem === 'missing'
        ? 'Envie o corpo recebido em "body" (texto exato) ou em "bodyBase64", um dos dois.'
        : 'O campo "bodyBase64" não é base64 válido.',
  },
  WEBHOOK_NOT_CONFIGURED: {
    status: 503,
    text: () =>
      'A verificação de webhooks não está configurada: defina SERVICE_PLATFORM_KID e SERVICE_PLATFORM_PUBLIC_KEY_FILE.',
  },
  WEBHOOK_REFUSED: { status: 401, text: ({ reason }: { reason: string }) => `Webhook recusado. ${reason}` },
  WEBHOOK_UNKNOWN: { status: 400, text: () => 'A assinatura é válida, mas o corpo não é um evento conhecido.' },

  ORDERS_NOT_CONFIGURED: {
    status: 503,
    text: () => 'O recebimento de pedidos não está configurado: defina SERVICE_WEBHOOK_PORT e as chaves da plataforma.',
  },
  ORDER_UNKNOWN: {
    status: 404,
    text: () => 'Este pedido não existe no agente: veja os pedidos em aberto com orders.open.',
  },
  ORDER_CLOSED: { status: 409, text: () => 'Este pedido já foi encerrado: veja em orders.open como ele terminou.' },
  ORDER_RESULT_DIFFERS: {
    status: 409,
    text: () => 'Este pedido já recebeu outro result, e o primeiro vale: não responda de novo com um diferente.',
  },
  ORDER_NOT_STORED: {
    status: 503,
    text: () =>
      'O agente não conseguiu gravar o pedido. Confira o espaço e as permissões do disco, ou o banco de dados dos agentes, e tente novamente.',
  },

  HOST_NOT_LOOPBACK: {
    status: 403,
    text: () => 'Requisição recusada: o cabeçalho Host deve ser um só e local, por exemplo 127.0.0.1:8899.',
  },
  FROM_BROWSER: { status: 403, text: () => 'Requisição recusada: páginas da web não podem chamar o agente.' },
  CONTENT_TYPE_INVALID: {
    status: 415,
    text: () => 'Envie o corpo como application/json, ou sem Content-Type.',
  },
  TRANSFER_ENCODING_INVALID: {
    status: 415,
    text: () => 'Envie o corpo sem Transfer-Encoding, ou só com chunked.',
  },
  LENGTH_INVALID: { status: 400, text: () => 'O cabeçalho Content-Length é inválido.' },
  BODY_TOO_LARGE: { status: 413, text: () => tooLarge },
  TOKEN_INVALID: { status: 401, text: () => 'Envie o cabeçalho Authorization: Bearer com o token do agente.' },
  ROUTE_UNKNOWN: {
    status: 404,
    text: () => 'Rota inexistente: use POST /call, GET /operations ou GET /health.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    text: ({ allowed }: { allowed: string }) => `Método não permitido nesta rota: use ${allowed}.`,
  },
  TOO_MANY_CALLS: {
    status: 503,
    text: () => 'Há chamadas demais em andamento: espere alguma terminar e tente novamente.',
  },
  SHUTTING_DOWN: {
    status: 503,
    text: () => 'O agente está sendo encerrado; nada foi enviado. Tente novamente em instantes.',
  },
  REQUEST_MALFORMED: { status: 400, text: () => 'A requisição HTTP é inválida ou chegou incompleta.' },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly text: (facts: never) => string }>>

export type RefusalCode = keyof typeof refusals

/** What an order waits for, by its state. */
export const orderWaitsFor = {
  received: 'A plataforma deve confirmar que espera por este pedido.',
  offered: 'O servidor de jogo deve entregar o item e responder com observedQuantity e result.',
  reporting: 'A plataforma deve aceitar o resultado que o agente informa.',
  taken: 'O servidor de jogo deve entregar o item e chamar transaction.delivery.',
  'put-off': 'A plataforma deve enviar o pedido de novo, a partir de retryAt.',
  closed: 'Nada: o pedido foi encerrado.',
} as const

function whatToDo(mayHaveActed: boolean): string {
  return mayHaveActed ? 'A operação pode ter sido executada.' : 'Tente novamente em instantes.'
}
