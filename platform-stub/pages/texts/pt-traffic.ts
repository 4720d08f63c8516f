import { html } from 'hono/html'
import type { Texts } from './en.ts'

// The Portuguese texts of requests and webhooks. `en.ts` says how texts are written.

export const requests: Texts['requests'] = {
  about: (count) => `As últimas ${count} requisições de parceiros. Elas se perdem quando o stub termina.`,
  title: (id) => `Requisição ${id}`,
  searchFor: 'Caminho, corpo, kid ou mensagem',
  nothingFits: 'Nada corresponde à busca.',
  bodies: 'Corpos',
  sent: 'Enviado',
  answered: 'Resposta',
  noBody: 'Sem corpo.',
  headers: 'Cabeçalhos',
  headersNotKept: 'Não guardados: cabeçalhos longos só ficam com as cem requisições mais recentes.',
  noCredentials: 'sem credenciais: é assim que um agente pergunta a hora da plataforma',
  bodyNotKept: 'Não guardado: corpos longos só ficam com as cem requisições mais recentes.',
  onItsPage: 'Longo: está na página da requisição.',
  path: 'Caminho',
  gameServer: 'Servidor de jogo',
  transaction: 'Transação',
  operation: 'Operação',
  show: 'Mostrar',
  kinds: { all: 'todas', refused: 'assinaturas recusadas', failed: 'diferentes de 200' },
  none: 'Nenhuma requisição aqui',
  comesWith: 'Toda chamada de um servidor de jogo ou cliente do jogo aparece aqui.',
  dropped: 'sem resposta',
  whyStep: (step) => html`Motivo: etapa ${step}`,
  lookAt: 'O que verificar',
  expected: 'Esperado',
  received: 'Recebido',
  yourClock: 'Seu relógio',
  body: 'Corpo',
  bytes: (count) => `${count} bytes`,
  header: 'Seu cabeçalho protegido, decodificado',
  signingInput: 'O texto que a sua assinatura tem que cobrir (signing input)',
  checks: { passed: 'passou', failed: 'falhou', 'not-reached': 'não verificado' },
  clockUnknown: 'desconhecido: o envelope não tem um iat legível',
  clockAgrees: 'igual ao da plataforma',
  clockAhead: (distance) => html`<strong>${distance} adiantado</strong> em relação ao da plataforma`,
  clockBehind: (distance) => html`<strong>${distance} atrasado</strong> em relação ao da plataforma`,
}

export const stepHelp: Texts['stepHelp'] = {
  'api-key':
    'Envie X-Service-Api-Key uma única vez, com a chave do agent.env. Rotas só com assinatura não recebem chave.',
  'header-line': 'Envie um único cabeçalho X-Platform-Signature. Às vezes um proxy o duplica ou descarta.',
  segments:
    'O formato é <protected>..<signature>. Uma biblioteca de JWS compacto põe o payload entre os pontos: tire-o dali.',
  encoding: 'Use base64url: - e _ no lugar de + e /, e nenhum = no final.',
  json: 'O segmento protegido tem que ser, decodificado, um único objeto JSON em UTF-8, sem BOM e sem nome repetido.',
  'forbidden-parameter':
    'Não use crit, b64 nem chave embutida ou remota. No signing input o payload continua codificado em base64url.',
  algorithm: 'Assine com RS256 (RSASSA-PKCS1-v1_5 e SHA-256). PS256 e HS256 são recusados.',
  kid: 'O kid tem que ser aquele com que o servidor de jogo foi registrado. Ele está no agent.env.',
  expiry:
    'Veja abaixo a diferença dos relógios. exp é em segundos, não milissegundos, e no máximo 10 minutos à frente.',
  jti: 'Dê a cada requisição um jti novo, um texto de 1 a 255 caracteres.',
  method: 'htm traz um método diferente do método da requisição. Assine para o método que você envia.',
  url: 'htu traz um caminho diferente do caminho da requisição. Compare letra por letra, sem a query.',
  signature:
    'O cabeçalho está correto, então ou os bytes são outros, ou a chave é outra. Compare o SHA-256 do corpo com o daquilo que você assinou: se forem diferentes, o corpo foi serializado de novo depois da assinatura. Se forem iguais, assine o signing input abaixo e compare; se também for igual, a chave privada está errada.',
  'api-key-owner': 'A chave de API e o kid são de servidores de jogo diferentes. Use os dois do mesmo agent.env.',
  replay: 'Este envelope já foi usado. Assine de novo, com um jti novo, a cada tentativa, inclusive nas repetições.',
}

export const stepExpected: Texts['stepExpected'] = {
  'api-key': 'um único cabeçalho X-Service-Api-Key com a chave de um servidor de jogo registrado',
  'header-line': 'um único cabeçalho X-Platform-Signature de até 4.096 bytes',
  segments: '<protected>..<signature> com o segmento do meio vazio',
  encoding: 'base64url sem padding',
  json: 'um objeto JSON em UTF-8 sem nome repetido',
  'forbidden-parameter': 'nenhum destes: crit, b64, jwk, jku, x5u, x5c, x5t, x5t#S256, zip',
  algorithm: 'o alg RS256',
  kid: 'o kid de uma chave registrada',
  expiry: 'um exp em segundos Unix depois da hora da plataforma, no máximo 10 minutos à frente',
  jti: 'um jti de 1 a 255 caracteres',
  method: 'o htm desta requisição:',
  url: 'um htu com o caminho desta requisição:',
  signature: 'uma assinatura deste kid sobre os bytes recebidos',
  'api-key-owner': 'um kid do servidor de jogo dono da chave de API',
  replay: 'um jti ainda não usado',
}

export const stepReceived: Texts['stepReceived'] = {
  noLine: 'nenhum',
  lines: (count) => `${count} deles`,
  unknownKey: 'uma chave que nenhum servidor de jogo tem',
  longLine: 'um mais longo',
  segments: 'outro formato',
  encoding: 'outra codificação',
  'other-bytes': 'uma assinatura deste kid sobre outros bytes',
  'other-key': 'uma assinatura de outra chave privada, ou danificada',
  'api-key-owner': 'um kid de outro servidor de jogo',
}

export const webhooks: Texts['webhooks'] = {
  searchFor: 'Número, item ou personagem',
  nothingFits: 'Nada corresponde à busca.',
  tests: 'eventos de teste',
  label: 'Entregas de webhooks',
  byStateAndEvent: 'Por estado e evento',
  states: { pending: 'pendente', acknowledged: 'confirmado', ended: 'encerrado' },
  none: 'Nenhum webhook aqui',
  comesWith: 'Um transfer_order sai assim que uma compra é paga.',
  columns: {
    time: 'Horário',
    event: 'Evento',
    transaction: 'Transação',
    state: 'Estado',
    attempts: 'Tentativas',
    lastAnswer: 'Última resposta',
    nextTry: 'Próxima tentativa',
    act: 'Ação',
  },
  isHeld: 'retido',
  resend: 'Reenviar',
}

export const webhook: Texts['webhook'] = {
  once: 'Enviado uma vez',
  address: 'Endereço',
  elsewhere: 'Enviar para outro lugar',
  aboutElsewhere:
    'Vai uma vez para este endereço, com uma nova assinatura. O endereço do servidor de jogo, as próximas tentativas e o estoque ficam como estão.',
  sendElsewhere: 'Enviar uma vez',
  title: (id) => `Webhook ${id}`,
  transaction: (link) => html`Transação ${link}`,
  nextTry: (when) => html`Próxima tentativa: ${when}`,
  payload: 'Payload',
  byteForByte: 'Byte por byte, como é assinado e enviado',
  attempts: (count) => (count === 1 ? '1 tentativa' : `${count.toLocaleString('pt-BR')} tentativas`),
  notTried: 'Nenhuma tentativa ainda',
  goesOut: 'Sai na hora marcada.',
  noUrl: (gameServer) => html`O servidor de jogo não tem URL de webhook: <a href="${gameServer}">defina uma</a>.`,
  attempt: (number) => `Tentativa ${number}`,
  again: (length) => `outra ${length} depois`,
  signature: 'Assinatura, decodificada',
  answer: 'Resposta',
  noAnswer: 'Nenhuma.',
  noBody: 'Sem corpo.',
  from: (url) => html`De ${url}`,
  headers: 'Todos os cabeçalhos',
  sent: 'Enviado',
  whenSent: (at) => html`${at}, no momento do envio`,
  afterSent: (at, length) => html`${at}, ${length} depois do envio`,
  beforeSent: (at, length) => html`${at}, ${length} antes do envio`,
}

/** Webhooks without a sale. */
export const testEvents: Texts['testEvents'] = {
  title: 'Eventos de teste',
  one: (id) => `Evento de teste ${id}`,
  badge: 'teste',
  sendOne: 'Enviar um evento de teste',
  about: 'É assinado como um evento real e enviado uma só vez, sem nenhuma venda. Campos vazios valem o que mostram.',
  event: 'Evento',
  gameServer: 'Servidor de jogo',
  transaction: 'Transação de um teste anterior',
  newOne: 'uma nova',
  address: 'Endereço, só desta vez',
  ownAddress: 'o do servidor de jogo',
  send: 'Enviar',
  sentTo: 'Enviado para',
  none: 'Nenhum evento de teste ainda',
  comesWith: 'Envie o primeiro acima.',
}

export const attempt: Texts['attempt'] = {
  noAnswer: 'sem resposta',
  remarks: {
    'not-taken': 'o servidor de jogo ainda não aceitou',
    'no-stock': 'sem observedQuantity na resposta: o estoque continua como estava',
  },
  fault: (kind) => `falha: ${kind}`,
}
