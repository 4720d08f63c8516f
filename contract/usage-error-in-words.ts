/** The words of commander about a command line, each with the same in Brazilian Portuguese. */
const words: readonly (readonly [english: string, portuguese: string])[] = [
  ['error: missing required argument ', 'erro: falta o argumento obrigatório '],
  ['error: required option ', 'erro: falta a opção obrigatória '],
  ["' not specified", "'"],
  ['error: unknown option ', 'erro: opção desconhecida '],
  ['error: unknown command ', 'erro: comando desconhecido '],
  ['error: too many arguments for ', 'erro: argumentos demais para '],
  ['. Expected ', '. Esperados: '],
  [' arguments but got ', '; recebidos: '],
  [' argument but got ', '; recebidos: '],
  ['error: option ', 'erro: opção '],
  ["' argument missing", "' sem valor"],
  ["' cannot be used with option '", "' não pode ser usada com a opção '"],
  ["' argument '", "': o valor '"],
  ['error: command-argument value ', 'erro: o valor '],
  ["' is invalid for argument '", "' é inválido para o argumento '"],
  ["' is invalid.", "' é inválido."],
  ['(Did you mean one of ', '(Você quis dizer um destes: '],
  ['(Did you mean ', '(Você quis dizer '],
  ['Allowed choices are ', 'As opções são '],
]

/** An error of commander in Brazilian Portuguese, for both programs. Words that are not known stay as they are. */
export function usageErrorInWords(text: string): string {
  return words.reduce((before, [english, portuguese]) => before.replace(english, () => portuguese), text)
}
