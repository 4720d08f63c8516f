-- Um servidor de jogo pequeno e completo em Lua (5.2 ou mais novo). Pergunta ao market-agent pelos pedidos, por HTTP.
local socket, http, ltn12, json = require("socket"), require("socket.http"), require("ltn12"), require("dkjson")
local AGENT_URL = os.getenv("AGENT_URL") or "http://127.0.0.1:8899"
local FOLDER = os.getenv("WORLD_DIR") or "world"
local WORLD = FOLDER .. "/world.json"

-- 1. O mundo: fica na memória e é gravado inteiro depois de cada mudança. Faz o papel do banco de dados do jogo.
assert(os.execute('mkdir -p "' .. FOLDER .. '"'))
local world, file, why, code = { offers = {}, orders = {}, mail = {}, full = {} }, io.open(WORLD)
if file then world = assert(json.decode(file:read("*a"))) else assert(code == 2, why) end -- 2: ainda não existe
local offers, orders, mail, full = world.offers, world.orders, world.mail, world.full

local function save() -- tudo ou nada: o arquivo tem o mundo de antes ou o de depois. Um erro encerra o programa
  local new = assert(io.open(WORLD .. ".tmp", "w"))
  assert(new:write(json.encode(world, { indent = true })) and new:close())
  assert(os.execute('sync "' .. WORLD .. '.tmp"')) -- Lua não tem fsync
  assert(os.rename(WORLD .. ".tmp", WORLD))
  assert(os.execute('sync "' .. FOLDER .. '"')) -- o novo nome também sobrevive a uma queda de energia
end
local function left(item) -- o que resta para outros: as unidades de um pedido adiado estão separadas para ele
  local n = offers[item] and offers[item].quantity or 0
  for _, o in pairs(orders) do if o.item == item and o.result == "TEMPORARY" then n = n - o.quantity end end
  return math.max(0, n)
end

-- 2. Um pedido: se ainda não foi decidido, decidir e entregar em uma gravação só. Depois, responder o que aconteceu.
local texts = { DELIVERED = "entregue", OUT_OF_STOCK = "sem estoque", TEMPORARY = "adiado" }
local function take(o)
  local id, offer, result = tostring(o.transactionId), offers[o.itemRef], "TEMPORARY" -- na dúvida: volta mais tarde
  if not orders[id] or orders[id].result == "TEMPORARY" then
    orders[id] = nil -- as unidades que estavam separadas são para ele
    if offer and left(o.itemRef) < o.quantity then
      result = "OUT_OF_STOCK" -- só com certeza: o comprador recebe o dinheiro de volta
    elseif offer and not full[o.buyerCharacterRef] then
      result, offer.quantity = "DELIVERED", offer.quantity - o.quantity
      table.insert(mail, { buyer = o.buyerCharacterRef, item = o.itemRef, quantity = o.quantity, id = o.transactionId })
    end
    orders[id] = { result = result, item = o.itemRef, quantity = o.quantity }
    save()
    print("pedido " .. id .. ": " .. texts[result])
  end
  return { transactionId = o.transactionId, observedQuantity = left(o.itemRef), result = orders[id].result }
end

-- 3. Chamar o agente. Ele assina, envia e repete. Nenhuma destas chamadas precisa de um id.
http.TIMEOUT = 40 -- o agente responde em 30 s
local function call(operation, input)
  local body, answer = json.encode({ operation = operation, input = input }), {}
  http.request({ url = AGENT_URL .. "/call", method = "POST", headers = { ["content-type"] = "application/json",
    ["content-length"] = #body }, source = ltn12.source.string(body), sink = ltn12.sink.table(answer) })
  return json.decode(table.concat(answer)) or { ok = false, status = 503 }
end
local function text(answer)
  if answer.ok then return answer.data and (answer.data.url or answer.data.checkoutUrl) or "ok" end
  local isSure = not answer.uncertain and ("400 403 404 409 422"):find(answer.status or "?", 1, true)
  return isSure and "recusado: " .. answer.message or "sem resposta"
end
local since = "1970-01-01T00:00:00.000Z" -- até este momento já viu os pedidos que acabaram
local function askForOrders()
  local data = call("orders.open", { closedSince = since }).data or { orders = {}, closed = {} }
  for _, o in ipairs(data.orders) do -- para no primeiro que o agente não aceita: a lista pode estar velha
    local answer = o.state == "offered" and call("orders.take", take(o)) or { ok = true }
    if not answer.ok then return print("pedido " .. o.transactionId .. ": " .. text(answer)) end
  end
  for _, o in ipairs(data.closed) do
    local order = orders[tostring(o.transactionId)]
    since = o.since
    if order and order.result == "TEMPORARY" then
      order.result = "OUT_OF_STOCK" -- não será mais entregue, e as unidades separadas ficam livres
      save()
      print("pedido " .. o.transactionId .. ": encerrado " .. tostring(o.outcome))
    end
  end
end
local function register(item, isFirst)
  local o = offers[item]
  local answer = call("market.register", { itemRef = item, gameItemId = item, quantityListed = o.quantity,
    itemName = item, attributes = "Item do jogo", unitAmountCents = o.cents, sellerCharacterRef = o.seller })
  if answer.ok or answer.status == 409 and not isFirst then o.state = "listed" -- 409: outra já valeu
  elseif isFirst and text(answer) ~= "sem resposta" then offers[item] = nil end
  save()
  return o.state == "listed" and "ok" or text(answer)
end

-- 4. Os comandos e o laço.
local commands = {
  ["^link (%S+)$"] = function(who) return text(call("character.link", { characterRef = who })) end,
  ["^list (%S+) (%S+) (%d+) (%d+)$"] = function(item, seller, quantity, cents)
    if offers[item] then return "recusado: este item já tem anúncio" end
    offers[item] = { state = "registering", seller = seller, quantity = tonumber(quantity), cents = tonumber(cents) }
    save() -- antes da chamada: uma queda não esquece o anúncio, e repetir não anuncia duas vezes
    return register(item, true)
  end,
  ["^sold (%S+) ([1-9]%d*)$"] = function(item, quantity)
    if left(item) < tonumber(quantity) then return "recusado: não há tanto" end
    offers[item].quantity = offers[item].quantity - tonumber(quantity)
    save()
    return text(call("market.adjust-stock", { itemRef = item, observedQuantity = left(item) }))
  end,
  ["^withdraw (%S+)$"] = function(item)
    local answer = call("market.withdraw", { itemRef = item })
    if answer.ok and offers[item] then offers[item].state = "withdrawn"; save() end
    return text(answer)
  end,
  ["^buy (%S+) (%d+) (%S+)$"] = function(item, count, buyer)
    return text(call("transaction.create", { itemRef = item, quantity = tonumber(count), buyerCharacterRef = buyer }))
  end,
  ["^full (%S+)$"] = function(buyer) full[buyer] = true; save(); return "ok" end,
  ["^room (%S+)$"] = function(buyer) full[buyer] = nil; save(); return "ok" end,
}
io.stdout:setvbuf("line"); io.stdin:setvbuf("no") -- o select não vê o que o Lua já leu
print("pronto")
while true do
  for item, o in pairs(offers) do if o.state == "registering" then print(item .. ": " .. register(item)) end end
  askForOrders()
  socket.sleep(0.5)
  local line, answer = socket.select({ { getfd = function() return 0 end } }, nil, 0)[1] and io.read("*l") or ""
  for pattern, run in pairs(commands) do if line:find(pattern) then answer = run(line:match(pattern)) end end
  if line ~= "" then print(line:match("%S*") .. ": " .. (answer or "recusado: comando desconhecido")) end
end
