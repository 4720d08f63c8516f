@echo off
rem Um servidor de jogo pequeno e completo para o cmd do Windows, so com arquivos.
rem Sem acentos: o cmd le este arquivo na pagina de codigo do sistema. O README.pt-BR.md diz como iniciar e o que digitar.
setlocal enableextensions enabledelayedexpansion
set "spool=%SERVICE_SPOOL_DIR%"
if not defined spool set "spool=spool"
set "dir=%WORLD_DIR%"
if not defined dir set "dir=world"
if not exist "%dir%\" mkdir "%dir%"
for %%i in ("%spool%") do set "spool=%%~fi"
for %%i in ("%dir%") do set "dir=%%~fi"
call :load

:waitForAgent
if not exist "%spool%\agent.json" (
  echo esperando o agente em %spool% 1>&2
  call :sleep
  goto waitForAgent
)
echo pronto

:tick
call :readConsole
rem Os fins antes das entregas: o que acabou nao e mais entregue.
call :eachEvent transaction_terminal :endOrder
call :each offer registering :registerAgain
call :each order out-of-stock :reportGone
call :each order taken :deliver
call :each order delivered :confirm
call :eachEvent transfer_order :take
call :sleep
goto tick

:sleep
ping -n 2 127.0.0.1 >nul
exit /b

rem 1. O mundo: uma variavel @... para cada linha de world.txt. No seu jogo e o banco de dados.
:load
set starts=0
if exist "%dir%\world.txt" for /f "usebackq tokens=1-7" %%a in ("%dir%\world.txt") do (
  if "%%a"=="offer" set "@offer.%%b=offer %%b %%c %%d %%e %%f %%g"
  if "%%a"=="order" set "@order.%%b=order %%b %%c %%d %%e %%f %%g"
  if "%%a %%c"=="order taken" set fromDisk.%%b=1
  if "%%a"=="mail" set "@mail.%%e=mail %%b %%c %%d %%e"
  if "%%a"=="full" set "@full.%%b=full %%b"
  if "%%a"=="start" set "starts=%%b"
)
rem O numero deste inicio faz parte dos ids. O sorteio serve para um mundo que comeca de novo.
set /a starts+=1
set "@start=start %starts%"
set "start=%starts%-%random%"
set count=0
call :save
exit /b

rem :each offer|order ESTADO :ROTINA
:each
for /f "tokens=1* delims==" %%v in ('set @') do for /f "tokens=1-3" %%a in ("%%w") do if "%%a %%c"=="%1 %2" call %3 %%b
exit /b

rem O arquivo aparece inteiro ou nao aparece. A linha "end" prova que coube no disco.
:save
(
  for /f "tokens=1* delims==" %%a in ('set @') do echo %%b
  echo end
) > "%dir%\world.tmp"
findstr /x /c:"end" "%dir%\world.tmp" >nul && move /y "%dir%\world.tmp" "%dir%\world.txt" >nul && exit /b
echo nao foi possivel gravar %dir%\world.txt 1>&2
exit 1

:offer
set "state="
for /f "tokens=3-7" %%a in ("!@offer.%1!") do (
  set "state=%%a" & set "try=%%b" & set "seller=%%c" & set "left=%%d" & set "cents=%%e"
)
exit /b

:setOffer
set "@offer.%1=offer %1 %state% %try% %seller% %left% %cents%"
exit /b

:order
set "orderState="
for /f "tokens=3-7" %%a in ("!@order.%1!") do (
  set "orderState=%%a" & set "item=%%b" & set "quantity=%%c" & set "buyer=%%d" & set "tries=%%e"
)
exit /b

:saveOrder
set "@order.%1=order %1 %orderState% %item% %quantity% %buyer% %tries%"
call :save
exit /b

rem Unidades livres para outros compradores: as de pedidos pagos e ainda nao entregues ficam de fora.
:observed
set observed=0
for /f "tokens=6" %%a in ("!@offer.%1!") do set "observed=%%a"
for /f "tokens=1* delims==" %%v in ('set @') do for /f "tokens=1,3-5" %%a in ("%%w") do (
  if "%%a %%b %%c"=="order taken %1" set /a observed-=%%d
  if "%%a %%b %%c"=="order put-off %1" set /a observed-=%%d
)
if %observed% lss 0 set observed=0
exit /b

rem 2. Chamar o agente: um arquivo em outbox\, a resposta em inbox\.

rem Um id que nunca foi usado.
:newId
set /a count+=1
set "id=%1-%start%-%count%"
exit /b

rem :call ACAO, com id e fields: deixa a resposta em a_... e em result: ok, refused (recusa certa) ou unknown (nao se sabe).
:call
set result=unknown
set waits=60
rem Uma resposta que chegou antes de uma queda nossa vale: o id e da mesma chamada.
if not exist "%spool%\inbox\%id%.json" (
  > "%spool%\outbox\.%id%.tmp" echo {"action":"%1",!fields!}
  move /y "%spool%\outbox\.%id%.tmp" "%spool%\outbox\%id%.json" >nul
)
:waitForAnswer
if exist "%spool%\inbox\%id%.json" goto judge
set /a waits-=1
call :sleep
if %waits% gtr 0 goto waitForAnswer
rem O agente nao esta rodando: retira o pedido, se ele ainda estiver la.
if exist "%spool%\outbox\%id%.json" del "%spool%\outbox\%id%.json"
exit /b
:judge
call :readJson "%spool%\inbox\%id%.json"
if "!a_ok!"=="true" set result=ok
if not "!a_ok!"=="false" exit /b
if defined a_uncertain exit /b
if "!a_code!"=="ID_REUSED" exit /b
for %%s in (401 408 425 429) do if "!a_status!"=="%%s" exit /b
if defined a_status if !a_status! lss 500 set result=refused
exit /b

rem Apaga a resposta. So depois de agir e gravar.
:forget
if exist "%spool%\inbox\%id%.json" del "%spool%\inbox\%id%.json"
exit /b

rem Cada campo de um objeto simples, em uma linha, vira uma variavel a_... Um texto vai ate a primeira virgula.
:readJson
set a_=.
for /f "delims==" %%v in ('set a_') do set "%%v="
set "rest="
for /f "usebackq delims=" %%l in ("%~1") do set "rest=%%l"
:nextField
if not defined rest exit /b
set "unread=!rest!"
set "rest="
for /f "eol=, tokens=1* delims=,{}" %%f in ("!unread!") do (
  for /f "tokens=1* delims=:" %%i in ("%%f") do set "a_%%~i=%%~j"
  set "rest=%%g"
)
goto nextField

rem 3. Anunciar. O estado e gravado antes da chamada; enquanto for "registering", cada volta a repete.

rem Uma tentativa anterior ficou em duvida: se o itemRef ja foi usado (409), foi ela que anunciou.
:registerAgain
call :register %1 again
exit /b

rem :register ITEM [again]
:register
call :offer %1
set "id=register-%1-%try%"
set "fields="itemRef":"%1","gameItemId":"%1","itemName":"%1","attributes":"Item do jogo","quantityListed":%left%,"unitAmountCents":%cents%,"sellerCharacterRef":"%seller%""
call :call market.register
if "%result% !a_status! %2"=="refused 409 again" set result=ok
if "%result%"=="ok" set state=listed
if "%result%"=="refused" set state=refused
if "%result%"=="unknown" set /a try+=1
call :setOffer %1
call :save
call :forget
exit /b

rem 4. Receber um pedido: primeiro gravar, depois responder. O mesmo pedido pode vir mais de uma vez.
:take
call :readJson "%spool%\events\%~1" 2>nul
set ok=1
call :mustBeNumber a_transactionId
call :mustBeNumber a_quantity
call :mustBeName a_itemRef
call :mustBeName a_buyerCharacterRef
if not defined ok exit /b
set tries=0
call :order %a_transactionId%
if defined orderState if not "%orderState%"=="put-off" goto replyToOrder
set "orderState=taken"
set "item=%a_itemRef%"
set "quantity=%a_quantity%"
set "buyer=%a_buyerCharacterRef%"
call :saveOrder %a_transactionId%
echo pedido %a_transactionId%: recebido
:replyToOrder
call :observed %item%
set "reply={"observedQuantity":%observed%}"
call :answer "%~1"
exit /b

rem :eachEvent NOME :ROTINA
:eachEvent
pushd "%spool%\events" || exit /b
for %%f in (%1-*.json) do if not exist "%spool%\replies\%%f" call %2 "%%f"
popd
exit /b

rem A resposta tem o nome do evento, em replies\. O agente apaga os dois.
:answer
> "%spool%\replies\.%~n1.tmp" echo !reply!
move /y "%spool%\replies\.%~n1.tmp" "%spool%\replies\%~1" >nul
exit /b

rem 5. Entregar ou relatar. OUT_OF_STOCK devolve o dinheiro: so com certeza. Na duvida, TEMPORARY.

rem Um pedido de antes deste inicio pode ter acabado enquanto o servidor estava parado. A plataforma sabe.
:mustBeAwaited
set ok=1
if not defined fromDisk.%1 exit /b
call :newId ask-%1
set "fields="transactionId":%1"
call :call transaction.get
call :forget
if not "!a_deliveryStatus!"=="AGUARDANDO_SERVIDOR" set "ok="
exit /b

:deliver
call :mustBeAwaited %1
if not defined ok exit /b
call :order %1
call :offer %item%
if not defined state goto putOff
if %left% lss %quantity% (
  rem A decisao fica gravada antes do relato.
  set "orderState=out-of-stock"
  call :saveOrder %1
  echo pedido %1: sem estoque
  exit /b
)
if defined @full.%buyer% goto putOff
rem O item sai do vendedor e entra no correio do comprador na mesma gravacao em que o pedido fica entregue.
set /a left-=%quantity%
call :setOffer %item%
set "@mail.%1=mail %buyer% %item% %quantity% %1"
set "orderState=delivered"
call :saveOrder %1
echo pedido %1: entregue
exit /b

rem Agora nao da: a plataforma envia o pedido de novo. Cada relato tem um id novo.
:putOff
call :observed %item%
set "id=failed-%1-%tries%"
set "fields="transactionId":%1,"reason":"TEMPORARY","observedQuantity":%observed%"
call :call transaction.delivery-failure
if "%result%"=="ok" set "orderState=put-off"
set /a tries+=1
call :saveOrder %1
call :forget
if "%result%"=="ok" echo pedido %1: adiado
exit /b

:reportGone
call :order %1
call :observed %item%
call :newId gone-%1
set "fields="transactionId":%1,"reason":"OUT_OF_STOCK","observedQuantity":%observed%"
call :call transaction.delivery-failure
call :settle %1 closed
exit /b

rem O estado depois de um "ok". Com uma recusa certa nao adianta repetir: a equipe do jogo decide.
:settle
if "%result%"=="ok" set "orderState=%2"
if "%result%"=="refused" set "orderState=closed"
if "%result%"=="refused" echo pedido %1: recusado: !a_message!
if not "%result%"=="unknown" call :saveOrder %1
call :forget
exit /b

rem 6. Confirmar a entrega, ate haver uma resposta certa.
:confirm
call :order %1
call :newId deliver-%1
set "fields="transactionId":%1"
call :call transaction.delivery
call :settle %1 confirmed
if "%result%"=="ok" echo pedido %1: confirmado
exit /b

rem 7. O fim de um pedido. Um que nao foi entregue nao e mais entregue.
:endOrder
call :readJson "%spool%\events\%~1" 2>nul
set ok=1
call :mustBeNumber a_transactionId
if not defined ok exit /b
call :order %a_transactionId%
if defined orderState (
  set orderState=closed
  call :saveOrder %a_transactionId%
  echo pedido %a_transactionId%: encerrado !a_outcome!
)
set "reply={}"
call :answer "%~1"
exit /b

rem 8. O console: as linhas de console.txt. O nome muda antes da leitura: quem escreve depois faz outro arquivo.
:readConsole
if not exist "%dir%\console.now" if exist "%dir%\console.txt" ren "%dir%\console.txt" console.now
if not exist "%dir%\console.now" exit /b
set lines=0
for /f "usebackq delims=" %%l in ("%dir%\console.now") do (
  set /a lines+=1
  set "line!lines!=%%l"
)
del "%dir%\console.now"
for /l %%n in (1,1,%lines%) do call :runLine %%n
exit /b

:runLine
for /f "tokens=1-5" %%a in ("!line%1!") do (
  set "name=%%a" & set "w1=%%b" & set "w2=%%c" & set "w3=%%d" & set "w4=%%e"
)
set "ok="
for %%c in (link list sold withdraw buy full room) do if "!name!"=="%%c" set ok=1
if "!name!"=="list" call :mustBeName w2
if "!name!"=="list" call :mustBeNumber w3
if "!name!"=="list" call :mustBeNumber w4
if "!name!"=="sold" call :mustBeNumber w2
if "!name!"=="buy" call :mustBeNumber w2
if "!name!"=="buy" call :mustBeName w3
call :mustBeName w1
if defined ok (
  call :command_%name% %w1% %w2% %w3% %w4%
) else (
  echo !name!: recusado: comando desconhecido ou argumento errado
)
exit /b

rem Nomes fazem parte de ids, nomes de arquivos e JSON. O argumento e o nome de uma variavel.
:mustBeName
if not defined %1 set "ok="
for /f "delims=_.-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" %%v in ("_!%1!") do set "ok="
exit /b

:mustBeNumber
if not defined %1 set "ok="
if "!%1:~0,1!"=="0" set "ok="
for /f "delims=0123456789" %%v in ("0!%1!") do set "ok="
exit /b

rem A linha de resposta de um comando. O segundo argumento e o nome da variavel com o texto.
:tell
if "%result%"=="ok" echo %1: !%2!
if "%result%"=="refused" echo %1: recusado: !a_message!
if "%result%"=="unknown" echo %1: sem resposta
exit /b

:command_link
call :newId link
set "fields="characterRef":"%1""
call :call character.link
call :forget
call :tell link a_url
exit /b

rem Depois de uma recusa, uma tentativa nova com um id novo.
:command_list
call :offer %1
if defined state if not "%state%"=="refused" (
  echo list: recusado: %1 ja foi anunciado
  exit /b
)
if not defined state set try=0
set /a try+=1
set state=registering
set "seller=%2"
set "left=%3"
set "cents=%4"
call :setOffer %1
call :save
call :register %1
call :tell list result
exit /b

:command_sold
call :offer %1
if not defined state set left=0
if %left% lss %2 (
  echo sold: recusado: nao ha essa quantidade
  exit /b
)
set /a left-=%2
call :setOffer %1
call :save
call :observed %1
call :newId adjust
set "fields="itemRef":"%1","observedQuantity":%observed%"
call :call market.adjust-stock
call :forget
call :tell sold result
exit /b

:command_withdraw
call :newId withdraw
set "fields="itemRef":"%1""
call :call market.withdraw
call :offer %1
if "%result%"=="ok" if defined state (
  set state=withdrawn
  call :setOffer %1
  call :save
)
call :forget
call :tell withdraw result
exit /b

rem Uma compra cuja resposta se perde nao faz mal: ela expira sem pagamento.
:command_buy
call :newId buy
set "fields="itemRef":"%1","quantity":%2,"buyerCharacterRef":"%3""
call :call transaction.create
call :forget
call :tell buy a_checkoutUrl
exit /b

:command_full
set "@full.%1=full %1"
call :save
echo full: ok
exit /b

:command_room
set "@full.%1="
call :save
echo room: ok
exit /b
