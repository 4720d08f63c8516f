import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Check } from '../../../agent/check/check.ts'
import { portuguese } from '../../../agent/language/portuguese.ts'
import { startProgram } from '../../../scripts/child-program.ts'
import { sourcePrograms } from '../../../scripts/programs.ts'
import { outputFile } from '../../outputs/outputs.ts'
import { checkSetup, type Settings } from '../fixtures/check-setup.ts'
import { commandOutput } from '../fixtures/command-output.ts'

const brazilian = { LANG: 'pt_BR.UTF-8' }
const english = { LC_ALL: 'en_US.UTF-8', LANG: 'pt_BR.UTF-8' }

test('the help of every command is in the language of the user', async () => {
  const commands = ['', 'run', 'call', 'operations', 'check', 'reload', 'keygen', 'orders', 'status', 'completion']
  for (const command of commands) {
    const args = [...(command ? [command] : []), '--help']
    const [inEnglish, inPortuguese] = await Promise.all([commandOutput(args, english), commandOutput(args, brazilian)])
    expect(inEnglish.stdout).toMatch(/^Usage: market-agent/)
    expect(inPortuguese.stdout).toMatch(/^Uso: market-agent/)
    const oneLine = (text: string) => text.replace(/\s+/g, ' ')
    const texts = Object.keys(portuguese).filter(
      (text) => /[ :]/.test(text) && oneLine(inEnglish.stdout).includes(text),
    )
    expect(texts.length).toBeGreaterThan(3)
    for (const text of texts) expect(oneLine(inPortuguese.stdout)).not.toContain(text)
  }
})

test('check says everything in the language of the user, whatever is wrong', async () => {
  using ready = checkSetup()
  writeFileSync(ready.path('twice.env'), 'SERVICE_LOG_LEVEL=info\nSERVICE_LOG_LEVEL=info\nno line\n')
  const faults: readonly [Settings, string[]][] = [
    [{}, []],
    [{ SERVICE_SIGNING_KEY_FILE: '/none.pem', SERVICE_LOG_LEVEL: 'loud', SERVICE_LOGLEVEL: 'x' }, ['--offline']],
    [{ SERVICE_STATE_DIR: '/proc/none', SERVICE_SPOOL_DIR: ready.path('key.pem') }, ['--offline']],
    [{}, ['--offline', '--config', ready.path('twice.env')]],
    [{}, ['--offline', '--config', ready.path('none.env')]],
  ]
  for (const [settings, args] of faults) {
    const [inEnglish, inPortuguese] = await Promise.all(
      [english, brazilian].map((env) => ready.run(['--json', ...args], { ...settings, ...env })),
    )
    const [checks, translated] = [inEnglish, inPortuguese].map(
      (run) => (JSON.parse(run?.stdout ?? '') as { checks: Check[] }).checks,
    )
    expect(translated?.map(({ name, ok }) => ({ name, ok }))).toEqual(checks?.map(({ name, ok }) => ({ name, ok })))
    for (const [at, check] of (checks ?? []).entries()) {
      expect(translated?.[at]?.message).not.toBe(check.message)
      if (check.cure !== null) expect(translated?.[at]?.cure).not.toBe(check.cure)
    }
  }
})

test('operations are listed with a summary in the language of the user', async () => {
  using ready = checkSetup()
  const env = { ...ready.settings, SERVICE_STATE_DIR: ready.path('own-state') }
  const order = {
    name: 'market-agent',
    command: [...sourcePrograms.agent, 'run'],
    env,
    logFile: outputFile('language'),
  }
  await using agent = await startProgram(order)
  const address = { ...env, SERVICE_AGENT_PORT: new URL(agent.url).port }
  const inEnglish = await commandOutput(['operations'], { ...address, ...english })
  const inPortuguese = await commandOutput(['operations'], { ...address, ...brazilian })
  expect(inEnglish.stdout).toContain('    Withdraws a listing for good.\n    input: itemRef\n')
  expect(inPortuguese.stdout).toContain('    Retira um anúncio para sempre.\n    entrada: itemRef\n')

  const answer = await fetch(`${agent.url}/operations`)
  const { operations } = (await answer.json()) as { operations: { summary: string; summaryPt: string }[] }
  for (const { summary, summaryPt } of operations) {
    expect(summary).toMatch(/^[A-Z].+\.$/)
    expect(summaryPt).toMatch(/^[A-Z].+\.$/)
    expect(summaryPt).not.toBe(summary)
  }
})

test('an error of a command line is in the language of the user, with the value that is wrong', async () => {
  const errors: readonly [args: string[], inEnglish: RegExp, inPortuguese: RegExp][] = [
    [['statu'], /unknown command 'statu'/, /comando desconhecido 'statu'\n\(Você quis dizer status\?\)/],
    [['status', '--jsn'], /unknown option '--jsn'/, /opção desconhecida '--jsn'\n\(Você quis dizer --json\?\)/],
    [
      ['status', 'x', 'y'],
      /too many arguments/,
      /argumentos demais para 'status'\. Esperados: 0; recebidos: 2: x, y\./,
    ],
    [['call'], /missing required argument 'operation'/, /falta o argumento obrigatório 'operation'/],
    [['call', 'a', '--id'], /argument missing/, /opção '--id <id>' sem valor/],
    [['keygen'], /required option/, /falta a opção obrigatória '--out <dir>'/],
    [
      ['keygen', '--out', '.', '--kid', 'a b'],
      /without spaces/,
      /opção '--kid <kid>': o valor 'a b' é inválido\. de 1 a/,
    ],
    [['service', 'windows', '--name', '/'], /only letters/, /é inválido\. só letras/],
    [
      ['completion', 'fish'],
      /Allowed choices are bash/,
      /o valor 'fish' é inválido para o argumento 'shell'\. As opções são bash, zsh/,
    ],
    [['call', 'a', '-', '--input', '{}'], /give the input once/, /informe a entrada uma só vez/],
    [['call', 'a', '--input', '{'], /the input is not valid JSON/, /O JSON é inválido na linha 1/],
    [['call', 'a', '--input-file', '/none'], /cannot read \/none: ENOENT/, /não foi possível ler \/none: ENOENT/],
  ]
  for (const [args, inEnglish, inPortuguese] of errors) {
    const [told, translated] = await Promise.all([english, brazilian].map((env) => commandOutput(args, env)))
    expect(told).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(inEnglish) })
    expect(translated).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(inPortuguese) })
    expect(translated?.stderr).not.toMatch(/\berror\b|Did you mean|Allowed/)
  }
})

test('status, orders, keygen and reload are in the language of the user', async () => {
  using ready = checkSetup()
  const env = {
    ...ready.settings,
    SERVICE_STATE_DIR: ready.path('own-state'),
    SERVICE_SPOOL_DIR: ready.path('own-spool'),
    SERVICE_AGENT_PORT: '0',
  }
  const gone = await commandOutput(['status'], { ...env, SERVICE_AGENT_PORT: '1', ...brazilian })
  expect(gone).toMatchObject({ code: 1, stderr: expect.stringMatching(/^Nenhum market-agent responde em .*:1 \(/) })
  const name = 'market-agent'
  const logFile = outputFile('language-of-outputs')
  await using agent = await startProgram({ name, command: [...sourcePrograms.agent, 'run'], env, logFile })
  const address = { ...env, SERVICE_AGENT_PORT: new URL(agent.url).port, ...brazilian }

  const { stdout: status } = await commandOutput(['status'], address)
  expect(status).toMatch(/^market-agent \S+: não está pronto\n {2}! .*\n {4}Em português: /)
  const labels = ['no ar', 'plataforma', 'relógio', 'chave de assinatura', 'chamadas', 'desde que iniciou', 'journal']
  for (const label of labels) expect(status).toMatch(new RegExp(`^ {2}${label} +`, 'm'))
  expect(status).toContain('0 à espera, 0 em andamento, 0 recusados')
  expect(status.replace(/^.*! .*$/m, '')).not.toMatch(/\b(?:ready|since|waiting|the|refused|open)\b/)

  const made = await commandOutput(['keygen', '--out', ready.path('keys')], brazilian)
  expect(made.stdout).toMatch(/^Chave privada, só para esta máquina: /)
  expect(made.stdout).toMatch(
    /^Envie à equipe da plataforma[\s\S]*\n {2}o arquivo {10}\/.*\n {2}kid .* a equipe escolhe um\n/m,
  )
  const again = await commandOutput(['keygen', '--out', ready.path('keys')], brazilian)
  expect(again).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('já existe, e uma chave nunca é sobrescrita'),
  })

  const reloaded = await commandOutput(['reload'], { ...address, SERVICE_AGENT_PORT: '1' })
  expect(reloaded.stderr).toMatch(/^Nenhum market-agent responde/)
  expect((await commandOutput(['reload'], address)).stdout).toBe('Recarregado. Mudou: nada\n')
})

test('the daemon says its errors in English, as its log is', async () => {
  const { stderr, code } = await commandOutput(['run'], brazilian)
  expect(code).toBe(2)
  expect(stderr).toMatch(/^SERVICE_BASE_URL: missing\. Example: https/)
})
