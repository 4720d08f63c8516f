import { equal, match, notEqual } from 'node:assert/strict'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setStage } from '../../../scripts/demo/stage.ts'
import { binaryPrograms } from '../../../scripts/programs.ts'
import { agentHome } from '../../agent/fixtures/agent-process.ts'
import { commandOutput } from '../../agent/fixtures/command-output.ts'
import { stubProgram } from '../../programs/our-programs.ts'
import { runProgram } from '../../programs/program.ts'
import type { PromiseGroup } from './promises.ts'

/** The commands that end by themselves. */
export const commands: PromiseGroup = {
  name: 'commands',
  async test(holds) {
    using home = agentHome('http://127.0.0.1:9/v1')
    await holds('both executables print their version', async () => {
      const [agent, stub] = [await commandOutput(['--version'], {}), await runProgram([...stubProgram(), '--version'])]
      equal(agent.code, 0)
      equal(stub.stdout, agent.stdout)
      return agent.stdout.trim()
    })
    await holds('keygen writes a key pair and never replaces one', async () => {
      const out = join(home.dir, 'keys')
      const first = await commandOutput(['keygen', '--out', out], {})
      equal(first.code, 0, first.stderr)
      const pem = readFileSync(join(out, 'signing-key.pem'), 'utf8')
      notEqual((await commandOutput(['keygen', '--out', out], {})).code, 0)
      equal(readFileSync(join(out, 'signing-key.pem'), 'utf8'), pem)
    })
    await holds('wrong settings end the start with exit 2 and name each setting', async () => {
      const { code, stderr } = await commandOutput(['run'], { SERVICE_BASE_URL: 'ftp://x' })
      equal(code, 2)
      match(stderr, /^SERVICE_BASE_URL: /m)
    })
    await holds('a directory that cannot be made is explained without a command of Linux', async () => {
      const file = join(home.dir, 'signing-key.pem')
      const { code, stdout, stderr } = await commandOutput(['run'], { ...home.env, SERVICE_STATE_DIR: join(file, 'x') })
      equal(code, 2)
      const text = `${stdout}${stderr}`
      match(text, /SERVICE_STATE_DIR: .*Example: C:/)
      equal(/chmod|chgrp|\/var\//.test(text), false, text)
    })
    await holds('the script of the service is printed', async () => {
      match((await commandOutput(['service', 'windows'], {})).stdout, /shawl\.exe/)
    })
    await holds('check finds nothing wrong with what provision wrote', async () => {
      await using stage = await setStage(binaryPrograms)
      const out = join(stage.dir, 'checked')
      const provision = ['provision', '--url', stage.stubUrl, '--name', 'checked', '--out', out]
      equal((await runProgram([...stubProgram(), ...provision])).code, 0)
      const settings = { SERVICE_STATE_DIR: join(out, 'state'), SERVICE_SPOOL_DIR: join(out, 'spool') }
      const { code, stdout } = await commandOutput(['check', '--config', join(out, 'agent.env')], {
        ...settings,
        SERVICE_AGENT_PORT: '0',
      })
      equal(code, 0, stdout)
      equal(/chmod|chgrp/.test(stdout), false, stdout)
      rmSync(out, { recursive: true, force: true })
    })
  },
}
