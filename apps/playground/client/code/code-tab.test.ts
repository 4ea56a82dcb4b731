import { expect, test } from 'vitest'
import { highlight } from './code-tab.tsx'

test('comments, strings and keywords become separate tokens', () => {
  expect(highlight("const a = 'const' // let")).toEqual([
    { kind: 'keyword', text: 'const' },
    { kind: 'plain', text: ' a = ' },
    { kind: 'string', text: "'const'" },
    { kind: 'plain', text: ' ' },
    { kind: 'comment', text: '// let' },
  ])
})

test('the tokens hold the whole code', () => {
  const code = 'import { x } from "y"\nconst url = `http://${x}`\nconstant.new\n'
  expect(
    highlight(code)
      .map(({ text }) => text)
      .join(''),
  ).toBe(code)
})
