import type { Command } from 'commander'

/** A command by the words that name it (`service systemd`), with everything that may follow. */
type Completions = ReadonlyMap<string, readonly string[]>

/** The shells that `market-agent completion` knows. */
export const shells = ['bash', 'zsh', 'powershell'] as const
export type Shell = (typeof shells)[number]

/**
 * A script that completes the commands and options of a program. Everything is in the script: the program is not
 * started to complete a word.
 *
 * @param values Words for arguments that commander does not check, by the words that name their command.
 */
export function completionScript(
  shell: Shell,
  program: Command,
  values: Readonly<Record<string, readonly string[]>>,
): string {
  const completions = completionsOf(program, values)
  return scripts[shell](program.name(), completions, fileOptionsOf(program))
}

function completionsOf(program: Command, values: Readonly<Record<string, readonly string[]>>): Completions {
  const completions = new Map<string, readonly string[]>()
  const add = (command: Command, path: string) => {
    for (const sub of command.commands) add(sub, `${path} ${sub.name()}`.trim())
    completions.set(path, [
      ...command.commands.map((sub) => sub.name()),
      ...command.registeredArguments.flatMap((argument) => argument.argChoices ?? []),
      ...(values[path] ?? []),
      ...command.options.flatMap((option) => option.long ?? []),
      '--help',
    ])
  }
  add(program, '')
  return completions
}

/** Options that are followed by the name of a file or a directory. */
function fileOptionsOf(command: Command): string[] {
  const own = command.options.filter(({ flags }) => /<(file|dir)>/.test(flags)).flatMap(({ long }) => long ?? [])
  return [...new Set([...own, ...command.commands.flatMap(fileOptionsOf)])]
}

const scripts: Readonly<
  Record<Shell, (name: string, completions: Completions, fileOptions: readonly string[]) => string>
> = {
  bash: (
    name,
    completions,
    fileOptions,
  ) => `# bash completion for ${name}: source it, or copy it to /usr/share/bash-completion/completions/${name}
${functionName(name)}() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} words
  case $prev in
    ${fileOptions.join('|')})
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$cur")
      return ;;
  esac
  case "\${COMP_WORDS[*]:1:COMP_CWORD-1} " in
${cases(completions, (words) => `words='${words.join(' ')}'`)}
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}
complete -F ${functionName(name)} ${name}
`,

  zsh: (name, completions, fileOptions) => `#compdef ${name}
# zsh completion for ${name}: copy it to a directory of $fpath as _${name}
${functionName(name)}() {
  case $words[CURRENT-1] in
    ${fileOptions.join('|')}) _files; return ;;
  esac
  case "\${(j: :)words[2,CURRENT-1]} " in
${cases(completions, (words) => `compadd -- ${words.join(' ')}`)}
  esac
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then ${functionName(name)} "$@"; else compdef ${functionName(name)} ${name}; fi
`,

  powershell: (
    name,
    completions,
  ) => `# PowerShell completion for ${name}: run it in your profile, ${name} completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName ${name}, ${name}.exe -ScriptBlock {
  param($word, $ast, $position)
  $completions = [ordered]@{
${longestFirst(completions)
  .map(([path, words]) => `    '${path}' = '${words.join("', '")}'`)
  .join('\n')}
  }
  $given = @($ast.CommandElements | Where-Object { $_.Extent.EndOffset -lt $position } | Select-Object -Skip 1) -join ' '
  $path = $completions.Keys | Where-Object { "$given ".StartsWith("$_ ".TrimStart()) } | Select-Object -First 1
  $completions[$path] | Where-Object { $_ -like "$word*" }
}
`,
}

const functionName = (name: string) => `_${name.replaceAll('-', '_')}`

/** Longer paths first, so that `service systemd` is found before `service`. */
const longestFirst = (completions: Completions) =>
  [...completions].sort(([a], [b]) => b.split(' ').length - a.split(' ').length || b.length - a.length)

const cases = (completions: Completions, action: (words: readonly string[]) => string) =>
  longestFirst(completions)
    .map(([path, words]) => `    ${path === '' ? '*' : `'${path} '*`}) ${action(words)} ;;`)
    .join('\n')
