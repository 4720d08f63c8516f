type AnyFunction = (this: unknown, ...args: never[]) => unknown

/** Functions by their names, whatever they take and give. */
export type Methods = Record<string, AnyFunction>

/**
 * Puts a function in the place of another. Names that this Node does not have are passed over.
 *
 * @param around Makes the new one; it gets the old one, bound to nothing.
 */
export function wrap(
  holder: object,
  name: string,
  around: (original: AnyFunction) => (this: unknown, ...args: unknown[]) => unknown,
): void {
  const methods = holder as Methods
  const original = methods[name]
  if (!original) return
  const replacement = around(original) as AnyFunction
  // What `util.promisify` resolves with is a property of the original.
  for (const key of Object.getOwnPropertySymbols(original)) {
    Object.defineProperty(replacement, key, Object.getOwnPropertyDescriptor(original, key) ?? {})
  }
  methods[name] = replacement
}

/** Calls a function as it would have been called. */
export function callThrough(original: AnyFunction, self: unknown, args: readonly unknown[]): unknown {
  return original.apply(self, args as never[])
}
