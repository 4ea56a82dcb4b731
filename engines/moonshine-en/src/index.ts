import { fileURLToPath } from 'node:url'

/** Paths of the files of this package. */
export interface MoonshineFiles {
  /** Graph that turns samples into a description of their sound. 13 MB. */
  readonly encoder: string
  /** Graph that turns the description into tokens, one in a call. 30 MB. */
  readonly decoder: string
  /** The texts of the tokens, each with its length before it. 0.2 MB. */
  readonly tokens: string
}

const path = (name: string): string => fileURLToPath(new URL(`../files/${name}`, import.meta.url))

/** Moonshine tiny for English, with weights of 8 bits, for ONNX Runtime. */
export const moonshineFiles: MoonshineFiles = {
  encoder: path('encoder_model.ort'),
  decoder: path('decoder_model_merged.ort'),
  tokens: path('tokenizer.bin'),
}
