import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findCycles, type Import, importsOf } from './layers/imports.ts'
import { CORE, findFault, SERVICE } from './layers/rules.ts'

const file = (from: string, to: string): Import => ({ from, to, kind: 'file' })

describe('imports of a file', () => {
  test('imports of values and types, re-exports and multi-line imports are found', () => {
    const code = [
      "import type { A } from '../ports/a.ts'",
      "import {\n  b,\n  c,\n} from './b.ts'",
      "export { d } from 'zod'",
      "import 'node:fs'",
      'const text = "import x from \'no\'"',
    ].join('\n')
    expect(importsOf('use-cases/speech/speak.ts', code)).toEqual([
      file('use-cases/speech/speak.ts', 'use-cases/ports/a.ts'),
      file('use-cases/speech/speak.ts', 'use-cases/speech/b.ts'),
      { from: 'use-cases/speech/speak.ts', to: 'zod', kind: 'package' },
      { from: 'use-cases/speech/speak.ts', to: 'node:fs', kind: 'node' },
    ])
  })
})

describe('import() of a file', () => {
  test('as an expression and as a type is found', () => {
    const code = [
      "const { a } = await import('../ports/a.ts')",
      '  const b = condition ? await import(',
      "    './b.ts'",
      '  ) : undefined',
      "type C = import('./c.ts').C",
      "export const load = () => import('node:fs')",
    ].join('\n')
    expect(importsOf('use-cases/speech/speak.ts', code)).toEqual([
      file('use-cases/speech/speak.ts', 'use-cases/ports/a.ts'),
      file('use-cases/speech/speak.ts', 'use-cases/speech/b.ts'),
      file('use-cases/speech/speak.ts', 'use-cases/speech/c.ts'),
      { from: 'use-cases/speech/speak.ts', to: 'node:fs', kind: 'node' },
    ])
  })

  test('in a comment or a text is not an import', () => {
    const code = [" * {@link import('./a.ts').A}", "// import('./a.ts')", 'const text = "import(\'./a.ts\')"'].join(
      '\n',
    )
    expect(importsOf('a.ts', code)).toEqual([])
  })

  test('of a forbidden layer is a fault', () => {
    const code = "const { createCodec } = await import('../../drivers/codec/create-codec.ts')"
    expect(importsOf('use-cases/speech/speak.ts', code).map((found) => findFault(found, SERVICE))).toEqual([
      expect.stringContaining('must not import drivers/codec/create-codec.ts'),
    ])
  })
})

describe('the layers of the service', () => {
  test.each([
    file('ports/codec.ts', 'domain/formats.ts'),
    file('use-cases/speech/speak.ts', 'ports/codec.ts'),
    file('drivers/codec/create-codec.ts', 'ports/codec.ts'),
    file('endpoints/speech/create-speech.ts', 'use-cases/speech/speak.ts'),
    file('service.ts', 'drivers/codec/create-codec.ts'),
    { from: 'drivers/folder/folders.ts', to: 'node:fs', kind: 'node' } as const,
  ])('$from may import $to', (given) => {
    expect(findFault(given, SERVICE)).toBeUndefined()
  })

  test.each([
    file('ports/codec.ts', 'use-cases/speech/speak.ts'),
    file('domain/formats.ts', 'ports/codec.ts'),
    file('use-cases/speech/speak.ts', 'drivers/codec/create-codec.ts'),
    { from: 'use-cases/voices/voices.ts', to: '@svc-audio/engines', kind: 'package' } as const,
    file('use-cases/speech/speak.ts', 'http/send-audio.ts'),
    file('services.ts', 'use-cases/speech/speak.ts'),
    { from: 'use-cases/files/files.ts', to: 'node:fs', kind: 'node' } as const,
  ])('$from must not import $to', (given) => {
    expect(findFault(given, SERVICE)).toContain(given.from)
  })
})

describe('the rooms of core', () => {
  test.each([
    file('transport/api.ts', 'transport/call.ts'),
    file('streaming/audio-body.ts', 'transport/index.ts'),
    file('transport/api.ts', 'errors.ts'),
    file('pure.ts', 'resources/index.ts'),
    { from: 'node/files.ts', to: 'node:fs/promises', kind: 'node' } as const,
    { from: 'checks/options.ts', to: '@svc-audio/options', kind: 'package' } as const,
  ])('$from may import $to', (given) => {
    expect(findFault(given, CORE)).toBeUndefined()
  })

  test.each([
    ['upwards', file('transport/api.ts', 'streaming/index.ts'), 'it may import transport, wire, bytes.ts'],
    ['sideways', file('subtitles/cues.ts', 'audio/index.ts'), 'it may import subtitles, errors.ts'],
    ['past a door', file('streaming/audio-body.ts', 'transport/api-response.ts'), 'use transport/index.ts'],
    ['past a door, from an entry', file('pure.ts', 'resources/speech.ts'), 'use resources/index.ts'],
    ['of Node', { from: 'fetch/transport.ts', to: 'node:fs', kind: 'node' } as const, 'fetch must not import node:fs'],
  ])('an import %s is refused', (_, given, fault) => {
    expect(findFault(given, CORE)).toContain(fault)
  })

  test('every room of the table has its door', () => {
    const folders = Object.keys(CORE.rooms).filter((room) => !room.endsWith('.ts'))
    const doors = folders.map((room) => join(import.meta.dirname, '..', CORE.source, room, 'index.ts'))
    expect(doors.filter((path) => !existsSync(path))).toEqual([])
  })

  test('every folder of core stands in the table', () => {
    const entries = readdirSync(join(import.meta.dirname, '..', CORE.source), { withFileTypes: true })
    const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
    expect(folders.filter((name) => CORE.rooms[name] === undefined)).toEqual([])
  })
})

describe('cycles', () => {
  test('files that import each other form one cycle', () => {
    const imports = [file('a', 'b'), file('b', 'c'), file('c', 'b'), file('c', 'd')]
    expect(findCycles(imports)).toEqual([['b', 'c']])
  })

  test('a diamond is not a cycle', () => {
    expect(findCycles([file('a', 'b'), file('a', 'c'), file('b', 'd'), file('c', 'd')])).toEqual([])
  })
})
