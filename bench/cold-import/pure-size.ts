import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'

/** A program that exports all of `./pure`. */
const ENTRY = 'everything'

/** Bytes of all `@svc-audio/core/pure`, bundled, minified and gzipped. */
export async function pureSize(): Promise<number> {
  const bundle = await rolldown({
    input: ENTRY,
    plugins: [
      {
        name: ENTRY,
        resolveId: (id) => (id === ENTRY ? ENTRY : undefined),
        load: (id) => (id === ENTRY ? `export * from ${JSON.stringify(purePath())}` : undefined),
      },
    ],
  })
  try {
    const { output } = await bundle.generate({ format: 'esm', minify: true })
    const code = output.map((part) => (part.type === 'chunk' ? part.code : '')).join('')
    return gzipSync(code, { level: 9 }).byteLength
  } finally {
    await bundle.close()
  }
}

function purePath(): string {
  return fileURLToPath(import.meta.resolve('@svc-audio/core/pure'))
}
