export { type CodecDescription, type CodecOptions, createCodec } from './create-codec.ts'
export { readWavAigc } from './wav-file.ts'
