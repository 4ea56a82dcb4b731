import { readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { describe, expect, test } from 'vitest'

const SOURCE = resolve(import.meta.dirname, '../src')

/** Bundled from their sources, see rolldown.config.ts. */
const BUNDLED: Readonly<Record<string, string>> = {
  '#options': resolve(SOURCE, '../../../kit/options/src/index.ts'),
  '@svc-audio/text/sentences': resolve(SOURCE, '../../text/src/sentences/index.ts'),
}

/** Bundled too, and without any import. */
const PURE_PACKAGE = 'fastest-levenshtein'

/** Every module that an entry loads, and every package that it loads at once or later, without types. */
function importsOf(entry: string): { modules: Set<string>; packages: Set<string>; later: Set<string> } {
  const modules = new Set<string>()
  const packages = new Set<string>()
  const later = new Set<string>()
  const visit = (path: string): void => {
    if (modules.has(path)) return
    modules.add(path)
    const source = readFileSync(path, 'utf8')
    for (const [, clause = '', specifier = ''] of source.matchAll(/^(?:im|ex)port (.*?)from '([^']+)'/gms)) {
      if (clause.startsWith('type ')) continue
      if (specifier.startsWith('.')) visit(resolve(dirname(path), specifier))
      else if (BUNDLED[specifier] !== undefined) visit(BUNDLED[specifier])
      else if (specifier !== PURE_PACKAGE) packages.add(specifier)
    }
    for (const [, specifier = ''] of source.matchAll(/import\('([^']+)'\)/g)) {
      if (specifier.startsWith('.')) visit(resolve(dirname(path), specifier))
      else later.add(specifier)
    }
  }
  visit(resolve(SOURCE, entry))
  return { modules, packages, later }
}

test.each([
  ['pure.ts', 10],
  ['streaming/index.ts', 10],
  ['subtitles/index.ts', 5],
  ['fetch/index.ts', 10],
  ['web.ts', 10],
  ['adapter.ts', 10],
  ['audio.ts', 10],
  ['wire/index.ts', 3],
  ['text/index.ts', 10],
  ['webhooks/index.ts', 5],
])('%s imports no platform', (entry, least) => {
  const { modules, packages, later } = importsOf(entry)
  expect([...packages]).toEqual([])
  expect([...later]).toEqual(entry === 'text/index.ts' ? ['@svc-audio/text'] : [])
  expect(modules.size).toBeGreaterThan(least)
  expect([...modules].filter((path) => relative(SOURCE, path).startsWith('node/'))).toEqual([])
})

test('index.ts imports Node, which proves that this test finds such imports', () => {
  const { packages, later } = importsOf('index.ts')
  expect([...packages, ...later]).toEqual(expect.arrayContaining(['node:fs/promises', 'node:path', 'undici']))
})

test('the main entry has the same names for Node and for every other runtime, about 90 with its types', async () => {
  const [node, web] = await Promise.all([import('../src/index.ts'), import('../src/web.ts')])
  expect(Object.keys(node).toSorted()).toEqual(Object.keys(web).toSorted())
  expect(Object.keys(node).length).toBeLessThan(25)
  expect(() => web.nodeTransport()).toThrow('leave transport out')
})

test('a name stands in one entry, apart from the client, its errors and its types', async () => {
  const entries = await Promise.all([
    import('../src/adapter.ts'),
    import('../src/audio.ts'),
    import('../src/wire/index.ts'),
    import('../src/streaming/index.ts'),
    import('../src/subtitles/index.ts'),
    import('../src/text/index.ts'),
    import('../src/webhooks/index.ts'),
    import('../src/index.ts'),
  ])
  const names = entries.flatMap((entry) => Object.keys(entry))
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
})

/** Bytes of a program that imports from `./pure`, as esbuild bundles and gzip compresses it. */
async function bundleBytes(program: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: SOURCE },
    bundle: true,
    minify: true,
    format: 'esm',
    write: false,
    logLevel: 'silent',
  })
  const [bundle] = outputFiles
  return gzipSync(bundle?.contents ?? '', { level: 9 }).byteLength
}

test('narratePlainText() alone brings no Markdown reader, which narrate() loads', async () => {
  const bundle = async (name: string): Promise<string> => {
    const { outputFiles } = await build({
      stdin: { contents: `export { ${name} } from './text/index.ts'`, resolveDir: SOURCE },
      bundle: true,
      external: ['@svc-audio/text'],
      format: 'esm',
      write: false,
      logLevel: 'silent',
    })
    return outputFiles[0]?.text ?? ''
  }
  expect(await bundle('narratePlainText')).not.toContain('@svc-audio/text"')
  expect(await bundle('narrate')).toContain('@svc-audio/text"')
})

/** A client with these resources only. */
const clientOf = (...resources: readonly string[]): string => `
  import { BaseClient, ${resources.join(', ')} } from './pure.ts'
  export class Client extends BaseClient {
    ${resources.map((name, index) => `resource${index} = this.add(${name})`).join('\n')}
  }`

// The limits and their reason stand in docs/contributing-reference.md.
describe('an app pays for what it imports of ./pure', () => {
  test('a client without resources takes at most 8 KB', async () => {
    expect(await bundleBytes("export { BaseClient } from './pure.ts'")).toBeLessThanOrEqual(8 * 1024)
  })

  test.each([
    'DialogueResource',
    'FilesResource',
    'ModelsResource',
    'SpeechResource',
    'TasksResource',
    'TranscriptionsResource',
    'VoiceGenerationsResource',
    'VoicesResource',
  ])('a client with %s alone takes at most 16 KB', async (name) => {
    expect(await bundleBytes(clientOf(name))).toBeLessThanOrEqual(16 * 1024)
  })

  test('the client with every resource takes at most 20 KB', async () => {
    expect(await bundleBytes("export { PureAudioClient } from './pure.ts'")).toBeLessThanOrEqual(20 * 1024)
  })

  test('a new resource of ten lines adds less than 250 bytes to the client', async () => {
    const program = (resource: string, field: string): string => `
      import { BaseClient, Resource, ModelsResource } from './pure.ts'
      ${resource}
      export class Client extends BaseClient {
        models = this.add(ModelsResource)
        ${field}
      }`
    const added = await bundleBytes(
      program(
        `class Echoes extends Resource {
          list(options) {
            return this.context.api.json(() => ({ operation: 'echoes.list', path: '/v1/echoes' }), options)
          }
          create(body, options) {
            return this.context.api.json(() => ({ operation: 'echoes.create', path: '/v1/echoes', fields: body }), options)
          }
        }`,
        'echoes = this.add(Echoes)',
      ),
    )
    expect(added - (await bundleBytes(program('', '')))).toBeLessThan(250)
  })
})
