/** What `make` makes, made when it is first asked for: what every start would pay for and few runs use. */
export function lazily<Value extends object>(make: () => Value): () => Value {
  let made: Value | undefined
  return () => {
    made ??= make()
    return made
  }
}
