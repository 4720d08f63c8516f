// Um servidor de jogo pequeno e completo que vende itens pelo market-agent, por HTTP. Sem pacotes; Node 18 ou mais novo.
import * as fs from 'node:fs'
import { createServer } from 'node:http'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'

const agentUrl = process.env.AGENT_URL ?? 'http://127.0.0.1:8899'
const gamePort = Number(process.env.GAME_PORT ?? 9000)
const worldDir = process.env.WORLD_DIR ?? 'world'
const worldPath = `${worldDir}/world.txt`
const start = Date.now()

// 1. O mundo: fica na memória e é gravado inteiro depois de cada mudança. Faz o papel do banco de dados do jogo.
const offers = new Map() // item -> { state, tries, seller, quantity, cents }
const orders = new Map() // id -> { state, item, quantity, buyer, tries }
const mail = [] // { buyer, item, quantity, id }
const full = new Set()
const unsure = new Set() // pedidos que vieram do arquivo
const inDoubt = new Set() // anúncios que talvez já existam: a resposta não veio

function load() {
  fs.mkdirSync(worldDir, { recursive: true })
  if (!fs.existsSync(worldPath)) return
  for (const line of fs.readFileSync(worldPath, 'utf8').split('\n')) {
    const [kind, name, ...w] = line.trim().split(' ')
    if (kind === 'offer')
      offers.set(name, { state: w[0], tries: Number(w[1]), seller: w[2], quantity: Number(w[3]), cents: Number(w[4]) })
    // A chamada pode ter saído antes da queda.
    if (kind === 'offer' && w[0] === 'registering') inDoubt.add(name)
    if (kind === 'order') {
      orders.set(Number(name), { state: w[0], item: w[1], quantity: Number(w[2]), buyer: w[3], tries: Number(w[4]) })
      unsure.add(Number(name))
    }
    if (kind === 'mail') mail.push({ buyer: name, item: w[0], quantity: Number(w[1]), id: Number(w[2]) })
    if (kind === 'full') full.add(name)
  }
}

/** Tudo ou nada: o arquivo tem o mundo de antes ou o de depois. Um erro aqui encerra o programa. */
function save() {
  const lines = []
  for (const [item, o] of offers) lines.push(`offer ${item} ${o.state} ${o.tries} ${o.seller} ${o.quantity} ${o.cents}`)
  for (const [id, o] of orders) lines.push(`order ${id} ${o.state} ${o.item} ${o.quantity} ${o.buyer} ${o.tries}`)
  for (const m of mail) lines.push(`mail ${m.buyer} ${m.item} ${m.quantity} ${m.id}`)
  for (const character of full) lines.push(`full ${character}`)
  try {
    const file = fs.openSync(`${worldPath}.tmp`, 'w')
    fs.writeFileSync(file, lines.map((line) => `${line}\n`).join(''))
    fs.fsyncSync(file)
    fs.closeSync(file)
    fs.renameSync(`${worldPath}.tmp`, worldPath)
  } catch (error) {
    console.log(`o mundo não pôde ser gravado: ${error.message}`)
    process.exit(1) // a memória não pode saber mais do que o disco
  }
}

/** O que resta para outros compradores: sem as unidades dos pedidos que ainda serão entregues. */
function observed(item) {
  let left = offers.get(item)?.quantity ?? 0
  for (const o of orders.values()) if (o.item === item && /^(taken|put-off)$/.test(o.state)) left -= o.quantity
  return Math.max(0, left)
}

// 2. Chamar o agente. Sem resposta, a mesma chamada vai de novo com o mesmo id, e continua sendo uma só.
async function call(operation, input, id) {
  const body = JSON.stringify({ operation, input, id })
  const headers = { 'content-type': 'application/json' }
  const signal = AbortSignal.timeout(40_000) // o agente responde em 30 s; vale para todas as tentativas
  for (let tries = 0; tries < 4; tries++) {
    try {
      const response = await fetch(`${agentUrl}/call`, { method: 'POST', headers, body, signal })
      return await response.json()
    } catch {
      await wait(1_000)
    }
  }
  return { ok: false, status: 503, uncertain: true }
}

/** Uma recusa certa. O resto é dúvida, ou passa: tenta-se de novo. */
function isRefused({ ok, uncertain, status }) {
  return !ok && !uncertain && status >= 400 && status < 500 && ![401, 408, 425, 429].includes(status)
}

const failure = (answer) => (isRefused(answer) ? `recusado: ${answer.message}` : 'sem resposta')

// 3. Anunciar. O número da tentativa faz parte do id e é gravado antes da chamada.
async function register(item) {
  const offer = offers.get(item)
  const { quantity: quantityListed, cents: unitAmountCents, seller: sellerCharacterRef } = offer
  const texts = { itemRef: item, gameItemId: item, itemName: item, attributes: 'Item do jogo' }
  const input = { ...texts, quantityListed, unitAmountCents, sellerCharacterRef }
  const answer = await call('market.register', input, `register-${item}-${offer.tries}`)
  if (answer.uncertain) inDoubt.add(item)
  // Na dúvida, o 409 diz que uma tentativa anterior valeu.
  if (answer.ok || (answer.status === 409 && inDoubt.has(item))) offer.state = 'listed'
  else if (answer.uncertain || answer.code === 'ID_REUSED')
    offer.tries++ // tenta com outro id
  else if (isRefused(answer)) offer.state = 'refused'
  save()
  return offer.state === 'listed' ? 'ok' : failure(answer)
}

// 4. Aceitar um pedido: primeiro gravar, depois responder. O mesmo pedido pode chegar mais de uma vez.
function takeOrder({ transactionId: id, itemRef: item, quantity, buyerCharacterRef: buyer }) {
  const order = orders.get(id)
  if (!order || order.state === 'put-off') {
    orders.set(id, { state: 'taken', item, quantity, buyer, tries: order?.tries ?? 0 })
    save()
    console.log(`pedido ${id}: recebido`)
  }
  return { observedQuantity: observed(item) }
}

const server = createServer({ requestTimeout: 10_000 }, async (request, response) => {
  // Uma página da web não consegue enviar este tipo.
  if (request.headers['content-type'] !== 'application/json') return response.writeHead(415).end()
  try {
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    const event = JSON.parse(Buffer.concat(chunks).toString())
    const reply = event.event === 'transfer_order' ? takeOrder(event) : endOrder(event)
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply))
  } catch {
    response.writeHead(400).end()
  }
})

// 5. Entregar, ou dizer por que não. Só a certeza devolve o dinheiro; na dúvida, TEMPORARY.
async function workOrder(id, order) {
  if (unsure.has(id) && !(await isAwaited(id))) return // o aviso do fim está a caminho
  const { item, quantity, buyer, state } = order
  if (state !== 'taken') return
  const offer = offers.get(item)
  if (offer && offer.quantity < quantity) {
    order.state = 'out-of-stock' // gravado antes do reembolso, que não tem volta
    return save()
  }
  if (offer && !full.has(buyer)) {
    offer.quantity -= quantity
    mail.push({ buyer, item, quantity, id })
    order.state = 'delivered'
    save() // o estoque, o correio e o pedido mudam juntos
    return console.log(`pedido ${id}: entregue`)
  }
  const detail = offer ? 'correio cheio' : 'anúncio desconhecido'
  const report = { transactionId: id, reason: 'TEMPORARY', observedQuantity: observed(item), detail }
  const answer = await call('transaction.delivery-failure', report, `failed-${id}-${order.tries + 1}`)
  if (!answer.ok || order.state !== 'taken') return
  order.state = 'put-off' // a plataforma envia o pedido de novo
  order.tries++
  save()
  console.log(`pedido ${id}: adiado`)
}

/** Um pedido lido do arquivo pode ter acabado enquanto este servidor estava parado. A plataforma sabe. */
async function isAwaited(id) {
  const answer = await call('transaction.get', { transactionId: id })
  if (answer.ok && answer.data.deliveryStatus === 'AGUARDANDO_SERVIDOR') unsure.delete(id)
  return !unsure.has(id)
}

async function reportOutOfStock(id, order) {
  const report = { transactionId: id, reason: 'OUT_OF_STOCK', observedQuantity: observed(order.item) }
  finish(id, order, await call('transaction.delivery-failure', report), 'out-of-stock', 'closed', 'sem estoque')
}

// 6. Confirmar a entrega, até a resposta ser certa. Repetir não faz mal.
async function confirm(id, order) {
  finish(id, order, await call('transaction.delivery', { transactionId: id }), 'delivered', 'confirmed', 'confirmado')
}

function finish(id, order, answer, before, after, text) {
  // Já acabou, ou o próximo segundo tenta de novo.
  if (order.state !== before || !(answer.ok || isRefused(answer))) return
  order.state = answer.ok ? after : 'closed'
  save()
  console.log(`pedido ${id}: ${answer.ok ? text : `recusado, avise a equipe: ${answer.message}`}`)
}

// 7. O fim de um pedido: o que não foi entregue não será mais.
function endOrder({ transactionId: id, outcome }) {
  const order = orders.get(id)
  if (order && order.state !== 'closed') {
    order.state = 'closed'
    save()
  }
  if (order) console.log(`pedido ${id}: encerrado ${outcome}`)
  return {}
}

// 8. Os comandos e o laço.
let calls = 0
const newId = (name) => `${name}-${start}-${++calls}`

async function link(characterRef) {
  const answer = await call('character.link', { characterRef }, newId('link'))
  return answer.ok ? answer.data.url : failure(answer)
}

async function list(item, seller, quantity, cents) {
  const known = offers.get(item)
  if (known && known.state !== 'refused') return 'recusado: este item já tem anúncio'
  inDoubt.delete(item)
  const tries = (known?.tries ?? 0) + 1 // depois de uma recusa cuja causa foi corrigida, o id é outro
  offers.set(item, { state: 'registering', tries, seller, quantity: Number(quantity), cents: Number(cents) })
  save()
  return register(item)
}

async function sold(item, quantity) {
  const offer = offers.get(item)
  if (!offer || offer.quantity < Number(quantity)) return 'recusado: não há tanto'
  offer.quantity -= Number(quantity)
  save()
  const answer = await call('market.adjust-stock', { itemRef: item, observedQuantity: observed(item) })
  return answer.ok ? 'ok' : failure(answer) // a próxima observação corrige
}

async function withdraw(item) {
  const answer = await call('market.withdraw', { itemRef: item })
  const offer = offers.get(item)
  if (!answer.ok || !offer) return failure(answer)
  offer.state = 'withdrawn'
  save()
  return 'ok'
}

async function buy(itemRef, quantity, buyerCharacterRef) {
  const purchase = { itemRef, quantity: Number(quantity), buyerCharacterRef }
  const answer = await call('transaction.create', purchase, newId('buy'))
  return answer.ok ? answer.data.checkoutUrl : failure(answer)
}

function setFull(character, isFull) {
  if (isFull) full.add(character)
  else full.delete(character)
  save()
  return 'ok'
}

const commands = [
  [/^link (\S+)$/, link],
  [/^list (\S+) (\S+) (\d+) (\d+)$/, list],
  [/^sold (\S+) (\d+)$/, sold],
  [/^withdraw (\S+)$/, withdraw],
  [/^buy (\S+) (\d+) (\S+)$/, buy],
  [/^full (\S+)$/, (character) => setFull(character, true)],
  [/^room (\S+)$/, (character) => setFull(character, false)],
]

async function run(line) {
  const [pattern, command] = commands.find(([candidate]) => candidate.test(line)) ?? []
  const said = pattern ? await command(...pattern.exec(line).slice(1)) : 'recusado: comando desconhecido'
  console.log(`${line.split(' ')[0]}: ${said}`)
}

/** Uma volta de trabalho. Um pedido é entregue na volta depois daquela que o viu primeiro. */
async function tick(seen) {
  for (const [item, offer] of offers)
    if (offer.state === 'registering') console.log(`anúncio ${item}: ${await register(item)}`)
  for (const [id, order] of orders) if (order.state === 'out-of-stock') await reportOutOfStock(id, order)
  const taken = [...orders].filter(([, order]) => order.state === 'taken')
  for (const [id, order] of taken) if (seen.has(id)) await workOrder(id, order)
  for (const [id, order] of orders) if (order.state === 'delivered') await confirm(id, order)
  return new Set(taken.map(([id]) => id))
}

load()
const lines = []
createInterface({ input: process.stdin }).on('line', (line) => lines.push(line.trim()))
server.listen(gamePort, '127.0.0.1', () => console.log('pronto'))
for (let seen = new Set(); ; seen = await tick(seen)) {
  for (const tickAt = Date.now() + 1_000; Date.now() < tickAt; await wait(50)) {
    const line = lines.shift()
    if (line) await run(line)
  }
}
