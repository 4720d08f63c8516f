import { expect, test } from 'vitest'
import { stubProgram } from '../../programs/our-programs.ts'
import { runProgram } from '../../programs/program.ts'

/** The help of a command of `platform-stub`, in a shell with this locale. */
async function help(locale: string, ...command: string[]): Promise<string> {
  const env = { ...process.env, LC_ALL: locale }
  return (await runProgram([...stubProgram(), ...command, '--help'], { env })).stdout
}

test('the help of every command is in the language of the user', async () => {
  const commands = [[], ['serve'], ['provision'], ['trigger'], ['trigger', 'fail'], ['probe-webhook'], ['openapi']]
  for (const command of commands) {
    const [english, portuguese] = await Promise.all([help('en_US.UTF-8', ...command), help('pt_BR.UTF-8', ...command)])
    expect(english).toMatch(/^Usage: platform-stub/)
    expect(portuguese).toMatch(/^Uso: platform-stub/)
    const meanings = (text: string) => text.split('\n').map((line) => line.trim().split(/ {2,}/).at(-1) ?? '')
    const inBoth = meanings(english).filter((line) => line.includes(' ') && meanings(portuguese).includes(line))
    expect(inBoth.filter((line) => !/^(?:--|\(|Us)/.test(line))).toEqual([])
  }
})

test('an error of a command line is in the language of the user', async () => {
  const errors: readonly [args: string[], inPortuguese: RegExp][] = [
    [['serv'], /^erro: comando desconhecido 'serv'\n\(Você quis dizer serve\?\)\n$/],
    [['serve', '--payment-expiry', '30'], /é inválido\. É preciso um número com unidade/],
    [['serve', '--memory', '--data-dir', 'x'], /^erro: opção '.*' não pode ser usada com a opção '.*'\n$/],
    [['provision', '--url', 'x'], /é inválido\. É preciso um endereço http/],
  ]
  for (const [args, inPortuguese] of errors) {
    const env = { ...process.env, LC_ALL: 'pt_BR.UTF-8' }
    expect(await runProgram([...stubProgram(), ...args], { env })).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(inPortuguese),
    })
  }
})
