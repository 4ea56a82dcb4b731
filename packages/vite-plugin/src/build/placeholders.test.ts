import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import type { Narration } from '../narration.ts'
import {
  fillPlaceholders,
  finishedModule,
  inString,
  placeholder,
  planName,
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
  const [one, two] = [planName('/a.md:narrate'), planName('/a.md:voice=slt&narrate')]

  test('have a name of 16 digits for each id', () => {
    expect(one).toMatch(/^[\da-f]{16}$/)
    expect(two).not.toBe(one)
    expect(planName('/a.md:narrate')).toBe(one)
  })

  test('are found in code by plan, each once', () => {
    const code = `f("${placeholder(one, 'src')}${placeholder(two, 'bytes')}", '${placeholder(one, 'sections')}')`
    expect(plansIn(code)).toEqual(new Set([one, two]))
    for (const other of ['', '__NARRATION_', `__NARRATION_${one}_text__`, `__NARRATION_${one.slice(1)}_src__`]) {
      expect(plansIn(other).size).toBe(0)
    }
  })

  test('are filled by plan and field, and the rest of the code stays', () => {
    const code = `$& "${placeholder(one, 'src')}" __NARRATION_x_src__ ${placeholder(two, 'durationSeconds')}`
    expect(fillPlaceholders(code, (plan, field) => `$1<${plan === one ? 1 : 2} ${field}>`)).toBe(
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
  const plan = planName('a')
  const fill = (code: string, late: Partial<typeof LATE>): string =>
    fillPlaceholders(code, (_, field) => {
      const value = late[field]
      return typeof value === 'string' ? value : inString(value)
    })

  test('that is planned equals the finished one, once it is filled', () => {
    const narration: Narration = { ...KNOWN, ...LATE }
    const planned = exportOf(fill(plannedModule(plan, KNOWN), LATE))
    expect(planned).toEqual(exportOf(finishedModule(narration)))
    expect(planned).toEqual({ ...LATE, type: KNOWN.type, characters: 4, text: KNOWN.text, language: 'en' })
  })

  test('without audio has empty addresses, and no length', () => {
    const silent = exportOf(fill(plannedModule(plan, KNOWN), { src: '', captions: '', sections: [] }))
    expect(silent).toMatchObject({ src: '', captions: '', sections: [] })
    expect(silent).not.toHaveProperty('durationSeconds')
    expect(silent).not.toHaveProperty('bytes')
  })

  test('exports each field by name, in one order', () => {
    const names = (code: string): string[] =>
      [...code.matchAll(/^export const (\w+) = /gm)].map(([, name = '']) => name)
    expect(names(plannedModule(plan, KNOWN))).toEqual(names(finishedModule({ ...KNOWN, ...LATE })))
    expect(names(plannedModule(plan, KNOWN))).toHaveLength(10)
  })
})
