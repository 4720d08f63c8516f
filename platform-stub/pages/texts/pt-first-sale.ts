import { html } from 'hono/html'
import type { Texts } from './en.ts'

// The Portuguese texts of the page of the first sale.

export const firstSale: Texts['firstSale'] = {
  title: 'Sua primeira venda',
  about:
    'Sete passos, uns cinco minutos. Cada passo é marcado assim que a plataforma o vê acontecer. Não é preciso recarregar nada.',
  progress: (done, all) => `${done} de ${all} passos concluídos`,
  choose: 'Mostrar os comandos para',
  ways: { files: 'arquivos (sh)', examples: 'um exemplo' },
  where: {
    started: (agentUrl) =>
      html`O <code>npm start</code> está rodando o stub e um agente (${agentUrl}). Digite os comandos em outro terminal.`,
    own: html`O <code>npm start</code>, no repositório, faria os primeiros passos por você. Sem ele, coloque <code>platform-stub</code> e <code>market-agent</code> no seu <code>PATH</code> e rode os comandos em uma só pasta.`,
  },
  states: { done: 'concluído', now: 'agora', later: 'ainda não' },
  how: 'Como se faz',
  example: {
    type: html`Digite isto no servidor de jogo. Um exemplo com arquivos lê isto do arquivo <code>console.txt</code>, na pasta do mundo dele.`,
    fetched: html`Inicie um destes exemplos em outro terminal, como no <code>README.pt-BR.md</code> do exemplo. Ele mostra <code>pronto</code>. Ele pergunta pelos pedidos ou os lê de arquivos:`,
    posted: (url) =>
      html`Inicie um destes exemplos em outro terminal, como no <code>README.pt-BR.md</code> do exemplo. Ele mostra <code>pronto</code>. O agente envia os pedidos por POST para ${url}:`,
    wantPosted: html`Para os exemplos que recebem pedidos por POST (Node, Java, C#, PHP), inicie com <code>npm start -- --forward-url http://127.0.0.1:9000/orders --forward-token segredo</code>.`,
    wantFetched: html`Para os exemplos que perguntam pelos pedidos ou leem arquivos (Python, Go, Lua, C++, shell, PHP com cron, batch do Windows), inicie só com <code>npm start</code>.`,
  },
  byItself: 'O servidor de jogo do exemplo faz isto sozinho, um ou dois segundos depois.',
  steps: {
    server: {
      title: 'Registre o servidor de jogo',
      text: html`Na plataforma real, a equipe faz isto. O servidor de jogo recebe uma chave de API, uma chave para assinar e um endereço para os webhooks. Aqui, o <code>provision</code> faz o registro e grava as configurações do agente em <code>game/</code>.`,
    },
    call: {
      title: 'Faça a primeira chamada assinada',
      text: html`O agente assina todas as chamadas, então o seu servidor de jogo não precisa de criptografia. Inicie o agente em um terminal só dele e deixe rodando.`,
    },
    link: {
      title: 'Vincule um personagem',
      text: html`O vendedor precisa de uma conta na plataforma. O jogo pede um link, e o jogador abre o link e confirma.`,
    },
    listing: {
      title: 'Anuncie um item',
      text: html`A oferta do jogador no jogo vira um anúncio com preço. O <code>itemRef</code> é seu e nunca é usado de novo.`,
    },
    purchase: {
      title: 'Compre o item',
      text: html`Um comprador escolhe o item. O preço vem do anúncio, e a resposta traz o endereço em que o comprador paga.`,
    },
    payment: {
      title: 'Espere o pagamento',
      text: html`O comprador paga na página de pagamento. Depois a plataforma envia o webhook assinado <code>transfer_order</code>. O agente verifica o webhook e guarda o pedido até o servidor de jogo responder.`,
    },
    delivery: {
      title: 'Entregue o item',
      text: html`O servidor de jogo precisa de um só handler. Ele entrega o item de um <code>transactionId</code> que ainda não conhece, em uma única transação dele. Depois responde com <code>DELIVERED</code>, e o agente informa isso à plataforma. Se o pedido ainda não aparece, pergunte de novo.`,
    },
  },
  started: {
    server: html`Na plataforma real, a equipe faz isto. O servidor de jogo recebe uma chave de API, uma chave para assinar e um endereço para os webhooks. Aqui, o <code>npm start</code> já fez o registro.`,
    call: html`O agente assina todas as chamadas, então o seu servidor de jogo não precisa de criptografia. O agente já está rodando.`,
  },
  registerHere: (link) =>
    html`Ou ${link} no console e baixe os arquivos do agente. Assim o stub fica com a chave de assinatura e pode fazer o papel do servidor de jogo.`,
  registerHereLink: 'registre',
  refused: (requests) =>
    html`A plataforma recusou uma assinatura. ${requests} mostra qual verificação falhou e o que fazer.`,
  refusedLink: 'A lista de requisições',
  openLink: 'Abrir a página do jogador',
  toApprove: html`Falta ao vendedor um recebedor aprovado. Na plataforma real, a equipe aprova.`,
  approve: 'Aprovar o recebedor',
  buyHere: 'Ou deixe o stub comprar:',
  buyOne: 'Comprar um',
  openCheckout: 'Abrir a página de pagamento',
  pay: 'Pagar',
  noAddress: (server) => html`O webhook está esperando, porque ${server} não tem endereço de webhook.`,
  isOver: (transaction) => html`${transaction} já terminou. Compre mais uma vez.`,
  deliverHere: 'Ou deixe o stub entregar no lugar dele:',
  deliver: 'Entregar',
  finished: {
    title: 'Vendido, pago e entregue',
    text: 'Essa foi uma venda completa. A partir de agora, o console abre na visão geral. O que você pode tentar em seguida:',
    see: (transaction) => html`Veja tudo o que aconteceu com ${transaction}.`,
    fail: html`Faça uma entrega falhar: responda <code>OUT_OF_STOCK</code>, e o comprador recebe o dinheiro de volta. Responda <code>TEMPORARY</code>, e o pedido é reenviado.`,
    fault: (faults) =>
      html`Perca uma resposta ou envie um pedido duas vezes, com ${faults}. Derrube o servidor de jogo entre o pedido e a entrega.`,
    faults: 'uma falha',
  },
}
