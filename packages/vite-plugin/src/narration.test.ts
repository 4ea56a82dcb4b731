import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import {
  fillPlaceholders,
  finishedModule,
  placeholder,
  assetName,
  plannedModule,
  assetsIn,
  type LateFields,
  SILENT,
} from './narration.ts'

const KNOWN = {
  type: 'audio/flac',
  characters: 4,
  text: `"One" 'two' \`three\` \\ \${x}\u2028`,
  title: undefined,
  language: 'en',
  guid: undefined,
}
const LATE = { src: '/a.flac', captions: '/a.vtt', durationSeconds: 1.5, bytes: 99, sections: [] }

/** The default export of a module. */
function exportOf(code: string): unknown {
  const script = code.replaceAll('export const ', 'var ').replace('export default ', 'result = ')
  // Objects of another realm have other prototypes.
  return JSON.parse(JSON.stringify(runInNewContext(`var result; ${script}; result`)))
}

describe('placeholders', () => {
  const [one, two] = [assetName('/a.md:narrate'), assetName('/a.md:voice_id=slt&narrate')]

  test('placeholders have a name of 16 digits for each id', () => {
    expect(one).toMatch(/^[\da-f]{16}$/)
    expect(two).not.toBe(one)
    expect(assetName('/a.md:narrate')).toBe(one)
  })

  test('placeholders are found in code by asset, each once', () => {
    const code = `f("${placeholder(one, 'src')}${placeholder(two, 'bytes')}", '${placeholder(one, 'sections')}')`
    expect(assetsIn(code)).toEqual(new Set([one, two]))
    for (const other of ['', '__NARRATION_', `__NARRATION_${one}_text__`, `__NARRATION_${one.slice(1)}_src__`]) {
      expect(assetsIn(other).size).toBe(0)
    }
  })

  test('placeholders are filled by asset and field, and the rest of the code stays', () => {
    const code = `$& "${placeholder(one, 'src')}" __NARRATION_x_src__ ${placeholder(two, 'durationSeconds')}`
    const fieldsOf = (asset: string): LateFields =>
      asset === one ? { ...SILENT, src: '$1<one>' } : { ...SILENT, durationSeconds: 2 }
    expect(fillPlaceholders(code, fieldsOf)).toBe('$& "$1<one>" __NARRATION_x_src__ 2')
  })

  test('sections are the same inside any quotes, after they are parsed', () => {
    const title = `"'\`\\$\{x}</script>\u2028`
    const sections = [{ title, level: 2, id: undefined, startSecond: 0, endSecond: 1.5 }]
    const filled = fillPlaceholders(placeholder(one, 'sections'), () => ({ ...SILENT, sections }))
    for (const quote of ['"', "'", '`']) {
      expect(JSON.parse(runInNewContext(`${quote}${filled}${quote}`) as string)).toEqual(sections)
    }
    expect(filled).not.toMatch(/["'`$<>\u2028]|\\(?!u)/)
  })
})

describe('the module of a narration', () => {
  const asset = assetName('a')
  const fill = (code: string, late: Partial<typeof LATE>): string =>
    fillPlaceholders(code, () => ({ ...SILENT, ...late }))

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
    expect(names(plannedModule(asset, KNOWN))).toHaveLength(11)
  })
})
