import { fileURLToPath } from 'node:url'

/** Paths of the files of this package. */
export interface JoeFiles {
  /** Graph that turns phonemes into frames of sound with their lengths. 29 MB. */
  readonly plan: string
  /** Graph that turns frames into samples. 3 MB. */
  readonly sound: string
  /** Pronunciations: a word, a tab and its phones with their stress in each line, in the order of the words' bytes. 4 MB. */
  readonly words: string
}

const path = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url))

/** The voice `joe` for ONNX Runtime, and the CMU Pronouncing Dictionary. */
export const joeFiles: JoeFiles = {
  plan: path('files/plan.onnx'),
  sound: path('files/sound.onnx'),
  words: path('dist/files/words.txt'),
}

/** Samples in a second. */
export const SAMPLE_RATE = 22_050

/** Values of a frame: the graph `sound` takes frames as channels, 1 × 192 × frames. */
export const FRAME_VALUES = 192

/** Samples that a frame becomes. */
export const FRAME_SAMPLES = 256

/**
 * Frames on each side that a frame's samples depend on. With that many neighbours, the samples of a window are those of
 * the whole.
 */
export const FRAME_REACH = 12

/** How the voice was trained: the strength of noise in the sound and in the lengths of phonemes. */
export const NOISE: {
  /** Strength in the sound. */
  readonly sound: number
  /** Strength in the lengths. */
  readonly lengths: number
} = { sound: 0.667, lengths: 0.8 }

/** The symbols that the voice knows. The place of a symbol is its number. */
export const SYMBOLS: readonly string[] = Array.from(
  '_^$ !\'(),-.:;?abcdefhijklmnopqrstuvwxyzæçðøħŋœǀǁǂǃɐɑɒɓɔɕɖɗɘəɚɛɜɞɟɠɡɢɣɤɥɦɧɨɪɫɬɭɮɯɰɱɲɳɴɵɶɸɹɺɻɽɾʀʁʂʃʄʈʉʊʋʌʍʎʏʐʑʒʔʕʘʙʛʜʝʟʡʢʲˈˌːˑ˞βθχᵻⱱ0123456789\u0327\u0303\u032A\u032F\u0329ʰˤε↓#"',
)
