@echo off
rem Um servidor de jogo pequeno e completo para o cmd do Windows, so com arquivos.
rem Sem acentos: o cmd le este arquivo na pagina de codigo do sistema. O README.pt-BR.md mostra como iniciar.
setlocal enableextensions enabledelayedexpansion
if not defined SERVICE_SPOOL_DIR set "SERVICE_SPOOL_DIR=spool"
if not defined WORLD_DIR set "WORLD_DIR=world"
if not exist "%WORLD_DIR%\" mkdir "%WORLD_DIR%"
for %%i in ("%SERVICE_SPOOL_DIR%") do set "spool=%%~fi"
for %%i in ("%WORLD_DIR%") do set "dir=%%~fi"
rem O nome de uma chamada e um sorteio e um contador: nunca se repete.
set "start=%random%-%random%-%random%" & set count=0& set still=99
rem 1. O mundo: uma variavel @... para cada linha de world.txt. No seu jogo e o banco de dados.
rem offer ITEM ESTADO VENDEDOR UNIDADES CENTAVOS, order ID RESULTADO ITEM UNIDADES, mail ... ID, full COMPRADOR
if exist "%dir%\world.txt" for /f "usebackq tokens=1-6" %%a in ("%dir%\world.txt") do (
  if "%%a"=="offer" set "@offer.%%b=offer %%b %%c %%d %%e %%f"
  if "%%a"=="order" set "@order.%%b=order %%b %%c %%d %%e"
  if "%%a"=="mail" set "@mail.%%e=mail %%b %%c %%d %%e"
  if "%%a"=="full" set "@full.%%b=full %%b"
)
echo pronto
:tick
for /f "tokens=1* delims==" %%v in ('set @') do for /f "tokens=1-3" %%a in ("%%w") do (
  if "%%a %%c"=="offer registering" call :register %%b & call :tell %%b result
)
rem Os encerramentos antes dos pedidos: o que acabou nao e mais entregue.
call :readAgent
for %%n in (transaction_terminal transfer_order) do call :eachEvent %%n
call :readConsole
ping -n 2 127.0.0.1 >nul
goto tick
rem Enquanto a resposta a um evento esta la, o agente ainda vai ler e apagar os dois arquivos.
:eachEvent
pushd "%spool%\events" || exit /b
for %%f in (%1-*.json) do if not exist "%spool%\replies\%%f" call :take "%%f"
popd & exit /b
rem O arquivo aparece inteiro ou nao aparece. A linha "end" prova que coube no disco.
:save
set tries=0
:saveAgain
(
  for /f "tokens=1* delims==" %%a in ('set @') do echo %%b
  echo end
) > "%dir%\world.tmp"
findstr /x /c:"end" "%dir%\world.tmp" >nul && move /y "%dir%\world.tmp" "%dir%\world.txt" >nul && exit /b
rem Um antivirus pode segurar um dos dois arquivos por um momento.
set /a tries+=1 & ping -n 2 127.0.0.1 >nul & if !tries! lss 5 goto saveAgain
echo nao foi possivel gravar %dir%\world.txt 1>&2
exit 1
rem :offer ITEM: state, seller, stock e cents do anuncio (sem anuncio, state fica sem valor), e units: o que resta para
rem outros compradores. As unidades de um pedido adiado estao separadas para ele.
:offer
set "state=" & set units=0
for /f "tokens=3-6" %%a in ("!@offer.%1!") do set "state=%%a" & set "seller=%%b" & set "stock=%%c" & set "cents=%%d"
if defined state set units=%stock%
for /f "tokens=1* delims==" %%v in ('set @') do for /f "tokens=1,3-5" %%a in ("%%w") do (
  if "%%a %%b %%c"=="order TEMPORARY %1" set /a units-=%%d
)
if %units% lss 0 set units=0
exit /b
rem 2. Um pedido: se ainda nao foi decidido, decidir e entregar em uma gravacao so. Depois, responder o que houve.
:take
call :readJson "%~1" 2>nul
for %%v in (a_quantity a_buyerCharacterRef) do if not defined %%v set %%v=0
set ok=1& for %%v in (a_transactionId a_itemRef a_quantity a_buyerCharacterRef) do call :mustBeName %%v
if not defined ok exit /b
set result=TEMPORARY
for /f "tokens=3" %%r in ("!@order.%a_transactionId%!") do set "result=%%r"
if not "%result%"=="TEMPORARY" goto reply
rem Depois de actUntil o agente pode estar parado, e o comprador, com o dinheiro de volta. A hora e a do agente.
if defined a_actUntil if %still% gtr 9 exit /b
if defined a_actUntil if "%agentAt%" gtr "%a_actUntil%" exit /b
rem As unidades separadas sao para este pedido, ou ficam livres. Na duvida, adiado: o pedido volta mais tarde.
set "@order.%a_transactionId%="
call :offer %a_itemRef% & set text=adiado
if not "%a_event%"=="transaction_terminal" goto decide
set result=OUT_OF_STOCK& set "text=encerrado %a_outcome%"& goto decided
:decide
if not defined state goto decided
if %units% lss %a_quantity% (
  rem So com certeza: o comprador recebe o dinheiro de volta.
  set result=OUT_OF_STOCK& set "text=sem estoque"& goto decided
)
if defined @full.%a_buyerCharacterRef% goto decided
set result=DELIVERED& set text=entregue
set /a stock-=%a_quantity%
set "@offer.%a_itemRef%=offer %a_itemRef% %state% %seller% %stock% %cents%"
set "@mail.%a_transactionId%=mail %a_buyerCharacterRef% %a_itemRef% %a_quantity% %a_transactionId%"
:decided
set "@order.%a_transactionId%=order %a_transactionId% %result% %a_itemRef% %a_quantity%"
call :save
echo pedido %a_transactionId%: %text%
:reply
call :offer %a_itemRef%
rem A resposta tem o nome do evento, em replies\.
> "%spool%\replies\.%~n1.tmp" echo {"observedQuantity":%units%,"result":"%result%"}
move /y "%spool%\replies\.%~n1.tmp" "%spool%\replies\%~nx1" >nul
exit /b
rem 3. Chamar o agente: um arquivo em outbox\, a resposta em inbox\. Ele assina, envia e repete.
rem :call ACAO, com fields: a resposta fica em a_... e em result: ok, refused (com certeza) ou unknown (nao se sabe).
:call
set result=unknown& set waits=40& set /a count+=1
set "id=%start%-%count%"
> "%spool%\outbox\.%id%.tmp" echo {"action":"%1",!fields!}
move /y "%spool%\outbox\.%id%.tmp" "%spool%\outbox\%id%.json" >nul
:waitForAnswer
if exist "%spool%\inbox\%id%.json" goto judge
set /a waits-=1 & ping -n 2 127.0.0.1 >nul
if %waits% gtr 0 goto waitForAnswer
rem Sem agente a chamada nao fica para depois, e os pedidos esperam ate ele gravar a hora de novo.
if exist "%spool%\outbox\%id%.json" del "%spool%\outbox\%id%.json"
call :readAgent & set still=99& exit /b
:judge
call :readJson "%spool%\inbox\%id%.json"
del "%spool%\inbox\%id%.json"
if "!a_ok!"=="true" set result=ok
if not defined a_uncertain for %%s in (400 403 404 409 422) do if "!a_ok! !a_status!"=="false %%s" set result=refused
exit /b
rem A hora do agente, e ha quantas voltas ela nao muda: o agente a grava a cada 5 s.
:readAgent
call :readJson "%spool%\agent.json" 2>nul & set /a still+=1
if not defined agentAt set "agentAt=!a_at!"
if not "!a_at!"=="%agentAt%" set "agentAt=!a_at!"& set still=0
exit /b
rem Cada campo de um objeto simples, em uma linha, vira uma variavel a_... Um texto vai ate a primeira virgula.
:readJson
set a_=.
for /f "delims==" %%v in ('set a_') do set "%%v="
set "rest="
for /f "usebackq delims=" %%l in ("%~1") do set "rest=%%l"
:nextField
if not defined rest exit /b
set "unread=!rest!" & set "rest="
for /f "eol=, tokens=1* delims=,{}" %%f in ("!unread!") do (
  for /f "tokens=1* delims=:" %%i in ("%%f") do set "a_%%~i=%%~j"
  set "rest=%%g"
)
goto nextField
rem :register ITEM [first]. Repetido, um 409 significa que outra tentativa valeu.
:register
call :offer %1
set fields="itemRef":"%1","gameItemId":"%1","itemName":"%1","attributes":"Item do jogo","quantityListed":%stock%
set fields=%fields%,"unitAmountCents":%cents%,"sellerCharacterRef":"%seller%"
call :call market.register
if "%result% !a_status! %2"=="refused 409 " set result=ok
if "%result%"=="ok" set "@offer.%1=offer %1 listed %seller% %stock% %cents%"
if "%result% %2"=="refused first" set "@offer.%1="
call :save
exit /b
rem 4. Os comandos: as linhas de console.txt.
:readConsole
if not exist "%dir%\console.txt" exit /b
set lines=0
for /f "usebackq delims=" %%l in ("%dir%\console.txt") do set /a lines+=1 & set "line!lines!=%%l"
del "%dir%\console.txt"
for /l %%n in (1,1,%lines%) do call :runLine %%n
exit /b
:runLine
for /f "tokens=1-5" %%a in ("!line%1! - - - -") do (
  set "name=%%a" & set "w1=%%b" & set "w2=%%c" & set "w3=%%d" & set "w4=%%e"
)
set ok=1& for %%v in (name w1 w2 w3 w4) do call :mustBeName %%v
if defined ok for %%c in (link list sold withdraw buy full room) do if "%name%"=="%%c" goto command_%%c
echo %name%: recusado: comando desconhecido
exit /b
rem Nomes e numeros fazem parte de ids, nomes de arquivos e JSON. O argumento e o nome de uma variavel.
:mustBeName
for /f "delims=_.-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" %%v in ("_!%1!") do set "ok="
exit /b
:command_link
set fields="characterRef":"%w1%"
call :call character.link & call :tell link a_url & exit /b
:command_list
call :offer %w1%
if defined state echo list: recusado: este item ja tem anuncio& exit /b
rem Gravado antes da chamada: uma queda nao esquece o anuncio, e repetir nao anuncia duas vezes.
set "@offer.%w1%=offer %w1% registering %w2% %w3% %w4%"
call :save & call :register %w1% first & call :tell list result & exit /b
:command_sold
call :offer %w1%
if %units% lss %w2% echo sold: recusado: nao ha tanto& exit /b
set /a stock-=%w2% & set /a units-=%w2%
set "@offer.%w1%=offer %w1% %state% %seller% %stock% %cents%"
set fields="itemRef":"%w1%","observedQuantity":%units%
call :save & call :call market.adjust-stock & call :tell sold result & exit /b
:command_withdraw
set fields="itemRef":"%w1%"
call :call market.withdraw & call :tell withdraw result & exit /b
:command_buy
set fields="itemRef":"%w1%","quantity":%w2%,"buyerCharacterRef":"%w3%"
call :call transaction.create & call :tell buy a_checkoutUrl & exit /b
:command_full
set "@full.%w1%=full %w1%" & call :save & echo full: ok& exit /b
:command_room
set "@full.%w1%=" & call :save & echo room: ok& exit /b
rem A linha que responde a um comando. O segundo argumento e o nome da variavel com o texto.
:tell
if "%result%"=="ok" echo %1: !%2!
if "%result%"=="refused" echo %1: recusado: !a_message!
if "%result%"=="unknown" echo %1: sem resposta
exit /b
