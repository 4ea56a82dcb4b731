export { commonJs, type CommonJsOptions } from './common-js.ts'
