import type { Texts } from './en.ts'

/** The texts of the developer's pages in Brazilian Portuguese. `en.ts` says how texts are written. */
export const pt: Texts = {
  lang: 'pt-BR',
  otherLanguage: { lang: 'en', name: 'English' },

  common: {
    copy: 'Copiar',
    copied: 'Copiado',
  },

  menu: {
    '/console': 'Visão geral',
    '/console/transactions': 'Transações',
    '/console/listings': 'Anúncios',
    '/console/webhooks': 'Webhooks',
    '/console/requests': 'Requisições',
    '/console/game-servers': 'Servidores de jogo',
    '/console/faults': 'Falhas',
    '/docs': 'Referência da API',
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

  attempt: {
    noAnswer: 'sem resposta',
    noObservation: 'sem observedQuantity na resposta: o estoque continua como estava',
    fault: (kind) => `falha: ${kind}`,
  },

  clock: {
    name: 'Relógio do stub',
    travelling: (distance) => `ajustado em ${distance}`,
    explanation: 'Tudo o que vence no caminho é feito em ordem, cada coisa no seu horário.',
    jumps: { 60: '+1 min', 900: '+15 min', 3600: '+1 h', 86400: '+1 dia' },
    travel: 'Ir',
    moment: 'Para um momento, em UTC',
    momentForm: 'ISO-8601 em UTC, como 2026-12-31T23:59:00Z',
    isReal: 'O stub usa o relógio desta máquina.',
    back: 'Voltar à hora real',
  },
}
