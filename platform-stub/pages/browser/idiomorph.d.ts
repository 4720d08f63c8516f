/** The stub serves the package's module under this name. */
export { Idiomorph } from 'idiomorph'
