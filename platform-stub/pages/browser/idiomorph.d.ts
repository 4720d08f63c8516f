/** The package's own module is served under this name. */
export { Idiomorph } from 'idiomorph'
