/** The code of an error and a sentence, each once. */
export function causeOf(error: Error): string {
  const { code } = error as NodeJS.ErrnoException
  return code === undefined || error.message.startsWith(code) ? error.message : `${code}: ${error.message}`
}
