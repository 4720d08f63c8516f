-- Um servidor de jogo pequeno e completo em Lua (5.2 ou mais novo). Fala com o market-agent só por arquivos.
local json = require("dkjson")
local SPOOL, FOLDER = os.getenv("SERVICE_SPOOL_DIR") or "spool", os.getenv("WORLD_DIR") or "world"

-- 1. O mundo: fica na memória e é gravado inteiro depois de cada mudança. Faz o papel do banco de dados do jogo.
local function shell(command, path) -- o que Lua não sabe: criar e listar pastas, fsync, esperar
  local pipe = assert(io.popen(command .. ' "' .. path .. '"'))
  local output = pipe:read("*a")
  return assert(pipe:close(), path) and output
end
local function read(path)
  local file, why, code = io.open(path, "rb")
  if not file then assert(code == 2, why) return nil end -- 2: não existe
  return assert(file:read("*a")), file:close()
end
local function write(folder, name, text) -- tudo ou nada, mesmo em uma queda de energia. Um erro encerra o programa
  local file = assert(io.open(folder .. "/." .. name, "wb"))
  assert(file:write(text) and file:close())
  shell("sync", folder .. "/." .. name)
  return assert(os.rename(folder .. "/." .. name, folder .. "/" .. name)) and shell("sync", folder)
end
shell("mkdir -p", FOLDER)
local world = assert(json.decode(read(FOLDER .. "/world.json") or '{"offers":{},"orders":{},"mail":[],"full":{}}'))
local offers, orders, mail, full = world.offers, world.orders, world.mail, world.full
local function save() write(FOLDER, "world.json", json.encode(world, { indent = true })) end
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
    local isOver = o.event == "transaction_terminal" -- o pedido acabou sem entrega: não será mais entregue
    orders[id] = nil -- as unidades que estavam separadas são para ele, ou ficam livres
    if isOver or offer and left(o.itemRef) < o.quantity then
      result = "OUT_OF_STOCK" -- só com certeza: o comprador recebe o dinheiro de volta
    elseif offer and not full[o.buyerCharacterRef] then
      result, offer.quantity = "DELIVERED", offer.quantity - o.quantity
      table.insert(mail, { buyer = o.buyerCharacterRef, item = o.itemRef, quantity = o.quantity, id = o.transactionId })
    end
    orders[id] = { result = result, item = o.itemRef, quantity = o.quantity or 0 }
    save()
    print("pedido " .. id .. ": " .. (isOver and "encerrado " .. tostring(o.outcome) or texts[result]))
  end
  return json.encode({ observedQuantity = left(o.itemRef), result = orders[id].result })
end

-- 3. Chamar o agente: um arquivo em outbox/, a resposta em inbox/. Ele assina, envia e repete.
local function call(action, input)
  local name = shell("mktemp -u", "XXXXXXXXXX"):match("%w+") .. ".json" -- um nome novo para cada chamada
  input.action = action
  write(SPOOL .. "/outbox", name, json.encode(input))
  for _ = 1, 400 do -- o agente responde em 30 s
    local answer = shell("sleep", "0.1") and read(SPOOL .. "/inbox/" .. name)
    if answer then return os.remove(SPOOL .. "/inbox/" .. name) and json.decode(answer) end
  end
  os.remove(SPOOL .. "/outbox/" .. name) -- sem agente, a chamada não fica para depois
  return { ok = false, status = 503 }
end
local function text(answer)
  if answer.ok then return answer.url or answer.checkoutUrl or "ok" end
  local isSure = not answer.uncertain and ("400 403 404 409 422"):find(answer.status, 1, true)
  return isSure and "recusado: " .. answer.message or "sem resposta"
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
io.stdout:setvbuf("line"); print("pronto")
while true do
  for item, o in pairs(offers) do if o.state == "registering" then print(item .. ": " .. register(item)) end end
  for name in shell("ls", SPOOL .. "/events"):gmatch("t[%w_-]+%.json") do -- os encerramentos vêm primeiro
    local o = json.decode(not read(SPOOL .. "/replies/" .. name) and read(SPOOL .. "/events/" .. name) or "{}")
    -- Já respondido: o agente ainda apaga os dois. Depois de actUntil: talvez o comprador tenha o dinheiro de volta.
    if o.event and (o.actUntil or "9") > os.date("!%FT%T") then write(SPOOL .. "/replies", name, take(o)) end
  end
  local lines = read(FOLDER .. "/console.txt")
  for line in (lines and os.remove(FOLDER .. "/console.txt") and lines or ""):gmatch("[^\r\n]+") do
    local answer
    for pattern, run in pairs(commands) do if line:find(pattern) then answer = run(line:match(pattern)) end end
    print(line:match("%S*") .. ": " .. (answer or "recusado: comando desconhecido"))
  end
  shell("sleep", "1")
end
