import { execFileSync } from 'node:child_process'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { highlight } from './code-tab.tsx'
import { shellWord } from './snippet.ts'
import { n8nText, n8nWorkflow } from './n8n-workflow.ts'
import { roundTripSnippets } from './round-trip-snippets.ts'
import { runNest } from './servers.ts'

test.each(["it's", "''", '', ' ', '$HOME', '`id`', '-n', 'a\nb', String.raw`\n`, '!x', '语音', 'talk-1.wav'])(
  'the shell reads %j as one word',
  (text) => {
    const output = execFileSync('sh', ['-c', `printf '<%s>' ${shellWord(text)}`], { encoding: 'utf8' })
    expect(output).toBe(`<${text}>`)
  },
)

test('a Nest app is compiled with decorators, and its JavaScript is run', () => {
  const command = runNest('main.ts')
  expect(command).toMatch(/^npx tsc .*--experimentalDecorators --emitDecoratorMetadata main\.ts && node main\.js$/)
})

test('the code of a round trip uses the text for speech and says what was heard', () => {
  const [snippet] = roundTripSnippets({ text: "it's `${x}`", voice: 'slt', model: 'svc-transcribe-1.0' })
  expect(snippet?.code).toContain("const input = 'it\\'s `${x}`'")
  expect(snippet?.code).toContain("voice_id: 'slt'")
  expect(snippet?.code).toContain("model: 'svc-transcribe-1.0', file")
  expect(snippet?.code).toContain('`Said:  ${input}\\nHeard: ${text}`')
})

test.each(['plain', '{{ $json }}', ' = 1', '', "it's"])('n8n takes %j as it stands', (text) => {
  expect(n8nText(text)).toBe(text)
})

test.each(['=', '= 1 + 1', '={{ $env }}', '=}} "quotes" \\ {{', '=two\nlines `${x}` \u2028'])(
  'n8n would evaluate %j, so it is the value of an expression without inner braces',
  (text) => {
    const inner = /^=\{\{ (.*) \}\}$/s.exec(n8nText(text))?.[1] ?? ''
    expect(inner).not.toMatch(/[{}]/)
    expect(runInNewContext(inner)).toBe(text)
  },
)

describe('a workflow', () => {
  const node = (name: string): Parameters<typeof n8nWorkflow>[1][number] => ({
    name,
    type: 't',
    version: 2,
    parameters: { name },
  })

  test('a workflow stands in a row with ids of its own', () => {
    const { nodes, name } = JSON.parse(n8nWorkflow('Row', [node('A'), node('B')])) as {
      name: string
      nodes: { id: string; position: number[]; typeVersion: number }[]
    }
    expect(name).toBe('Row')
    expect(nodes.map(({ id }) => id)).toEqual(['node-0', 'node-1', 'node-2'])
    expect(nodes.map(({ position }) => position)).toEqual([
      [0, 0],
      [220, 0],
      [440, 0],
    ])
    expect(nodes.map(({ typeVersion }) => typeVersion)).toEqual([1, 2, 2])
  })

  test('a workflow has its other rows below, without the trigger', () => {
    const { nodes, connections } = JSON.parse(n8nWorkflow('Rows', [node('A')], [node('B'), node('C')])) as {
      nodes: { name: string; position: number[] }[]
      connections: Record<string, { main: { node: string }[][] }>
    }
    expect(nodes.slice(2).map(({ name, position }) => [name, position])).toEqual([
      ['B', [0, 220]],
      ['C', [220, 220]],
    ])
    expect(Object.entries(connections).map(([name, { main }]) => [name, main[0]?.[0]?.node])).toEqual([
      ['Start', 'A'],
      ['B', 'C'],
    ])
  })

  test('a workflow without nodes is a trigger alone', () => {
    const { nodes, connections } = JSON.parse(n8nWorkflow('Empty', [])) as { nodes: object[]; connections: object }
    expect([nodes.length, connections]).toEqual([1, {}])
  })
})

describe('highlighting', () => {
  const kinds = (code: string): string[] =>
    highlight(code)
      .filter(({ kind }) => kind !== 'plain')
      .map(({ kind, text }) => `${kind} ${text}`)

  test.each([
    ['an address in a text is no comment', "fetch('http://a')", ["string 'http://a'"]],
    ['a quote in a comment begins no text', "// it's\nlet a", ["comment // it's", 'keyword let']],
    [
      'an escaped quote ends no text',
      String.raw`'it\'s' + "\""`,
      [String.raw`string 'it\'s'`, String.raw`string "\""`],
    ],
    ['a template goes over lines', '`a\n${b}`', ['string `a\n${b}`']],
    ['a quote without its end is plain', "don't await", ['keyword await']],
    ['a keyword is a whole word', 'newest constant asynchronous type_ $let', ['keyword let']],
    ['a key of an object may be a keyword', 'a.new', ['keyword new']],
    ['nothing', '', []],
  ])('%s', (_case, code, expected) => {
    expect(kinds(code)).toEqual(expected)
  })

  test('never loses or repeats a character', () => {
    const code = String.raw`'a\' "b` + '`c ${d} // e\nimport "f'
    const tokens = highlight(code)
    expect(tokens.map(({ text }) => text).join('')).toBe(code)
    expect(tokens.every(({ text }) => text !== '')).toBe(true)
  })
})
