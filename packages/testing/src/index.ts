export { wordErrorRate } from './word-error-rate.ts'
