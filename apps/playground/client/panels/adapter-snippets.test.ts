import { execFileSync } from 'node:child_process'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { n8nText } from '../code/n8n-workflow.ts'
import { roundTripSnippets } from './round-trip/snippets.ts'
import type { Snippet, SnippetKind } from '../code/snippet.ts'
import { dialogueSnippets, FIRST_SCRIPT } from './dialogue/script.ts'
import { printedPrograms } from './printed.ts'
import { FIRST_DRAFT as TASK, type TaskDraft } from './tasks/draft.ts'
import { tasksSnippets } from './tasks/snippets.ts'
import { FIRST_DRAFT as VOICES, type VoicesDraft, voicesSnippets } from './voices/draft.ts'

const TEXTS = [
  `It's "fresh" \`bread\``,
  '$HOME $(id) ${x}',
  'two\nlines \\ 语音 🎧',
  '={{ $env.KEY }}',
  'END',
  "'; id #",
]

const voices = (change: Partial<VoicesDraft>): readonly Snippet[] =>
  voicesSnippets({ ...VOICES, first: 'rms', second: 'slt', ...change })
const task = (change: Partial<TaskDraft>): readonly Snippet[] =>
  tasksSnippets({ ...TASK, voice: 'rms', ...change }, [{ id: 'rms' }, { id: 'slt' }])

/** What each panel shows for a text that a user typed. */
const PANELS: Readonly<Record<string, (text: string) => readonly Snippet[]>> = {
  Dialogue: (text) => dialogueSnippets({ ...FIRST_SCRIPT, lines: [{ key: 1, speaker: 'A', text }] }),
  'Round trip': (text) => roundTripSnippets({ text, voice: 'rms', model: 'svc-transcribe-1.0' }),
  'Voices by recording': (text) => voices({ view: 'record', name: text, about: text }),
  'Voices by description': (text) => voices({ view: 'design', instruction: text, designText: text }),
  'Voices to compare': (text) => voices({ view: 'compare', compareText: text }),
  'Speech tasks': (text) => task({ kind: 'speech', text, webhook: false }),
  'Speech tasks with a webhook': (text) => task({ kind: 'speech', text, webhook: true }),
}

const every = [...printedPrograms()]

const pick = (snippets: readonly Snippet[], kind: SnippetKind): Snippet | undefined =>
  snippets.find((snippet) => snippet.kind === kind)

/** The texts of all literals in TypeScript. */
function literalsOf(code: string): unknown[] {
  return [...code.matchAll(/'(?:[^'\\\n]|\\.)*'/g)].map(([text]) => runInNewContext(text) as unknown)
}

/** The words of all commands of curl, as the shell reads them. */
function wordsOf(command: string): string[] {
  const output = execFileSync('sh', ['-c', `curl() { printf '%s\\0' "$@"; }\n${command}`], { encoding: 'utf8' })
  return output.split('\0').slice(0, -1)
}

/** Every text in a value. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

test('each panel has the code of every package that can do its work', () => {
  const kinds = Object.fromEntries(every.map(([name, snippets]) => [name, snippets.map(({ kind }) => kind).join(' ')]))
  expect(kinds).toEqual({
    'Speak a file': 'core curl openai ai-sdk express nestjs langchain n8n vite',
    'Speak a stream': 'core curl openai ai-sdk express nestjs langchain n8n vite',
    Transcribe: 'core curl openai ai-sdk express nestjs langchain n8n',
    'Transcribe live': 'core curl openai express nestjs langchain n8n',
    Dialogue: 'core curl express nestjs langchain n8n',
    Talk: 'langchain',
    'Round trip': 'core curl express nestjs langchain n8n',
    'Voices: list': 'core curl express nestjs langchain n8n',
    'Voices: record': 'core curl express nestjs n8n',
    'Voices: design': 'core curl express nestjs langchain n8n',
    'Voices: compare': 'core curl express nestjs langchain n8n vite',
    'Tasks of speech': 'core curl express nestjs n8n',
    'Tasks of speech with a webhook': 'core curl express nestjs n8n',
    'Tasks of dialogue': 'core curl express nestjs n8n',
    'Tasks of dialogue with a webhook': 'core curl express nestjs n8n',
    'Tasks of transcription': 'core curl express nestjs langchain n8n',
    'Tasks of transcription with a webhook': 'core curl express nestjs langchain n8n',
    Files: 'core curl express nestjs langchain n8n',
    Models: 'core curl express nestjs',
  })
})

describe.each(Object.entries(PANELS))('%s', (_name, make) => {
  test.each(TEXTS)('a program has %j as a literal', (text) => {
    const programs = make(text).filter(({ kind }) => kind === 'core' || kind === 'langchain')
    expect(programs).not.toEqual([])
    for (const { code } of programs) expect(literalsOf(code)).toContain(text)
  })

  test.each(TEXTS)('the call of a server sends %j', (text) => {
    for (const kind of ['express', 'nestjs'] as const) {
      const words = wordsOf(pick(make(text), kind)?.call ?? '')
      const sent = words.flatMap((word, index) => {
        if (words[index - 1] === '--json') return textsIn(JSON.parse(word))
        return words[index - 1] === '--form-string' ? [word.slice(word.indexOf('=') + 1)] : []
      })
      expect(sent).toContain(text)
    }
  })

  test.each(TEXTS)('n8n reads %j as a text', (text) => {
    const { nodes } = JSON.parse(pick(make(text), 'n8n')?.code ?? '') as { nodes: { parameters: object }[] }
    const texts = nodes.flatMap(({ parameters }) => textsIn(parameters))
    expect(texts).toContain(n8nText(text))
    // Every other expression is part of the workflow.
    const others = texts.filter((value) => value.startsWith('=') && value !== n8nText(text))
    for (const other of others) expect(other).toMatch(/^=\{\{ \$(?:json|execution|\('Start task'\))[\w.]* \}\}$/)
  })

  test.each(TEXTS)('the text %j ends no script early', (text) => {
    const scripts = make(text).filter(({ file }) => file.endsWith('.sh'))
    expect(scripts).not.toEqual([])
    for (const { code } of scripts) expect(() => execFileSync('sh', ['-n'], { input: code })).not.toThrow()
  })
})

describe.each(every)('the code of %s', (_name, snippets) => {
  test('is installed with everything that it imports', () => {
    for (const { code, install = '' } of snippets.filter(({ file }) => file.endsWith('.mts'))) {
      const names = [...code.matchAll(/ from '((?:@[\w-]+\/)?[\w-]+)(?:\/[\w-]+)?'/g)].map(([, name]) => name)
      expect(install.split(' ')).toEqual(expect.arrayContaining(names))
    }
  })

  test('is an ES module in every project', () => {
    const modules = snippets.filter(({ code }) => /^(?:import|export) /m.test(code) && !code.startsWith('cat > '))
    for (const { file, run = '' } of modules) expect([file, run]).toEqual([file, expect.stringContaining(file)])
    for (const { file } of modules) expect(file).toMatch(/\.mts$/)
  })

  test('holds no key, and no line that says nothing', () => {
    for (const { code } of snippets)
      expect(code).not.toMatch(/apiKey(?!: process\.env)|undefined: |\[object|\n\n\n|,\n *,|\{ {2}/)
  })

  test('of n8n has steps, and every other a command', () => {
    for (const { kind, run, steps } of snippets) expect([kind, run === undefined]).toEqual([kind, steps !== undefined])
  })
})
