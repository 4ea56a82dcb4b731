import { describe, expect, test } from 'vitest'
import { findUndocumented } from './limits.ts'

describe('an export', () => {
  test.each([
    '/** Adds. */\nexport function add(): void {}',
    '/**\n * Adds.\n */\nexport abstract class Adder {}',
    '/** A module. */\n@Module({})\nexport class AudioModule {}',
    '/** A name. */\n// oxlint-disable-next-line no-rule -- a reason\nexport const name = 1',
    '/** Adds. */\nexport function add(one: 1): 1\nexport function add(one: number): number { return one }',
    "export { add } from './add.ts'",
    "export * from './add.ts'",
    'const hidden = 1',
  ])('an export needs nothing more in %j', (code) => {
    expect(findUndocumented('a.ts', code)).toEqual([])
  })

  test.each([
    ['export function add(): void {}', 'add'],
    ['// Adds.\nexport async function* add() {}', 'add'],
    ['/* Adds. */\nexport interface Adder {}', 'Adder'],
    ['/** Adds. */\nconst one = 1\nexport const two = 2', 'two'],
    ['export default class {}', 'the default export'],
  ])('an export without a docstring is found in %j', (code, name) => {
    const line = code.split('\n').findIndex((one) => one.startsWith('export')) + 1
    expect(findUndocumented('a.ts', code)).toEqual([`a.ts:${line}: ${name} has no docstring`])
  })

  test('an export is found in a file with JSX', () => {
    expect(findUndocumented('a.tsx', 'export const icon = <svg />')).toEqual(['a.tsx:1: icon has no docstring'])
  })
})
