// Um servidor de jogo pequeno e completo que recebe os pedidos do market-agent por POST. Sem pacotes; Node 18 ou mais novo.
import * as fs from 'node:fs'
import { createServer } from 'node:http'
import { createInterface } from 'node:readline'
import { json } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'

const { AGENT_URL = 'http://127.0.0.1:8899', GAME_PORT = '9000', WORLD_DIR = 'world' } = process.env
const token = process.env.SERVICE_WEBHOOK_FORWARD_TOKEN
if (!token) throw new Error('defina SERVICE_WEBHOOK_FORWARD_TOKEN com o mesmo valor que no agente')

// 1. O mundo: fica na memória e é gravado inteiro depois de cada mudança. Faz o papel do banco de dados do jogo.
fs.mkdirSync(WORLD_DIR, { recursive: true })
const folder = process.platform === 'win32' ? undefined : fs.openSync(WORLD_DIR)
const path = `${WORLD_DIR}/world.json`
const text = fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : '{"offers":{},"orders":{},"mail":[],"full":[]}'
const { offers, orders, mail, full: saved } = JSON.parse(text)
const full = new Set(saved)
Object.setPrototypeOf(offers, null) // assim um item também pode se chamar "constructor"

/** Tudo ou nada: o arquivo tem o mundo de antes ou o de depois. Um erro aqui encerra o programa. */
function save(said = 'ok') {
  const file = fs.openSync(`${path}.tmp`, 'w')
  fs.writeFileSync(file, JSON.stringify({ offers, orders, mail, full: [...full] }, null, 1))
  fs.fsyncSync(file)
  fs.closeSync(file)
  fs.renameSync(`${path}.tmp`, path)
  if (folder) fs.fsyncSync(folder) // o novo nome também sobrevive a uma queda de energia
  return { said }
}

/** O que resta para outros compradores: as unidades de um pedido adiado estão separadas para ele. */
function left(item) {
  const aside = Object.values(orders).filter((order) => order.item === item && order.result === 'TEMPORARY')
  return Math.max(0, (offers[item]?.quantity ?? 0) - aside.reduce((sum, { quantity }) => sum + quantity, 0))
}

// 2. Um pedido: se ainda não foi decidido, decidir e entregar em uma gravação só. Depois, responder o que aconteceu.
function take({ transactionId: id, itemRef: item, quantity, buyerCharacterRef: buyer }) {
  if (!orders[id] || orders[id].result === 'TEMPORARY') {
    delete orders[id] // as unidades que estavam separadas são para ele
    const isGone = offers[item] && left(item) < quantity // só com certeza: o comprador recebe o dinheiro de volta
    const mustWait = !offers[item] || full.has(buyer) // na dúvida: o pedido volta mais tarde
    const result = isGone ? 'OUT_OF_STOCK' : mustWait ? 'TEMPORARY' : 'DELIVERED'
    if (result === 'DELIVERED') {
      offers[item].quantity -= quantity
      mail.push({ buyer, item, quantity, id })
    }
    orders[id] = { result, item, quantity }
    save()
    console.log(`pedido ${id}: ${isGone ? 'sem estoque' : mustWait ? 'adiado' : 'entregue'}`)
  }
  return { observedQuantity: left(item), result: orders[id].result }
}

/** Acabou: o que não foi entregue não será mais, e as unidades separadas ficam livres. */
function end({ transactionId: id, itemRef: item, outcome }) {
  if (orders[id]?.result !== 'DELIVERED') orders[id] = { item, quantity: 0, ...orders[id], result: 'OUT_OF_STOCK' }
  save()
  console.log(`pedido ${id}: encerrado ${outcome}`)
}

createServer(async (request, response) => {
  if (request.headers.authorization !== `Bearer ${token}`) return response.writeHead(401).end() // não é o agente
  const event = await json(request).catch(() => undefined)
  const handle = event?.event === 'transfer_order' ? take : event?.event === 'transaction_terminal' && end
  response.writeHead(handle ? 200 : 400).end(handle ? JSON.stringify(handle(event)) : undefined)
}).listen(GAME_PORT, '127.0.0.1', () => console.log('pronto'))

// 3. Chamar o agente. Ele assina, envia e repete. Nenhuma destas chamadas precisa de um id.
async function call(operation, input) {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, signal: AbortSignal.timeout(40_000) }
  const answer = await fetch(`${AGENT_URL}/call`, { ...init, body: JSON.stringify({ operation, input }) })
    .then((response) => response.json()) // o agente responde em 30 s
    .catch(() => ({ ok: false }))
  const isRefused = !answer.uncertain && [400, 403, 404, 409, 422].includes(answer.status)
  if (answer.ok) return { ...answer, said: answer.data?.url ?? answer.data?.checkoutUrl ?? 'ok' }
  return { ...answer, isRefused, said: isRefused ? `recusado: ${answer.message}` : 'sem resposta' }
}

async function register(item, isFirst) {
  const { seller: sellerCharacterRef, quantity: quantityListed, cents: unitAmountCents } = offers[item]
  const texts = { itemRef: item, gameItemId: item, itemName: item, attributes: 'Item do jogo', sellerCharacterRef }
  const answer = await call('market.register', { ...texts, quantityListed, unitAmountCents }) // 409: já valeu
  if (answer.ok || (answer.status === 409 && !isFirst)) offers[item].state = 'listed'
  else if (isFirst && answer.isRefused) delete offers[item]
  return save(answer.said)
}

// 4. Os comandos e o laço.
const commands = {
  link: (characterRef) => call('character.link', { characterRef }),
  buy: (itemRef, n, buyer) => call('transaction.create', { itemRef, quantity: +n, buyerCharacterRef: buyer }),
  withdraw: (itemRef) => call('market.withdraw', { itemRef }),
  list(item, seller, quantity, cents) {
    if (offers[item]) return { said: 'recusado: este item já tem anúncio' }
    offers[item] = { state: 'registering', seller, quantity: Number(quantity), cents: Number(cents) }
    save() // antes da chamada: sem resposta, ou depois de uma queda, o laço tenta de novo
    return register(item, true)
  },
  sold(item, quantity) {
    if (!(quantity > 0 && quantity <= left(item))) return { said: 'recusado: não há tanto' }
    offers[item].quantity -= quantity
    save()
    return call('market.adjust-stock', { itemRef: item, observedQuantity: left(item) })
  },
  full: (buyer) => full.add(buyer) && save(),
  room: (buyer) => (full.delete(buyer) ? save() : { said: 'ok' }),
}

const lines = []
createInterface({ input: process.stdin }).on('line', (line) => lines.push(line.trim().split(/\s+/)))
for (let n = 0; ; n++) {
  for (const [name, ...words] of lines.splice(0)) {
    const isKnown = Object.hasOwn(commands, name) && commands[name].length === words.length
    console.log(`${name}: ${isKnown ? (await commands[name](...words)).said : 'recusado: comando desconhecido'}`)
  }
  for (const item in n % 20 ? {} : offers) if (offers[item].state === 'registering') await register(item)
  await wait(50)
}
