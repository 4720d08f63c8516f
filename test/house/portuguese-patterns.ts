import type { SentencePattern } from './sentence-patterns.ts'

/** The patterns of Portuguese that a program can find, and words that are not those of `docs/pt-BR/glossary.md`. */
export const portuguesePatterns: readonly SentencePattern[] = [
  {
    name: 'dar um item',
    pattern:
      /\b(?:d[áê]|dar|deu|dão|der|dando) (?:(?:[oa]|um|cada|este|esse|nenhum) )?(?:item|itens|nada)\b|\b(?:item|itens|nada) (?:[\wà-ú]+ ){0,2}dad[oa]s?\b/giu,
    better: 'entregar',
    before: 'O item já foi dado. Depois ele confirma e não dá nada.',
    after: 'O item já foi entregue. Depois ele confirma e não entrega nada.',
  },
  {
    name: 'avisar um fato à plataforma',
    pattern:
      /\bavis(?:a|am|ar|ou|e|ando|ad[oa]) (?:X|OUT_OF_STOCK|TEMPORARY|a entrega|[oa] (?:falha|resultado)|uma (?:entrega|falha))(?![\wà-ú])|(?:X|OUT_OF_STOCK|TEMPORARY) é avisad[oa]|\baviso (?:X|TEMPORARY|de falha|à plataforma)/gu,
    better: 'informar',
    before: 'Ele só avisa `OUT_OF_STOCK` com certeza, em um aviso de falha.',
    after: 'Ele só informa `OUT_OF_STOCK` com certeza.',
  },
  {
    name: 'o início de um programa',
    pattern: /\b(?:o|ao|no|cada|próximo|primeiro|um|desde o|depois do) início\b(?! d[aeo]s?\b)/giu,
    better: 'a inicialização, ao iniciar',
    before: 'O agente avisa a cada início.',
    after: 'O agente avisa a cada inicialização.',
  },
  {
    name: 'assinatura boa, ruim',
    pattern: /\bassinaturas? (?:[\wà-ú]+ )?(?:boas?|ruim|ruins|más?)(?![\wà-ú])/giu,
    better: 'válida, inválida',
    before: 'Assinaturas boas e ruins em arquivos.',
    after: 'Assinaturas válidas e inválidas em arquivos.',
  },
  {
    name: 'pegar',
    pattern: /\bpeg(?:a|am|ar|o|ou|aram|ue|uem|ad[oa]s?|os|ando)(?![\wà-ú])/giu,
    better: 'reservar, obter, abrir',
    before: 'Uma requisição já pega espera.',
    after: 'Uma requisição já reservada espera.',
  },
  {
    name: 'o fim de um pedido, os fins',
    pattern:
      /\bos fins\b(?! de)|\b(?:avisos?|eventos?) d[eo] fim\b|\bfim d[eo] (?:um )?pedidos?\b|\bevento (?:final|terminal)\b/giu,
    better: 'o aviso de encerramento',
    before: 'O aviso do fim está a caminho, e os fins têm vagas próprias.',
    after: 'O aviso de encerramento está a caminho, e os avisos de encerramento têm vagas próprias.',
  },
  {
    name: 'vir de novo',
    pattern: /\b(?:vem|vêm|vier|vierem|veio|vieram|vindo|vir) (?:de novo|outra vez|duas vezes|três vezes)/giu,
    better: 'ser reenviado, chegar de novo',
    before: 'O pedido vem de novo.',
    after: 'O pedido é reenviado.',
  },
  {
    name: 'dizer, como o verbo de um programa',
    pattern: /\b(?:diz|dizem|disser|disserem)\b/giu,
    better: 'indicar, mostrar, informar, explicar',
    before: 'O log diz qual arquivo é.',
    after: 'O log mostra qual arquivo é. Isso quer dizer que ele não foi lido.',
  },
  {
    name: 'alcançar',
    pattern: /\b(?:in)?alcan[cç][\wà-ú]+/giu,
    better: 'acessar, acessível',
    before: 'A porta não pode ser alcançada de fora.',
    after: 'A porta não é acessível de fora.',
  },
  {
    name: 'ver que, ver se',
    pattern: /\b(?:veja|ver|vendo) (?:que|se)\b/giu,
    better: 'conferir se, saber se',
    before: 'Veja que o log mostra o kid novo.',
    after: 'Confira se o log mostra o kid novo.',
  },
  {
    name: 'em ordem',
    pattern: /\bem ordem\b(?! (?:alfabética|crescente|decrescente))/giu,
    better: 'normalmente, na ordem',
    before: 'Parado em ordem por um sinal.',
    after: 'Parado normalmente por um sinal.',
  },
  {
    name: 'levar a um endereço',
    pattern: /\b(?:leva|levam|levar) (?:a|até|ao|à) (?:X|ela|ele|esta|este|porta|ponte|máquina)(?![\wà-ú])/giu,
    better: 'encaminhar para, apontar para',
    before: 'O túnel pode levar a `127.0.0.1:8898`.',
    after: 'O túnel pode encaminhar para `127.0.0.1:8898`.',
  },
  {
    name: 'onde uma queda não o perde',
    pattern: /\bonde (?:uma queda|um kill|uma falta de energia) não\b|\bnão [oa]s? perde(?:m)? em uma queda\b/giu,
    better: 'que sobrevive a uma queda',
    before: 'Grave o item onde uma queda não o perde.',
    after: 'Grave o item de um modo que sobrevive a uma queda.',
  },
  {
    name: 'dele, dela duas vezes em uma frase',
    pattern: /\bdel[ea]s?\b[^.:;|]*\bdel[ea]s?\b/giu,
    better: 'o artigo, ou o nome',
    before: 'A chave dele e o kid dela valem.',
    after: 'A chave e o kid valem.',
  },
  {
    name: 'uma palavra que não é do glossário',
    pattern:
      /\bservidor(?:es)? do jogo\b|\bsolicitaç(?:ão|ões)\b|\bpedidos? (?:HTTP|GET|POST)\b|\bpedidos? (?:não é HTTP|não é um arquivo|recusado:|veio de outra)|\bencomendas?\b|\b(?:página de|no|do|o) checkout\b|\bprodutos?\b|\breembols[\wà-ú]+|\bunidades? (?:do systemd|modelo|systemd)\b|\bordens? de (?:transferência|entrega)\b/giu,
    better: 'servidor de jogo, requisição, pedido, item, estorno, unit, página de pagamento',
    before: 'Pedido recusado: o servidor do jogo envia uma solicitação, e o reembolso do produto é uma encomenda.',
    after: 'O servidor de jogo envia uma requisição, e o estorno do item é um pedido.',
  },
]
