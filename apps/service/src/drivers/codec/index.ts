export { createCodec } from './create-codec.ts'
