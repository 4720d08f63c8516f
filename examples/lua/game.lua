-- Um servidor de jogo pequeno e completo que vende itens pelo market-agent, por HTTP. Ele pergunta pelos pedidos.
-- Lua 5.1 a 5.4 e LuaJIT, com LuaSocket e dkjson. O README.pt-BR.md diz como iniciar e o que digitar.
local socket = require("socket")
local http = require("socket.http")
local ltn12 = require("ltn12")
local json = require("dkjson")

local AGENT_URL = os.getenv("AGENT_URL") or "http://127.0.0.1:8899"
local WORLD_DIR = os.getenv("WORLD_DIR") or "world"
local WORLD = WORLD_DIR .. "/world.txt"
-- Faz parte dos ids de link e buy: assim eles não se repetem depois de um reinício.
local START = string.format("%d", math.floor(socket.gettime() * 1000))
http.TIMEOUT = 40 -- acima dos 30 s que uma chamada pode durar

local function say(...)
  print(string.format(...))
  io.flush()
end

-- 1. O mundo: fica na memória e é gravado inteiro depois de cada mudança. Faz o papel do banco de dados do jogo.
local offers, orders, mail, full = {}, {}, {}, {}
local unsure = {} -- pedidos que vieram do arquivo

local function loadWorld()
  -- Renomear uma pasta para o próprio nome só dá certo quando ela existe.
  if not os.rename(WORLD_DIR, WORLD_DIR) then os.execute('mkdir "' .. WORLD_DIR .. '"') end
  local file = io.open(WORLD, "r")
  if not file then return end
  for line in file:lines() do
    local kind, key, a, b, c, d, e = line:match("^(%S+) (%S+) ?(%S*) ?(%S*) ?(%S*) ?(%S*) ?(%S*)$")
    if kind == "offer" then
      offers[key] = { state = a, tries = tonumber(b), seller = c, quantity = tonumber(d), cents = tonumber(e) }
      offers[key].inDoubt = a == "registering" -- a chamada pode ter saído antes da queda
    elseif kind == "order" then
      orders[key] = { state = a, item = b, quantity = tonumber(c), buyer = d, tries = tonumber(e) }
      unsure[key] = true
    elseif kind == "mail" then
      mail[#mail + 1] = line
    elseif kind == "full" then
      full[key] = true
    end
  end
  file:close()
end

-- Tudo ou nada: o arquivo tem o mundo de antes ou o de depois. Se o disco falha, o assert encerra o programa:
-- a memória não pode saber mais do que o disco.
local function saveWorld()
  local lines = {}
  local function add(...) lines[#lines + 1] = table.concat({ ... }, " ") .. "\n" end
  for item, o in pairs(offers) do add("offer", item, o.state, o.tries, o.seller, o.quantity, o.cents) end
  for id, o in pairs(orders) do add("order", id, o.state, o.item, o.quantity, o.buyer, o.tries) end
  for _, line in ipairs(mail) do add(line) end
  for buyer in pairs(full) do add("full", buyer) end
  -- Lua não tem fsync. Contra uma queda de energia, só o banco de dados do seu jogo.
  local file = assert(io.open(WORLD .. ".tmp", "w"))
  assert(file:write(table.concat(lines)))
  assert(file:close())
  assert(os.rename(WORLD .. ".tmp", WORLD))
end

-- 2. Chamar o agente. Sem resposta, a mesma chamada vai de novo com o mesmo id, e continua sendo uma só.
local function call(operation, input, id)
  -- Sem o metatable, o dkjson escreve {} como [].
  local body = json.encode({ operation = operation, input = setmetatable(input, { __jsontype = "object" }), id = id })
  local stop = socket.gettime() + 40
  for attempt = 1, 5 do
    if attempt > 1 then socket.sleep(1) end
    local chunks = {}
    local sent = http.request({
      url = AGENT_URL .. "/call",
      method = "POST",
      headers = { ["content-type"] = "application/json", ["content-length"] = #body },
      source = ltn12.source.string(body),
      sink = ltn12.sink.table(chunks),
    })
    local answer = sent and json.decode(table.concat(chunks))
    if type(answer) == "table" then return answer end
    if socket.gettime() > stop then break end
  end
  return { ok = false, uncertain = true } -- sem resposta
end

local passing = { [401] = true, [408] = true, [425] = true, [429] = true }

-- Uma recusa certa. O resto é dúvida, ou passa: tenta-se de novo.
local function isRefused(answer)
  local status = answer.status or 0
  return not answer.ok and not answer.uncertain and status >= 400 and status < 500 and not passing[status]
end

local function failure(answer)
  return isRefused(answer) and "recusado: " .. tostring(answer.message) or "sem resposta"
end

-- O que resta para outros compradores: sem as unidades dos pedidos que ainda serão entregues.
local function observed(item)
  local left = offers[item] and offers[item].quantity or 0
  for _, order in pairs(orders) do
    if order.item == item and (order.state == "taken" or order.state == "put-off") then left = left - order.quantity end
  end
  return math.max(0, left)
end

-- 3. Anunciar. O número da tentativa faz parte do id e é gravado antes da chamada.
local function register(item)
  local offer = offers[item]
  local answer = call("market.register", {
    itemRef = item,
    gameItemId = item,
    itemName = item,
    attributes = "Item do jogo",
    quantityListed = offer.quantity,
    unitAmountCents = offer.cents,
    sellerCharacterRef = offer.seller,
  }, "register-" .. item .. "-" .. offer.tries)
  if answer.ok or (offer.inDoubt and answer.status == 409) then
    offer.state = "listed" -- na dúvida, o 409 diz que uma tentativa anterior valeu
  elseif answer.uncertain or answer.code == "ID_REUSED" then
    offer.inDoubt = offer.inDoubt or answer.uncertain -- talvez tenha valido
    offer.tries = offer.tries + 1 -- a próxima volta tenta com outro id
  elseif isRefused(answer) then
    offer.state = "refused"
  end
  saveWorld()
  return offer.state == "listed" and "ok" or failure(answer)
end

-- 4. Aceitar um pedido: primeiro gravar, depois responder. O mesmo pedido pode chegar mais de uma vez.
local function takeOrder(event)
  local id = string.format("%d", event.transactionId)
  local known = orders[id]
  if not known or known.state == "put-off" then
    orders[id] = {
      state = "taken",
      item = event.itemRef,
      quantity = event.quantity,
      buyer = event.buyerCharacterRef,
      tries = known and known.tries or 0,
    }
    saveWorld()
    say("pedido %s: recebido", id)
  end
  local answer = call("orders.take", { transactionId = event.transactionId, observedQuantity = observed(event.itemRef) })
  if answer.status == 409 then unsure[id] = true end -- acabou entre a pergunta e a resposta
end

-- 5. Entregar, ou dizer por que não. Só a certeza devolve o dinheiro; na dúvida, TEMPORARY.
local function reportFailure(id, reason)
  local left = observed(orders[id].item)
  return call("transaction.delivery-failure", { transactionId = tonumber(id), reason = reason, observedQuantity = left })
end

-- Um pedido lido do arquivo pode ter acabado enquanto este servidor estava parado. A plataforma sabe.
local function isAwaited(id)
  local answer = call("transaction.get", { transactionId = tonumber(id) })
  if answer.ok and answer.data.deliveryStatus == "AGUARDANDO_SERVIDOR" then unsure[id] = nil end
  return not unsure[id]
end

local function workOrder(id)
  if unsure[id] and not isAwaited(id) then return end -- o aviso do fim está a caminho
  local order, offer = orders[id], offers[orders[id].item]
  if offer and offer.quantity < order.quantity then
    order.state = "out-of-stock"
    saveWorld() -- a decisão fica gravada antes do reembolso, que não tem volta
  elseif offer and not full[order.buyer] then
    offer.quantity = offer.quantity - order.quantity
    mail[#mail + 1] = table.concat({ "mail", order.buyer, order.item, order.quantity, id }, " ")
    order.state = "delivered"
    saveWorld() -- o estoque, o correio e o pedido mudam juntos
    say("pedido %s: entregue", id)
  elseif reportFailure(id, "TEMPORARY").ok then
    order.state = "put-off" -- a plataforma envia o pedido de novo
    order.tries = order.tries + 1
    saveWorld()
    say("pedido %s: adiado", id)
  end
end

local function finish(id, state, answer, text)
  if not answer.ok and not isRefused(answer) then return end -- a próxima volta tenta de novo
  orders[id].state = answer.ok and state or "closed"
  saveWorld()
  say("pedido %s: %s", id, answer.ok and text or "recusado, avise a equipe: " .. tostring(answer.message))
end

local function reportOutOfStock(id)
  finish(id, "closed", reportFailure(id, "OUT_OF_STOCK"), "sem estoque")
end

-- 6. Confirmar a entrega, até a resposta ser certa. Repetir não faz mal.
local function confirm(id)
  finish(id, "confirmed", call("transaction.delivery", { transactionId = tonumber(id) }), "confirmado")
end

-- 7. O fim de um pedido: o que não foi entregue não será mais.
local function endOrder(id, outcome)
  local order = orders[id]
  if not order or order.state == "closed" or not outcome then return end
  order.state = "closed"
  saveWorld()
  say("pedido %s: encerrado %s", id, outcome)
end

local function askOrders()
  local answer = call("orders.open", {})
  if not answer.ok then return end
  for _, order in ipairs(answer.data.closed) do endOrder(string.format("%d", order.transactionId), order.outcome) end
  for _, order in ipairs(answer.data.orders) do
    if order.state == "offered" then takeOrder(order) end
  end
end

-- 8. Os comandos e o laço.
local count = 0

local function newId(name)
  count = count + 1
  return name .. "-" .. START .. "-" .. count
end

-- A forma dos argumentos de cada comando, e o que ele faz.
local commands = {
  link = { "^(%S+)$", function(character)
    local answer = call("character.link", { characterRef = character }, newId("link"))
    return answer.ok and answer.data.url or failure(answer)
  end },
  list = { "^(%S+) (%S+) (%d+) (%d+)$", function(item, seller, quantity, cents)
    local known = offers[item]
    if known and known.state ~= "refused" then return "recusado: este item já tem anúncio" end
    local tries = known and known.tries + 1 or 1 -- depois de uma recusa cuja causa foi corrigida, o id é outro
    offers[item] = { state = "registering", tries = tries, seller = seller }
    offers[item].quantity, offers[item].cents = tonumber(quantity), tonumber(cents)
    saveWorld()
    return register(item)
  end },
  sold = { "^(%S+) (%d+)$", function(item, quantity)
    local offer = offers[item]
    if not offer or offer.quantity < tonumber(quantity) then return "recusado: não há tanto" end
    offer.quantity = offer.quantity - tonumber(quantity)
    saveWorld()
    local answer = call("market.adjust-stock", { itemRef = item, observedQuantity = observed(item) })
    return answer.ok and "ok" or failure(answer) -- a próxima observação corrige
  end },
  withdraw = { "^(%S+)$", function(item)
    local answer = call("market.withdraw", { itemRef = item })
    if answer.ok and offers[item] then
      offers[item].state = "withdrawn"
      saveWorld()
    end
    return answer.ok and "ok" or failure(answer)
  end },
  buy = { "^(%S+) (%d+) (%S+)$", function(item, quantity, buyer)
    local input = { itemRef = item, quantity = tonumber(quantity), buyerCharacterRef = buyer }
    local answer = call("transaction.create", input, newId("buy"))
    return answer.ok and answer.data.checkoutUrl or failure(answer)
  end },
  full = { "^(%S+)$", function(character)
    full[character] = true
    saveWorld()
    return "ok"
  end },
  room = { "^(%S+)$", function(character)
    full[character] = nil
    saveWorld()
    return "ok"
  end },
}

local function run(line)
  local name, rest = line:match("^%s*(%S+)%s*(.-)%s*$")
  if not name then return end
  local command = commands[name]
  local valid = command and rest:find(command[1])
  say("%s: %s", name, valid and command[2](rest:match(command[1])) or "recusado: comando desconhecido")
end

local function ordersIn(state)
  local ids = {}
  for id, order in pairs(orders) do
    if order.state == state then ids[#ids + 1] = id end
  end
  table.sort(ids, function(a, b) return tonumber(a) < tonumber(b) end)
  return ids
end

-- Uma volta. Um pedido é entregue na volta depois daquela que o recebeu.
local function tick()
  for item, offer in pairs(offers) do
    if offer.state == "registering" then say("anúncio %s: %s", item, register(item)) end
  end
  for _, id in ipairs(ordersIn("out-of-stock")) do reportOutOfStock(id) end
  for _, id in ipairs(ordersIn("taken")) do workOrder(id) end
  for _, id in ipairs(ordersIn("delivered")) do confirm(id) end
  askOrders()
end

loadWorld()
say("pronto")
io.stdin:setvbuf("no") -- o que já foi lido não fica escondido do select
local console = { { getfd = function() return 0 end, dirty = function() return false end } }
while true do
  if socket.select(console, nil, 1)[1] then
    local line = io.read("*l")
    if line then run(line) else console = {} end -- sem console, o laço continua
  end
  tick()
end
