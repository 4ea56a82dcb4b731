export { commonJs, type CommonJsOptions } from './common-js.ts'
export { licenses } from './licenses.ts'
