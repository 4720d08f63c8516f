-- Um servidor de jogo pequeno e completo, só com arquivos: anuncia itens, recebe os pedidos em events/, e entrega.
-- Lua 5.1 a 5.4 e LuaJIT, com dkjson (um arquivo em Lua pura). O README.pt-BR.md diz como iniciar e o que digitar.
local json = require("dkjson")

local SPOOL = os.getenv("SERVICE_SPOOL_DIR") or "spool"
local WORLD_DIR = os.getenv("WORLD_DIR") or "world"
local WORLD = WORLD_DIR .. "/world.txt"
local WINDOWS = package.config:sub(1, 1) == "\\"

local function say(...)
  print(string.format(...))
  io.flush()
end

-- Um caminho ou um comando entre aspas, para o shell do sistema.
local function quote(path)
  if WINDOWS then return '"' .. path:gsub("/", "\\") .. '"' end
  return "'" .. path:gsub("'", "'\\''") .. "'"
end

-- Ao contrário de os.execute, deixa o Ctrl-C chegar a este programa.
local function sleep(seconds)
  io.popen(WINDOWS and "ping -n " .. math.ceil(seconds) + 1 .. " 127.0.0.1 >nul" or "sleep " .. seconds):close()
end

local function readFile(path)
  local file = io.open(path, "rb")
  local text = file and file:read("*a")
  if file then file:close() end
  return text
end

-- O arquivo aparece inteiro ou não aparece. Se o disco falhar, o programa termina aqui, antes de responder a alguém.
local function writeFile(path, text)
  local temporary = path:gsub("[^/]+$", ".%0.tmp")
  local file = assert(io.open(temporary, "wb"))
  assert(file:write(text))
  assert(file:close())
  if not WINDOWS then
    os.execute("sync " .. quote(temporary)) -- resiste a uma queda de energia
    assert(os.rename(temporary, path))
  elseif not os.rename(temporary, path) then
    -- No Windows, os.rename não substitui. Um ".new" está sempre inteiro: veja loadWorld.
    os.remove(path .. ".new")
    assert(os.rename(temporary, path .. ".new"))
    os.remove(path)
    assert(os.rename(path .. ".new", path))
  end
end

-- 1. O mundo: fica na memória e é gravado inteiro a cada mudança. No seu jogo é o banco de dados.
local offers, orders, mail, full = {}, {}, {}, {}

local function loadWorld()
  os.execute(WINDOWS and "mkdir " .. quote(WORLD_DIR) .. " 2>nul" or "mkdir -p " .. quote(WORLD_DIR))
  if WINDOWS and not readFile(WORLD) then os.rename(WORLD .. ".new", WORLD) end
  for line in (readFile(WORLD) or ""):gmatch("[^\r\n]+") do
    local kind, key, a, b, c, d, e = line:match("^(%S+) (%S+) ?(%S*) ?(%S*) ?(%S*) ?(%S*) ?(%S*)$")
    if kind == "offer" then
      offers[key] = { state = a, try = tonumber(b), seller = c, quantity = tonumber(d), cents = tonumber(e) }
    elseif kind == "order" then
      orders[key] = { state = a, item = b, quantity = tonumber(c), buyer = d, tries = tonumber(e), fromDisk = true }
    elseif kind == "mail" then
      mail[#mail + 1] = line
    elseif kind == "full" then
      full[key] = true
    end
  end
end

local function saveWorld()
  local lines = {}
  local function add(...) lines[#lines + 1] = table.concat({ ... }, " ") .. "\n" end
  for item, o in pairs(offers) do add("offer", item, o.state, o.try, o.seller, o.quantity, o.cents) end
  for id, o in pairs(orders) do add("order", id, o.state, o.item, o.quantity, o.buyer, o.tries) end
  for _, line in ipairs(mail) do add(line) end
  for buyer in pairs(full) do add("full", buyer) end
  writeFile(WORLD, table.concat(lines))
end

-- 2. Chamar o agente: um arquivo em outbox/, a resposta em inbox/.

-- O arquivo da resposta é apagado com forget, só depois de agir e gravar.
local function call(action, input, id)
  local request, inbox = SPOOL .. "/outbox/" .. id .. ".json", SPOOL .. "/inbox/" .. id .. ".json"
  input.action = action
  -- Uma resposta que chegou antes de uma queda nossa vale: o id é da mesma chamada.
  local text = readFile(inbox)
  if not text then writeFile(request, json.encode(input)) end
  local stop = os.time() + 60
  while not text and os.time() < stop do
    sleep(0.1)
    text = readFile(inbox)
  end
  if text then return json.decode(text) end
  os.remove(request) -- o agente não está rodando: retira o pedido, se ele ainda estiver lá
  return { ok = false, uncertain = true } -- sem resposta
end

local function forget(id) os.remove(SPOOL .. "/inbox/" .. id .. ".json") end

-- Espera o próximo segundo: nenhum outro início tem este número, e os ids não se repetem depois de um reinício.
sleep(1)
local started, count = os.time(), 0

local function newId(name)
  count = count + 1
  return string.format("%s-%d-%d", name, started, count)
end

-- Uma chamada que não precisa da sua resposta depois de uma queda: um id novo a cada vez.
local function callAnew(action, input, name)
  local id = newId(name)
  local answer = call(action, input, id)
  forget(id)
  return answer
end

-- Uma recusa certa. Os outros erros passam: a próxima volta tenta de novo.
local function isRefused(answer)
  local s = answer.status or 500
  return not answer.ok and not answer.uncertain and answer.code ~= "ID_REUSED"
    and s < 500 and s ~= 401 and s ~= 408 and s ~= 425 and s ~= 429
end

-- As unidades para outros compradores. As de pedidos recebidos e não entregues estão reservadas.
local function observedQuantity(item)
  local left = offers[item] and offers[item].quantity or 0
  for _, order in pairs(orders) do
    if order.item == item and (order.state == "taken" or order.state == "put-off") then left = left - order.quantity end
  end
  return math.max(0, left)
end

-- 3. Anunciar. O número da tentativa está gravado: depois de uma queda, a mesma chamada vai com o mesmo id.
local function registerOffer(item, isRepeated)
  local offer = offers[item]
  local id = "register-" .. item .. "-" .. offer.try
  local answer = call("market.register", {
    itemRef = item,
    gameItemId = item,
    itemName = item,
    attributes = "Item do jogo",
    quantityListed = offer.quantity,
    unitAmountCents = offer.cents,
    sellerCharacterRef = offer.seller,
  }, id)
  if answer.ok or (isRepeated and answer.status == 409) then
    offer.state = "listed" -- repetida, o 409 diz que a tentativa anterior anunciou
  elseif isRefused(answer) then
    offer.state = "refused"
  else
    offer.try = offer.try + 1
  end
  saveWorld()
  forget(id)
  return answer
end

-- 4. Receber um pedido: primeiro gravar, depois responder. O mesmo pedido pode chegar outra vez.
local function takeOrder(id, event)
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
  return { observedQuantity = observedQuantity(event.itemRef) }
end

-- 5. Entregar, ou dizer por que não. OUT_OF_STOCK devolve o dinheiro: só com certeza. Na dúvida, TEMPORARY.
local function failure(id, reason)
  return { transactionId = tonumber(id), reason = reason, observedQuantity = observedQuantity(orders[id].item) }
end

local function putOff(id)
  local order = orders[id]
  local callId = "failed-" .. id .. "-" .. order.tries
  local answer = call("transaction.delivery-failure", failure(id, "TEMPORARY"), callId)
  if answer.ok then order.state = "put-off" end
  order.tries = order.tries + 1 -- o próximo relato tem outro id
  saveWorld()
  forget(callId)
  if answer.ok then say("pedido %s: adiado", id) end
end

-- Um pedido de antes deste início pode ter acabado enquanto o servidor estava parado. A plataforma sabe.
local function isAwaited(id)
  if not orders[id].fromDisk then return true end
  local now = callAnew("transaction.get", { transactionId = tonumber(id) }, "ask-" .. id)
  return now.deliveryStatus == "AGUARDANDO_SERVIDOR"
end

local function deliverOrder(id)
  if not isAwaited(id) then return end
  local order, offer = orders[id], offers[orders[id].item]
  if offer and offer.quantity < order.quantity then
    order.state = "out-of-stock"
    saveWorld() -- a decisão fica gravada antes do relato
    say("pedido %s: sem estoque", id)
  elseif not offer or full[order.buyer] then
    putOff(id)
  else
    -- O item sai do vendedor e entra no correio do comprador na mesma gravação em que o pedido fica entregue.
    offer.quantity = offer.quantity - order.quantity
    mail[#mail + 1] = table.concat({ "mail", order.buyer, order.item, order.quantity, id }, " ")
    order.state = "delivered"
    saveWorld()
    say("pedido %s: entregue", id)
  end
end

-- O estado depois de um "ok". Com uma recusa certa não adianta repetir: a equipe do jogo decide.
local function settle(id, answer, state)
  if not answer.ok and not isRefused(answer) then return false end
  if not answer.ok then say("pedido %s: recusado: %s", id, answer.message) end
  orders[id].state = answer.ok and state or "closed"
  saveWorld()
  return answer.ok
end

local function reportOutOfStock(id)
  settle(id, callAnew("transaction.delivery-failure", failure(id, "OUT_OF_STOCK"), "gone-" .. id), "closed")
end

-- 6. Confirmar a entrega, até a resposta ser certa.
local function confirmOrder(id)
  local answer = callAnew("transaction.delivery", { transactionId = tonumber(id) }, "deliver-" .. id)
  if settle(id, answer, "confirmed") then say("pedido %s: confirmado", id) end
end

-- 7. O fim de um pedido. Um que não foi entregue não é mais entregue.
local function endOrder(id, event)
  local order = orders[id]
  if order then
    order.state = "closed"
    saveWorld()
    say("pedido %s: encerrado %s", id, tostring(event.outcome))
  end
  return setmetatable({}, { __jsontype = "object" })
end

-- Cada evento é um arquivo. A resposta tem o mesmo nome, em replies/; o agente apaga os dois.
local function eachEvent(kind, answerEvent)
  local list = io.popen((WINDOWS and "dir /b " or "ls ") .. quote(SPOOL .. "/events"))
  for name in list:lines() do
    name = name:gsub("\r$", "")
    local reply = SPOOL .. "/replies/" .. name
    if name:find("^" .. kind .. "%-%d+[%-%d]*%.json$") and not readFile(reply) then
      local event = json.decode(readFile(SPOOL .. "/events/" .. name) or "") -- o agente pode ter apagado
      if event then writeFile(reply, json.encode(answerEvent(string.format("%d", event.transactionId), event))) end
    end
  end
  list:close()
end

-- 8. O console e o laço.
local function result(answer, text)
  if answer.ok then return text or "ok" end
  return isRefused(answer) and "recusado: " .. tostring(answer.message) or "sem resposta"
end

-- A forma dos argumentos de cada comando, e o que ele faz.
local commands = {
  link = { "^(%S+)$", function(character)
    local answer = callAnew("character.link", { characterRef = character }, "link")
    return result(answer, answer.url)
  end },
  list = { "^(%w[%w._-]*) (%S+) (%d+) (%d+)$", function(item, seller, quantity, cents)
    local known = offers[item]
    if known and known.state ~= "refused" then return "recusado: este item já foi anunciado" end
    -- Depois de uma recusa, uma tentativa nova com um id novo.
    local offer = { state = "registering", try = known and known.try + 1 or 1, seller = seller }
    offer.quantity, offer.cents = tonumber(quantity), tonumber(cents)
    offers[item] = offer
    saveWorld()
    return result(registerOffer(item))
  end },
  sold = { "^(%S+) (%d+)$", function(item, quantity)
    local offer = offers[item]
    if not offer or offer.quantity < tonumber(quantity) then return "recusado: não há essa quantidade" end
    offer.quantity = offer.quantity - tonumber(quantity)
    saveWorld()
    local input = { itemRef = item, observedQuantity = observedQuantity(item) }
    return result(callAnew("market.adjust-stock", input, "adjust"))
  end },
  withdraw = { "^(%S+)$", function(item)
    local answer = callAnew("market.withdraw", { itemRef = item }, "withdraw")
    if answer.ok and offers[item] then offers[item].state = "withdrawn" end
    saveWorld()
    return result(answer)
  end },
  buy = { "^(%S+) (%d+) (%S+)$", function(item, quantity, buyer)
    local input = { itemRef = item, quantity = tonumber(quantity), buyerCharacterRef = buyer }
    local answer = callAnew("transaction.create", input, "buy")
    return result(answer, answer.checkoutUrl)
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

local function runCommand(line)
  local name, rest = line:match("^%s*(%S+)%s*(.-)%s*$")
  if not name then return end
  local command = commands[name]
  local valid = command and rest:find(command[1])
  say("%s: %s", name, valid and command[2](rest:match(command[1])) or "recusado: comando desconhecido")
end

-- Os comandos são as linhas de console.txt. O nome muda antes da leitura: quem escreve depois faz outro arquivo.
local function readConsole()
  local now = WORLD_DIR .. "/console.now"
  if not readFile(now) then os.rename(WORLD_DIR .. "/console.txt", now) end
  local text = readFile(now)
  if not text then return end
  os.remove(now)
  for line in text:gmatch("[^\r\n]+") do runCommand(line) end
end

local function idsOf(state)
  local ids = {}
  for id, order in pairs(orders) do
    if order.state == state then ids[#ids + 1] = id end
  end
  table.sort(ids, function(a, b) return tonumber(a) < tonumber(b) end)
  return ids
end

local function tick()
  eachEvent("transaction_terminal", endOrder) -- antes das entregas: o que acabou não é mais entregue
  for item, offer in pairs(offers) do
    if offer.state == "registering" then registerOffer(item, true) end
  end
  for _, id in ipairs(idsOf("out-of-stock")) do reportOutOfStock(id) end
  for _, id in ipairs(idsOf("taken")) do deliverOrder(id) end
  for _, id in ipairs(idsOf("delivered")) do confirmOrder(id) end
  eachEvent("transfer_order", takeOrder)
end

loadWorld()
while not readFile(SPOOL .. "/agent.json") do
  io.stderr:write("esperando o agente em " .. SPOOL .. "\n")
  sleep(1)
end
say("pronto")
while true do
  readConsole()
  tick()
  sleep(1)
end
