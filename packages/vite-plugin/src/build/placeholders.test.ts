import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import {
  fillPlaceholders,
  finishedModule,
  inString,
  placeholder,
  assetName,
  plannedModule,
  plansIn,
} from './placeholders.ts'

const KNOWN = {
  type: 'audio/flac',
  characters: 4,
  text: `"One" 'two' \`three\` \\ \${x}\u2028`,
  title: undefined,
  language: 'en',
}
const LATE = { src: '/a.flac', captions: '/a.vtt', durationSeconds: 1.5, bytes: 99, sections: [] }

/** The default export of a module. */
function exportOf(code: string): unknown {
  const script = code.replaceAll('export const ', 'var ').replace('export default ', 'result = ')
  // Objects of another realm have other prototypes.
  return JSON.parse(JSON.stringify(runInNewContext(`var result; ${script}; result`)))
}

describe('placeholders', () => {
  const [one, two] = [assetName('/a.md:narrate'), assetName('/a.md:voice=slt&narrate')]

  test('placeholders have a name of 16 digits for each id', () => {
    expect(one).toMatch(/^[\da-f]{16}$/)
    expect(two).not.toBe(one)
    expect(assetName('/a.md:narrate')).toBe(one)
  })

  test('placeholders are found in code by asset, each once', () => {
    const code = `f("${placeholder(one, 'src')}${placeholder(two, 'bytes')}", '${placeholder(one, 'sections')}')`
    expect(plansIn(code)).toEqual(new Set([one, two]))
    for (const other of ['', '__NARRATION_', `__NARRATION_${one}_text__`, `__NARRATION_${one.slice(1)}_src__`]) {
      expect(plansIn(other).size).toBe(0)
    }
  })

  test('placeholders are filled by asset and field, and the rest of the code stays', () => {
    const code = `$& "${placeholder(one, 'src')}" __NARRATION_x_src__ ${placeholder(two, 'durationSeconds')}`
    expect(fillPlaceholders(code, (asset, field) => `$1<${asset === one ? 1 : 2} ${field}>`)).toBe(
      '$& "$1<1 src>" __NARRATION_x_src__ $1<2 durationSeconds>',
    )
  })

  test.each([[undefined], [null], [1.5], ['a"b'], [[{ title: `"'\`\\$\{x}</script>\u2028`, level: 2 }]]])(
    '%o is the same inside any quotes, after it is parsed',
    (value) => {
      for (const quote of ['"', "'", '`']) {
        const parsed: unknown = JSON.parse(runInNewContext(`${quote}${inString(value)}${quote}`) as string)
        expect(parsed).toEqual(value ?? null)
      }
      expect(inString(value)).not.toMatch(/["'`$<>\u2028]|\\(?!u)/)
    },
  )
})

describe('the module of a narration', () => {
  const asset = assetName('a')
  const fill = (code: string, late: Partial<typeof LATE>): string =>
    fillPlaceholders(code, (_, field) => {
      const value = late[field]
      return typeof value === 'string' ? value : inString(value)
    })

  test('the module of a narration that is planned equals the finished one, once it is filled', () => {
    const narration = { ...KNOWN, ...LATE }
    const planned = exportOf(fill(plannedModule(asset, KNOWN), LATE))
    expect(planned).toEqual(exportOf(finishedModule(narration)))
    expect(planned).toEqual({ ...LATE, type: KNOWN.type, characters: 4, language: 'en' })
  })

  test('the module of a narration without audio has empty addresses, and no length', () => {
    const silent = exportOf(fill(plannedModule(asset, KNOWN), { src: '', captions: '', sections: [] }))
    expect(silent).toMatchObject({ src: '', captions: '', sections: [] })
    expect(silent).not.toHaveProperty('durationSeconds')
    expect(silent).not.toHaveProperty('bytes')
  })

  test('the module of a narration exports each field by name, in one order', () => {
    const names = (code: string): string[] =>
      [...code.matchAll(/^export const (\w+) = /gm)].map(([, name = '']) => name)
    expect(names(plannedModule(asset, KNOWN))).toEqual(names(finishedModule({ ...KNOWN, ...LATE })))
    expect(names(plannedModule(asset, KNOWN))).toHaveLength(10)
  })
})
