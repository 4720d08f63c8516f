/**
 * Everything that the agent itself says to a game server, in Brazilian Portuguese. The platform's messages are passed
 * through and are not here.
 */
export const messages = {
  bodyNotUtf8: 'O texto não está em UTF-8: grave e envie o texto em UTF-8.',
  operationMissing:
    'O campo "operation" é obrigatório: envie o nome de uma operação, por exemplo "market.eligibility".',
  operationUnknown: (name: string) =>
    `A operação ${JSON.stringify(name.slice(0, 80))} não existe: veja os nomes em GET /operations.`,
  inputMissing: 'O campo "input" é obrigatório: envie um objeto com os campos da operação, ou {}.',
  inputNotObject: (received: string) =>
    `O campo "input" deve ser um objeto com os campos da operação, ou {}; ${received}.`,
  idInvalid: 'O campo "id" deve ser um texto de 1 a 255 caracteres.',
  idReused: 'Este id já foi usado para outra chamada: use um id novo para cada chamada diferente.',
  verifyBodyMissing: 'Envie o corpo recebido em "body" (texto exato) ou em "bodyBase64", um dos dois.',
  verifyBodyBase64: 'O campo "bodyBase64" não é base64 válido.',
  verifyNotConfigured:
    'A verificação de webhooks não está configurada: defina SERVICE_PLATFORM_KID e SERVICE_PLATFORM_PUBLIC_KEY_FILE.',
  verifyFailed: (reason: string) => `Webhook recusado. ${reason}`,
  verifyNotEvent: 'A assinatura confere, mas o corpo não é um evento conhecido.',

  fileNotRegular: 'O pedido não é um arquivo comum: grave um arquivo, sem links nem pipes.',
  fileNotReadable: 'O agente não pode ler o arquivo: dê permissão de leitura ao usuário do agente.',
  fileHalfWritten: (id: string) =>
    `O arquivo está incompleto: ele foi gravado já com o nome final. Grave-o na mesma pasta com outro nome, por exemplo ".${id}.tmp", feche-o e só então renomeie para "${id}.json".`,
  fileUtf16: 'O arquivo está em UTF-16: grave o texto em UTF-8.',
  fileIdDiffers: (id: string) => `O campo "id" deve ser igual ao nome do arquivo (${JSON.stringify(id)}), ou faltar.`,
  actionMissing: 'O campo "action" é obrigatório: envie o nome de uma operação, por exemplo "market.eligibility".',
  unreachable: 'Não foi possível conectar à plataforma; nada foi enviado. Tente novamente em instantes.',
  noAnswer: 'A plataforma não respondeu a tempo. A operação pode ter sido executada.',
  noAnswerSafe: 'A plataforma não respondeu a tempo. Tente novamente em instantes.',
  waitedForTurn:
    'Uma chamada anterior para o mesmo item ou transação ainda não terminou; nada foi enviado. Tente novamente.',
  offContract: 'A plataforma deu uma resposta inesperada. A operação pode ter sido executada.',
  offContractSafe: 'A plataforma deu uma resposta inesperada. Tente novamente em instantes.',
  redirected: 'A plataforma respondeu com um redirecionamento, que não é seguido: confira SERVICE_BASE_URL.',
  refusedWithoutMessage: (status: number) => `A plataforma recusou a operação (HTTP ${status}) sem dizer o motivo.`,
  inDoubt:
    'O agente não guardou a resposta desta chamada, porque foi reiniciado ou o disco está cheio. A operação pode ter sido executada: confira antes de repetir com outro id.',
  cannotRecord:
    'O agente não conseguiu gravar a chamada em disco; nada foi enviado. Confira o espaço e as permissões do disco e tente novamente.',
  internal: 'O agente encontrou um erro interno. A operação pode ter sido executada.',
  internalSafe: 'O agente encontrou um erro interno. Tente novamente em instantes.',

  ordersNotConfigured:
    'O recebimento de pedidos não está configurado: defina SERVICE_WEBHOOK_PORT e as chaves da plataforma.',
  orderUnknown: 'Este pedido não existe no agente: veja os pedidos em aberto com orders.open.',
  orderClosed: 'Este pedido já foi encerrado: veja em orders.open como ele terminou.',
  orderNotRecorded:
    'O agente não conseguiu gravar o pedido em disco. Confira o espaço e as permissões do disco e tente novamente.',
  orderWaitsFor: {
    offered: 'O servidor do jogo deve gravar o pedido e responder com observedQuantity.',
    taken: 'O servidor do jogo deve entregar o item e chamar transaction.delivery.',
    'put-off': 'A plataforma deve enviar o pedido de novo, a partir de retryAt.',
    closed: 'Nada: o pedido foi encerrado.',
  },

  hostNotLoopback: 'Pedido recusado: o cabeçalho Host deve ser um só e local, por exemplo 127.0.0.1:8899.',
  fromBrowser: 'Pedido recusado: páginas da web não podem chamar o agente.',
  contentType: 'Envie o corpo como application/json, ou sem Content-Type.',
  transferEncoding: 'Envie o corpo sem Transfer-Encoding, ou só com chunked.',
  lengthInvalid: 'O cabeçalho Content-Length é inválido.',
  bodyTooLarge: 'O corpo passa de 65536 bytes.',
  tokenMissing: 'Envie o cabeçalho Authorization: Bearer com o token do agente.',
  notFound: 'Rota inexistente: use POST /call, GET /operations ou GET /health.',
  methodNotAllowed: (allowed: string) => `Método não permitido nesta rota: use ${allowed}.`,
  tooManyWaiting: 'Há chamadas demais em andamento: espere alguma terminar e tente novamente.',
  shuttingDown: 'O agente está sendo encerrado; nada foi enviado. Tente novamente em instantes.',
  requestMalformed: 'O pedido HTTP é inválido ou chegou incompleto.',
} as const
