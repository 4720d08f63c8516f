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

test('the daemon says its errors in English, as its log is', async () => {
  const { stderr, code } = await commandOutput(['run'], brazilian)
  expect(code).toBe(2)
  expect(stderr).toMatch(/^SERVICE_BASE_URL: missing\. Example: https/)
})
