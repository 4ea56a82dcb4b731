// Bundles the worklet into one file for pages, and into a string for `VoiceClient`. `--check` compares only.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'

const target = join(import.meta.dirname, 'src/browser/worklet-source.ts')

/** Bundles the worklet. */
export async function bundleWorklet(): Promise<string> {
  const bundle = await rolldown({
    input: join(import.meta.dirname, 'src/worklet/voice-worklet.ts'),
    platform: 'browser',
    tsconfig: false,
  })
  const { output } = await bundle.generate({ format: 'esm', minify: true })
  return output[0].code
}

/** Returns the module that holds the worklet. */
export function workletModule(code: string): string {
  return [
    '// Made by `node write-worklet.ts` from src/worklet. Do not edit.',
    '',
    '/** Code of the worklet. */',
    `export const WORKLET_SOURCE: string = ${JSON.stringify(code)}`,
    '',
  ].join('\n')
}

if (import.meta.main) {
  const code = await bundleWorklet()
  mkdirSync(join(import.meta.dirname, 'dist'), { recursive: true })
  writeFileSync(join(import.meta.dirname, 'dist/voice-worklet.js'), code)
  if (readFileSync(target, { encoding: 'utf8', flag: 'a+' }) !== workletModule(code))
    writeFileSync(target, workletModule(code))
}
