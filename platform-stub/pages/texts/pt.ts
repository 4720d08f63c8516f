import { html } from 'hono/html'
import type { Texts } from './en.ts'
import * as guide from './pt-first-sale.ts'
import * as market from './pt-market.ts'
import * as traffic from './pt-traffic.ts'

/** The texts of the developer's pages in Brazilian Portuguese. `en.ts` says how texts are written. */
export const pt: Texts = {
  ...guide,
  ...market,
  ...traffic,
  lang: 'pt-BR',
  otherLanguage: { lang: 'en', name: 'English' },

  common: {
    search: 'Buscar',
    copy: 'Copiar',
    copied: 'Copiado',
    selected: 'Selecionado: aperte Ctrl+C',
    copyNamed: (name) => `Copiar: ${name}`,
    no: 'Nº',
    number: (id) => `nº ${id}`,
    all: 'tudo',
  },

  menu: {
    '/console/overview': 'Visão geral',
    '/console/first-sale': 'Primeira venda',
    '/console/transactions': 'Transações',
    '/console/listings': 'Anúncios',
    '/console/webhooks': 'Webhooks',
    '/console/requests': 'Requisições',
    '/console/game-servers': 'Servidores de jogo',
    '/console/faults': 'Falhas',
    '/openapi.json': 'OpenAPI',
  },

  layout: {
    skip: 'Ir para o conteúdo',
    menu: 'Console',
    updates: 'Atualizações',
    live: 'ao vivo',
    lost: 'reconectando…',
    notLive: 'parada',
    noScript:
      'O console age pelas rotas de controle e precisa de JavaScript para isso. Sem ele dá para ler e recarregar a página.',
    close: 'Fechar',
    noAnswer: 'O stub não respondeu. Ele ainda está rodando?',
    notFound: 'Página não encontrada',
    doesNotExist: 'Isto não existe',
    allThatThereAre: 'Ver a lista completa',
  },

  list: {
    pages: 'Páginas',
    before: { first: 'Mais recentes', next: 'Anteriores' },
    after: { first: 'Início', next: 'Mais' },
  },

  overview: {
    active: 'Anúncios ativos',
    pending: 'Webhooks pendentes',
    refused: 'Assinaturas recusadas',
    ofTheLast: (count) => `das últimas ${count}`,
    states: 'Estados',
    aboutStates:
      'O stub funciona por estas máquinas de estados. Os números contam transações e anúncios; um estado leva às suas transações.',
    newest: 'Transações mais recentes',
    none: 'Nenhuma ainda.',
    waiting: 'O que espera o seu servidor de jogo',
    nothingWaits: 'Nada: todo pedido pago já foi entregue ou encerrado.',
    allThatWait: (count) => `Todos os ${count}`,
    paid: (when) => html`pago ${when}`,
    startOver: 'Começar de novo',
    aboutReset: 'Apaga tudo, menos os servidores de jogo e suas chaves, e volta o relógio à hora real.',
    reset: 'Apagar tudo',
    isSure: 'Apagar tudo, menos os servidores de jogo e suas chaves?',
  },

  gameServers: {
    none: 'Nenhum servidor de jogo ainda',
    registerAbove: 'Registre o primeiro acima.',
    registerOne: 'Registrar um servidor',
    about: html`O stub emite a chave de API e gera o par de chaves, como faria a equipe da plataforma. Depois dá para baixar o <code>agent.env</code>.`,
    name: 'Nome',
    laterWebhookUrl: 'URL de webhook (pode ficar para depois)',
    register: 'Registrar',
    columns: { name: 'Nome', webhooks: 'Webhooks vão para', registered: 'Registrado' },
    nowhere: 'lugar nenhum: eles esperam',
  },

  gameServer: {
    title: (id) => `Servidor de jogo ${id}`,
    registered: (when) => html`registrado ${when}`,
    agent: 'O agente',
    files: 'Coloque os arquivos em uma pasta e inicie o agente nela.',
    ownKey: html`O servidor de jogo gerou o próprio par de chaves: coloque ali a chave privada, com o nome <code>signing-key.pem</code>.`,
    inShell: 'Ou, em um shell:',
    webhooks: 'Os webhooks',
    goTo: (url) => html`Eles vão para ${url}`,
    noAddress: 'Ainda sem endereço: as entregas esperam até que haja um.',
    webhookUrl: 'URL de webhook',
    save: 'Salvar',
    letWait: 'Deixar esperando',
  },

  characters: {
    title: 'Os personagens',
    character: 'Personagem',
    letSell: 'Liberar vendas',
    none: 'Nenhum personagem ainda',
    comesWith: 'Um personagem aparece quando é vinculado, ou quando você o informa acima.',
    columns: { character: 'Personagem', maySell: 'Pode vender', flags: 'Situação' },
    yes: 'sim',
    flags: {
      account: 'conta',
      linked: 'vinculado',
      recipientApproved: 'recebedor aprovado',
      banned: 'banido',
      sellingBlocked: 'vendas bloqueadas',
    },
  },

  faults: {
    about:
      'Uma falha atinge as próximas requisições ou tentativas correspondentes, uma vez cada, e a contagem diminui. A que foi programada primeiro vale primeiro.',
    requests: 'Requisições de parceiros',
    webhooks: 'Webhooks',
    whatHappens: 'O que acontece',
    operation: 'Operação',
    event: 'Evento',
    any: 'qualquer',
    set: 'Programar falha',
    clear: 'Remover todas',
    areSet: 'Há falhas programadas',
    none: 'Nenhuma programada',
    allWorks: 'Todas as requisições e os webhooks funcionam normalmente.',
    numbers: {
      status: 'Status',
      retryAfterSeconds: 'Retry-After, s',
      delayMs: 'Atraso, ms',
      copies: 'Cópias',
      times: 'Vezes',
    },
    ofRequests: {
      status: 'a requisição recebe este status; nada é feito',
      delay: 'a requisição é processada mais tarde',
      'hang-up-before': 'a conexão é fechada; nada é feito',
      'hang-up-after': 'a requisição é processada e depois a conexão é fechada sem resposta',
      truncate: 'a requisição é processada; só metade da resposta é enviada',
    },
    ofWebhooks: {
      duplicate: 'várias cópias são enviadas de uma vez',
      reorder: 'um transfer_order é enviado depois do seu transaction_terminal',
      'wrong-kid': 'assinado com um kid desconhecido',
      expired: 'assinado com um exp no passado',
      'altered-body': 'o corpo é diferente do que foi assinado',
      delay: 'enviado mais tarde',
      'drop-response': 'entregue, mas a resposta se perde',
    },
  },

  clock: {
    name: 'Relógio do stub',
    travelling: (distance) => `hora ${distance}`,
    explanation: 'Tudo o que vence no caminho é feito na ordem dos horários.',
    jumps: { 60: '+1 min', 900: '+15 min', 3600: '+1 h', 86400: '+1 dia' },
    travel: 'Ir',
    moment: 'Para um momento, em UTC',
    momentForm: 'ISO-8601 em UTC, como 2026-12-31T23:59:00Z',
    zone: 'Mostrar horários em',
    zones: { local: 'fuso deste aparelho', brasilia: 'horário de Brasília', utc: 'UTC' },
    isReal: 'O stub usa o relógio desta máquina.',
    back: 'Voltar à hora real',
  },
}
